import type { CatalogModelOfType } from '#catalog/catalog.js'
import { checkEmbeddingInput, type EmbeddingRequest } from '#contract/embeddings.js'
import { fail } from '#contract/errors.js'
import type { Answer } from '#ledger/answers.js'
import type { Line } from '#ledger/bill.js'
import type { Charge, Sealed, Settled } from '#ledger/charge.js'
import { goodsOf } from '#ledger/goods.js'
import type { Order } from '#ledger/metered.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { json, routeHeaders, unheard } from '../answer.js'
import type { ChosenModel } from '../model-choice.js'
import type { Switchboard } from '../switchboard.js'
import { engineFailure, tooManyTokens } from '../text/failures.js'
import { estimateTokens, surelyExceeds } from '../text/prompt-size.js'

type EmbeddingModel = CatalogModelOfType<'embedding'>

type Needs = { switchboard: Sealed<Switchboard> }

export type PreparedEmbedding = {
  model: EmbeddingModel
  texts: string[]
  /** Of all texts, in UTF-8. */
  bytes: number
  body: EmbeddingRequest
  headers: Record<string, string>
  order: Pick<Order, 'goods' | 'least' | 'most' | 'tokens'>
}

/** Marks at the beginning and the end of each text that some models add. */
const tokensPerText = 2

/** Turns texts into vectors. */
export const createEmbed = ({ switchboard }: Needs) => ({
  prepare({ model, headers }: ChosenModel<'embedding'>, body: EmbeddingRequest): PreparedEmbedding {
    const texts = checkEmbeddingInput(body)
    if (body.dimensions && !model.record.model_spec.supportsCustomDimensions)
      throw fail('unsupportedFeature', 'dimensions', `vectors of the model '${model.id}' have one length`)
    let bytes = 0
    for (const text of texts) {
      const textBytes = Buffer.byteLength(text)
      if (model.contextTokens !== null && surelyExceeds({ textBytes }, model.contextTokens)) throw tooManyTokens(model)
      bytes += textBytes
    }
    const most = [inputLine(model, bytes + tokensPerText * texts.length)]
    const order = { goods: goodsOf(model), least: most, most, tokens: estimateTokens(bytes) }
    return { model, texts, bytes, body, headers, order }
  },

  /** Runs in the gate: the charge is taken already. */
  async run(prepared: PreparedEmbedding, charge: Charge, signal: StopSignal): Promise<Settled<Answer>> {
    const { model, texts, bytes, body, headers } = prepared
    if (signal.aborted) throw fail('callerLeft')
    const finish = (tokens: number) => ({
      lines: [inputLine(model, tokens)],
      promptTokens: tokens,
      completionTokens: 0,
    })
    const routed = await charge
      .open(switchboard)
      .embed(model, { texts, dimensions: body.dimensions ?? undefined, signal })
      .catch((error) => {
        // The caller has left while the engine was at work.
        if (signal.aborted) return undefined
        throw engineFailure(error, model)
      })
    if (routed === undefined)
      return charge.settle({ ...finish(estimateTokens(bytes)), countedBy: 'estimate', outcome: 'aborted' }, unheard)
    const { answer, target, retries } = routed
    const tokens = answer.promptTokens ?? estimateTokens(bytes)
    const list = {
      object: 'list',
      model: model.id,
      data: answer.vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: body.encoding_format === 'base64' ? toBase64(vector) : Array.from(vector),
      })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
    const reply: Answer = {
      status: 200,
      headers: { ...json, ...headers, ...routeHeaders(target, retries) },
      body: JSON.stringify(list),
    }
    const countedBy = answer.promptTokens === undefined ? 'estimate' : 'upstream'
    return charge.settle({ ...finish(tokens), countedBy }, reply)
  },
})

export type Embed = ReturnType<typeof createEmbed>

const inputLine = ({ id, prices }: EmbeddingModel, tokens: number): Line => ({
  sku: `${id}-llm-input-mtoken`,
  part: 'Input',
  quantity: BigInt(tokens),
  usdPerMillion: prices.input.usdNanos,
  diemPerMillion: prices.input.diemNanos,
  per: 'million',
})

/** Little-endian 32-bit floats, whatever the machine. */
const toBase64 = (vector: Float32Array): string => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (let index = 0; index < vector.length; index++) bytes.writeFloatLE(vector[index] as number, index * 4)
  return bytes.toString('base64')
}
