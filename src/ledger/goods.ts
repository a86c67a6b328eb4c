import type { ModelType } from '#contract/models.js'

/** What a request uses, as usage analytics group it. */
export type Goods = { model: string; modelType: AnalyticsType | null; unitType: UnitType }

export type AnalyticsType = 'LLM' | 'IMAGE' | 'TTS' | 'ASR' | 'VIDEO'
export type UnitType = 'tokens' | 'images' | 'chars' | 'minutes' | 'seconds' | 'requests'

const kinds: Record<ModelType, Omit<Goods, 'model'>> = {
  text: { modelType: 'LLM', unitType: 'tokens' },
  embedding: { modelType: 'LLM', unitType: 'tokens' },
  image: { modelType: 'IMAGE', unitType: 'images' },
  inpaint: { modelType: 'IMAGE', unitType: 'images' },
  upscale: { modelType: 'IMAGE', unitType: 'images' },
  tts: { modelType: 'TTS', unitType: 'chars' },
  asr: { modelType: 'ASR', unitType: 'seconds' },
  music: { modelType: null, unitType: 'seconds' },
  video: { modelType: 'VIDEO', unitType: 'seconds' },
}

export const goodsOf = (model: { id: string; type: ModelType }): Goods => ({ model: model.id, ...kinds[model.type] })
