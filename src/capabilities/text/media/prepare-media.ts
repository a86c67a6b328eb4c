import type { TextCapabilities } from '#contract/model-parts.js'
import type { ChatMessage, ContentPart } from '#contract/text-parts.js'
import type { GuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { type StopSignal, toAbortSignal } from '#plumbing/stop-signal.js'
import type { ExtractText } from '../../documents/extract-text.js'
import { createLoad } from '../../media/load.js'
import { chooseMedia, hasMedia, partsOf } from './choose-media.js'
import { createPartPreparation } from './prepare-part.js'

const atOnce = 4
/** Of all media of one request, after decoding. */
const totalMax = 64 * 1024 * 1024

type Needs = { guardedFetch: GuardedFetch; extractText: ExtractText }

/** Stands where a message consisted of images that the model is not shown. */
const omitted: ContentPart = { type: 'text', text: '[image omitted]' }

/**
 * Makes the media of a request ready for an engine: files become text, everything that is named by a URL is fetched here
 * and sent along, so that no engine ever visits an address that a caller chose. Whether the model can see or hear at all
 * was asked before. Throws a `Failure` that names the part.
 */
export const createMediaPreparation =
  ({ guardedFetch, extractText }: Needs) =>
  async (messages: ChatMessage[], capabilities: TextCapabilities, signal: StopSignal): Promise<ChatMessage[]> => {
    if (!hasMedia(messages)) return messages
    const isShown = chooseMedia(messages, capabilities)
    // The first part that fails ends the work on the others.
    const stop = new AbortController()
    const both = AbortSignal.any([toAbortSignal(signal), stop.signal])
    const prepare = createPartPreparation({
      ...createLoad({ guardedFetch, signal: both, totalMax, whole: 'messages' }),
      extractText,
      signal: both,
    })

    /** What becomes of each part; undefined for those that are not shown. */
    const contents: (ContentPart | undefined)[][] = []
    const work: (() => Promise<void>)[] = []
    messages.forEach((message, messageIndex) => {
      const content = partsOf(message).map((part) => (isShown(messageIndex, part) ? part : undefined))
      content.forEach((part, partIndex) => {
        if (part === undefined || part.type === 'text') return
        work.push(async () => {
          content[partIndex] = await prepare(part, `messages.${messageIndex}.content.${partIndex}`)
        })
      })
      contents.push(content)
    })

    const takeTurns = async () => {
      for (let next = work.shift(); next; next = work.shift()) {
        both.throwIfAborted()
        await next()
      }
    }
    try {
      await Promise.all(Array.from({ length: atOnce }, takeTurns))
    } catch (error) {
      stop.abort(error)
      throw error
    }
    return messages.map((message, index) => {
      if (partsOf(message).length === 0) return message
      const content = (contents[index] ?? []).filter((part) => part !== undefined)
      return { ...message, content: content.length > 0 ? content : [omitted] } as ChatMessage
    })
  }
