import { type TProperties, type TSchema, Type } from 'typebox'
import { closed, Maybe } from './model-parts.js'

export const Price = Type.Object(
  { usd: Type.Number({ minimum: 0 }), diem: Type.Number({ minimum: 0 }) },
  { ...closed, description: 'The price in US dollars and in diem' },
)
export const DurationPrice = Type.Object(
  { ...Price.properties, min_seconds: Type.Number({ minimum: 0 }), max_seconds: Type.Number({ minimum: 0 }) },
  closed,
)

/** The shape of prices per type, for any way of writing one price: numbers in records, exact strings in the config. */
export const pricingShapes = <P extends TSchema, D extends TSchema>(price: P, durationPrice: D) => {
  const tokens = { input: price, output: price, cache_input: Maybe(price), cache_write: Maybe(price) }
  const scales = Type.Object({ '2x': price, '4x': price }, closed)
  const byTier = {
    resolutions: Maybe(Type.Record(Type.String(), price, { description: 'By resolution tier, such as 1K' })),
    quality: Maybe(
      Type.Record(Type.String(), Type.Object({ low: Maybe(price), medium: Maybe(price), high: Maybe(price) }, closed), {
        description: 'By resolution tier and quality; rules over `resolutions`',
      }),
    ),
  }
  const priced = <T extends TProperties>(unit: string, properties: T, options = {}) =>
    Type.Object(properties, { ...closed, ...options, description: unit })

  return {
    text: priced('Per 1,000,000 tokens', {
      ...tokens,
      extended: Maybe(
        priced('For the whole request when its prompt is longer than the threshold', {
          context_token_threshold: Type.Integer({ minimum: 1 }),
          ...tokens,
        }),
      ),
    }),
    embedding: priced('Per 1,000,000 tokens', { input: price, output: price }),
    image: priced('Per image', { generation: Maybe(price), ...byTier, upscale: Maybe(scales) }, { minProperties: 1 }),
    inpaint: priced('Per edit', {
      inpaint: price,
      ...byTier,
      inputImages: Maybe(
        priced('What input images beyond the included ones cost', {
          included: Type.Integer({ minimum: 0 }),
          additional: price,
        }),
      ),
    }),
    upscale: priced('Per image', { generation: price, upscale: scales }),
    tts: priced('Per 1,000,000 characters', { input: price }),
    asr: priced('Per second of audio', { per_audio_second: price }),
    music: priced(
      'Exactly one of these: per job, per job by length, per second, or per 1,000 characters',
      {
        generation: Maybe(price),
        durations: Maybe(Type.Record(Type.String(), durationPrice)),
        per_second: Maybe(price),
        per_thousand_characters: Maybe(price),
      },
      { minProperties: 1, maxProperties: 1 },
    ),
  }
}
