/** The parts of Anthropic's Messages API (https://docs.anthropic.com/en/api/messages) that we speak. Wire names throughout. */
export type CacheControl = { type: string; ttl?: string }
type Cached = { cache_control?: CacheControl }

export type TextBlock = { type: 'text'; text: string } & Cached
export type ImageBlock = {
  type: 'image'
  source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string }
} & Cached
export type ThinkingBlock = { type: 'thinking'; thinking: string; signature: string }
export type RedactedThinkingBlock = { type: 'redacted_thinking'; data: string }
export type ToolUseBlock = { type: 'tool_use'; id: string; name: string; input: unknown }
export type ToolResultBlock = { type: 'tool_result'; tool_use_id: string; content: TextBlock[] } & Cached

export type InputBlock = TextBlock | ImageBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | ToolResultBlock

export type Turn = { role: 'user' | 'assistant'; content: InputBlock[] }

export type MessagesTool = { name: string; description?: string; input_schema: object } & Cached

export type ToolChoice =
  | { type: 'none' }
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: true }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: true }

export type MessagesRequest = {
  model: string
  max_tokens: number
  system?: TextBlock[]
  messages: Turn[]
  temperature?: number
  top_p?: number
  top_k?: number
  stop_sequences?: string[]
  tools?: MessagesTool[]
  tool_choice?: ToolChoice
  thinking?: { type: 'enabled'; budget_tokens: number }
}

export type MessagesUsage = {
  input_tokens?: number | null
  cache_read_input_tokens?: number | null
  cache_creation_input_tokens?: number | null
  output_tokens?: number | null
}

export type OutputBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock

export type Message = {
  type: 'message'
  content: OutputBlock[]
  stop_reason: string | null
  stop_sequence?: string | null
  usage?: MessagesUsage
}

export type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }

export type StreamEvent =
  | { type: 'message_start'; message: { usage?: MessagesUsage } }
  | { type: 'content_block_start'; index: number; content_block: OutputBlock }
  | { type: 'content_block_delta'; index: number; delta: BlockDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta'
      delta: { stop_reason?: string | null; stop_sequence?: string | null }
      usage?: MessagesUsage
    }
  | { type: 'message_stop' }
  | { type: 'ping' }
  | { type: 'error'; error: unknown }
