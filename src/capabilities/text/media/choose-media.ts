import { failField } from '#contract/errors.js'
import type { TextCapabilities } from '#contract/model-parts.js'
import type { ChatMessage, ContentPart } from '#contract/text-parts.js'

const videosPerRequestMax = 3

/** The parts of a message when it has several; a plain text has none. */
export const partsOf = (message: ChatMessage): ContentPart[] =>
  Array.isArray(message.content) ? (message.content as ContentPart[]) : []

const hasPart = (message: ChatMessage, type: ContentPart['type']) => partsOf(message).some((part) => part.type === type)

const count = (messages: ChatMessage[], type: ContentPart['type']) =>
  messages.reduce((sum, message) => sum + partsOf(message).filter((part) => part.type === type).length, 0)

export const hasMedia = (messages: ChatMessage[]): boolean =>
  messages.some((message) => partsOf(message).some((part) => part.type !== 'text'))

/** Which messages keep their images: models that take one look see only the last message that has any. */
const imagesFrom = (messages: ChatMessage[], { supportsMultipleImages }: TextCapabilities): number =>
  supportsMultipleImages ? 0 : messages.findLastIndex((message) => hasPart(message, 'image_url'))

/**
 * What the model will be shown. Gives a question per part, so that places in the request keep their numbers. Throws when
 * there are more images or videos than the model takes, before anything is fetched.
 */
export const chooseMedia = (messages: ChatMessage[], capabilities: TextCapabilities) => {
  const { supportsMultipleImages, maxImages, maxVideos } = capabilities
  if (supportsMultipleImages && maxImages !== undefined && count(messages, 'image_url') > maxImages)
    throw failField('messages', `must hold at most ${maxImages} images for this model`)
  const videosMax = Math.min(videosPerRequestMax, maxVideos ?? videosPerRequestMax)
  if (count(messages, 'video_url') > videosMax)
    throw failField('messages', `must hold at most ${videosMax} videos for this model`)
  const first = imagesFrom(messages, capabilities)
  return (messageIndex: number, part: ContentPart): boolean => part.type !== 'image_url' || messageIndex >= first
}
