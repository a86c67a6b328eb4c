import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import type { ExactPrice } from '#catalog/prices.js'
import type { Quality } from '#engines/image.js'
import type { Line } from '#ledger/bill.js'

/** A line about whole things: one picture, one rewrite. */
const line = (sku: string, part: string, quantity: number, price: ExactPrice): Line => ({
  sku,
  part,
  quantity: BigInt(quantity),
  usdPerMillion: price.usdNanos * 1_000_000n,
  diemPerMillion: price.diemNanos * 1_000_000n,
  per: 'one',
})

type Tiers = {
  resolutions?: Record<string, ExactPrice>
  quality?: Record<string, Partial<Record<Quality, ExactPrice>>>
}

/** What one picture costs: by tier and quality, else by tier, else the usual price. */
const tierPrice = (
  { resolutions = {}, quality = {} }: Tiers,
  usual: ExactPrice | undefined,
  tier: string,
  asked: Quality,
): ExactPrice => {
  const price = quality[tier]?.[asked] ?? resolutions[tier] ?? usual
  if (price === undefined) throw new Error(`nothing says what ${tier} costs`)
  return price
}

export const generationLines = (
  { id, prices }: CatalogModelOfType<'image'>,
  { tier, quality, count }: { tier: string; quality: Quality; count: number },
): Line[] => [line(`${id}-image-generation`, 'Images', count, tierPrice(prices, prices.generation, tier, quality))]

export const editLines = (
  { id, prices }: CatalogModelOfType<'inpaint'>,
  { tier, quality, inputs }: { tier: string; quality: Quality; inputs: number },
): Line[] => {
  const edit = line(`${id}-image-edit`, 'Images', 1, tierPrice(prices, prices.inpaint, tier, quality))
  const { inputImages } = prices
  const additional = inputImages ? Math.max(0, inputs - inputImages.included) : 0
  if (!inputImages || additional === 0) return [edit]
  return [edit, line(`${id}-image-edit-input`, 'Input Images', additional, inputImages.additional)]
}

export const upscaleLines = ({ id, prices }: CatalogModelOfType<'upscale'>, scale: 2 | 4): Line[] => [
  line(`${id}-image-upscale-${scale}x`, 'Images', 1, prices.upscale[`${scale}x`]),
]

export const enhancementLine = (catalog: Pick<Catalog, 'promptEnhancement'>): Line =>
  line('prompt-enhancement', 'Prompt Enhancement', 1, catalog.promptEnhancement().price)
