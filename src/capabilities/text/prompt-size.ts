import type { ChatRequest } from '#contract/chat.js'
import type { ChatMessage, ContentPart } from '#contract/text-parts.js'

/**
 * How long a prompt is. Only the engine knows its tokens, so before it is asked we know bounds: a token stands for at least
 * one byte, and almost never for more than a dozen.
 */
export type PromptSize = {
  /** What the caller wrote, in bytes of UTF-8. */
  textBytes: number
  /** Never fewer tokens than the engine will count. */
  tokensMost: number
  /** About as many as the engine will count. */
  tokensAbout: number
}

/** Names of roles and separators: what the template of a model puts around each message, and around all of them. */
const tokensPerMessage = 16
const tokensPerPrompt = 64
/** Templates explain to the model how tools are called. */
const tokensPerToolList = 512

/** The dearest that pictures come in the models we know of; sound and video are reckoned by their size. */
const tokensPerImage = 4_096
const bytesPerMediaToken = 64

const bytesPerTokenAbout = 4
const bytesPerTokenMost = 12

export const promptSize = ({
  messages,
  tools,
  response_format: format,
}: Pick<ChatRequest, 'messages' | 'tools' | 'response_format'>): PromptSize => {
  let textBytes = 0
  let mediaTokens = 0
  for (const message of messages) {
    textBytes += textBytesOf(message)
    if (Array.isArray(message.content))
      for (const part of message.content as ContentPart[]) mediaTokens += mediaTokensOf(part)
  }
  let overhead = tokensPerPrompt + messages.length * tokensPerMessage
  if (tools && tools.length > 0) {
    textBytes += jsonBytes(tools)
    overhead += tokensPerToolList
  }
  if (format?.json_schema) textBytes += jsonBytes(format.json_schema)
  return {
    textBytes,
    tokensMost: textBytes + mediaTokens + overhead,
    tokensAbout: Math.ceil(textBytes / bytesPerTokenAbout) + 4 * messages.length + mediaTokens,
  }
}

/** Whether it is certain, without asking the engine, that a prompt does not fit. */
export const surelyExceeds = ({ textBytes }: Pick<PromptSize, 'textBytes'>, contextTokens: number): boolean =>
  textBytes > contextTokens * bytesPerTokenMost

/** How many tokens a text comes to, where nobody counted them. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / bytesPerTokenAbout)

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const textBytesOf = (message: ChatMessage): number => {
  let bytes = 0
  if (typeof message.content === 'string') bytes += Buffer.byteLength(message.content)
  else if (Array.isArray(message.content))
    for (const part of message.content) if (part.type === 'text') bytes += Buffer.byteLength(part.text)
  if (message.name) bytes += Buffer.byteLength(message.name)
  if (message.role === 'assistant') {
    if (message.reasoning_content) bytes += Buffer.byteLength(message.reasoning_content)
    if (message.tool_calls) bytes += jsonBytes(message.tool_calls)
    if (message.reasoning_details) bytes += jsonBytes(message.reasoning_details)
  }
  return bytes
}

const mediaTokensOf = (part: ContentPart): number => {
  switch (part.type) {
    case 'image_url':
      return tokensPerImage
    case 'input_audio':
      return tokensPerImage + Math.ceil(part.input_audio.data.length / bytesPerMediaToken)
    case 'video_url':
      return tokensPerImage + Math.ceil(part.video_url.url.length / bytesPerMediaToken)
    default:
      return 0
  }
}
