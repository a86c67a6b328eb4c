import type { StopSignal } from '#plumbing/stop-signal.js'
/** An engine that turns texts into vectors. */
export type EmbeddingEngine = {
  /** One vector per text, in their order. Throws `EngineError`. */
  embed(call: EmbeddingCall): Promise<{
    vectors: Float32Array[]
    /** Undefined when the engine did not say; then they are counted. */
    promptTokens: number | undefined
  }>
}

export type EmbeddingCall = {
  /** The engine's own name for the model. */
  model: string
  texts: string[]
  /** Only for models that can shorten their vectors. */
  dimensions?: number | undefined
  signal: StopSignal
}
