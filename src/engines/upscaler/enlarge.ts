import type { Colours } from '../tensors/colours.js'
import { once } from '../tensors/once.js'
import type { Stop } from '../threads/serve.js'
import { fromColours, resizeTo, toColours } from './colours.js'
import { type Network, openNetwork, reach, type Scale, scales } from './network.js'
import { cutTile, detailIn, putTile, type Tile, tilesOf } from './tiles.js'

/** What goes through the network at once: it bounds memory, and how long a job goes on that nobody wants. */
const tileSizeMax = 256

/** Where neighbours differ by no more, the network finds nothing that Lanczos does not. */
const flatDifference = 6

/** The enlarged picture is in memory as a whole. */
const enlargedPixelsMax = 40_000_000

/** How much of the network's detail comes nearest to the truth, measured on photographs that were made small before. */
const faithful: Record<Scale, number> = { 2: 1, 3: 0.85, 4: 0.7 }
const strengthPerCreativity = 25

export type EnlargeWish = {
  model: string
  /** At least so many times larger, if that is possible. */
  factor: number
  creativity: number
  /** The network may take this long; it begins where there is most to see, and the rest is left to Lanczos. */
  networkMs: number
}

const networks = new Map<string, () => Promise<Network>>()

const networkFor = (model: string, scale: Scale): Promise<Network> => {
  const name = `${model} ${scale}`
  const network = networks.get(name) ?? once(() => openNetwork(model, scale))
  networks.set(name, network)
  return network()
}

/** The picture 2, 3 or 4 times larger; undefined when a network is of no use. */
export const enlarge = async (picture: Colours, wish: EnlargeWish, stop: Stop): Promise<Colours | undefined> => {
  const scale = scales.find((one) => one >= wish.factor) ?? 4
  const width = picture.width * scale
  const height = picture.height * scale
  if (wish.factor <= 1 || width * height > enlargedPixelsMax) return undefined
  const enlarged = await toColours(resizeTo(fromColours(picture), { width, height }))
  const network = await networkFor(wish.model, scale)
  const strength = faithful[scale] + strengthPerCreativity * wish.creativity
  const deadline = performance.now() + wish.networkMs
  for (const tile of tilesByDetail(picture)) {
    stop.check()
    if (performance.now() > deadline) break
    putTile(enlarged, tile, await network.run(cutTile(picture, tile, reach), strength), reach, scale)
  }
  return enlarged
}

const tilesByDetail = (picture: Colours): Tile[] =>
  tilesOf(picture, tileSizeMax)
    .map((tile) => ({ tile, ...detailIn(cutTile(picture, tile, reach)) }))
    .filter(({ most }) => most > flatDifference)
    .sort((one, other) => other.sum - one.sum)
    .map(({ tile }) => tile)
