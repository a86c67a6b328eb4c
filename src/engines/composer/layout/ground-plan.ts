import type { PlaceName } from '../vocabulary/surroundings.js'

/** Where things can be in a place. Lengths are in units of which the short side of the picture has 1000. */
export type GroundPlan = {
  width: number
  height: number
  /** Where ground or water begin; the whole height where there is neither. */
  horizon: number
  /** What stands, stands between these. */
  floor: { far: number; near: number }
  /** Water that boats are on, where there is some. */
  water: { far: number; near: number } | undefined
  /** There is no down: under water, in the air, between stars. */
  isFloating: boolean
}

const horizons: Partial<Record<PlaceName, number>> = {
  field: 0.62,
  hills: 0.66,
  mountains: 0.68,
  forest: 0.66,
  jungle: 0.68,
  savanna: 0.66,
  beach: 0.5,
  sea: 0.54,
  lake: 0.52,
  desert: 0.62,
  snow: 0.62,
  city: 0.7,
  road: 0.58,
  village: 0.62,
  moon: 0.66,
  room: 0.68,
  table: 0.66,
  studio: 0.64,
}

export const planGround = (place: PlaceName, pixelWidth: number, pixelHeight: number): GroundPlan => {
  const unit = 1000 / Math.min(pixelWidth, pixelHeight)
  const [width, height] = [pixelWidth * unit, pixelHeight * unit]
  const share = horizons[place]
  if (share === undefined)
    return {
      width,
      height,
      horizon: height,
      floor: { far: height * 0.3, near: height * 0.92 },
      water: undefined,
      isFloating: true,
    }
  // A tall picture has more sky than ground, or its ground would be a wall.
  const horizon = height > width * 1.4 ? height * (share + 0.08) : height * share
  const deep = height - horizon
  const floor = { far: horizon + deep * 0.12, near: height - deep * 0.14 }
  if (place === 'sea')
    return {
      width,
      height,
      horizon,
      floor,
      water: { far: horizon + deep * 0.08, near: height - deep * 0.2 },
      isFloating: false,
    }
  if (place === 'beach' || place === 'lake') {
    const shore = horizon + deep * (place === 'beach' ? 0.36 : 0.5)
    return {
      width,
      height,
      horizon,
      floor: { far: shore + deep * 0.14, near: floor.near },
      water: { far: horizon + deep * 0.1, near: shore - deep * 0.03 },
      isFloating: false,
    }
  }
  return { width, height, horizon, floor, water: undefined, isFloating: false }
}
