import type { Recolour } from '../colour.js'
import type { MoodName } from '../vocabulary/surroundings.js'
import { blended, contrasted, grey, inTurn, printed, saturated, throughColours, toward, turned } from './changes.js'

/** What a style changes while the picture is drawn; what only pixels can show comes afterwards. */
export type Look = {
  art: 'shaded' | 'flat'
  /** For every colour. */
  change?: Recolour
  /** For things and scenery, before that. */
  artChange?: Recolour
  /** The colour of the ground, whatever it consists of. */
  ground?: string
  outline?: { colour: string; width: number }
  shadow: 'cast' | 'soft' | 'none'
  /** `plain` leaves the place away. */
  background: 'place' | 'plain'
  /** The strength of grain, dark corners and shine, each from 0 to 1. */
  grain: number
  vignette: number
  bloom: number
}

const usual: Look = { art: 'shaded', shadow: 'cast', background: 'place', grain: 0.1, vignette: 0.24, bloom: 0.22 }
const flat = { art: 'flat', grain: 0, vignette: 0, bloom: 0 } as const
const ink = (width: number, colour = '#1c1a22') => ({ outline: { colour, width } })

const looks: Record<string, Partial<Look>> = {
  '3D Model': { bloom: 0.3, grain: 0, change: contrasted(1.05) },
  Abstract: { ...flat, change: printed(6, 1.4) },
  'Analog Film': { grain: 0.5, vignette: 0.5, change: inTurn(saturated(0.8), toward('#d9a066', 0.1)) },
  Anime: { ...ink(1.1, '#3a2f45'), bloom: 0.35, change: saturated(1.25, 0.03) },
  Architectural: {
    ...flat,
    ...ink(1, '#e8f0ff'),
    shadow: 'none',
    change: throughColours('#12305f', '#1d4a86', '#3f70ad', '#dfeaff'),
  },
  'Art Deco': { ...flat, change: throughColours('#0f1a24', '#1f4a4a', '#b8893a', '#f3e2b0') },
  Cinematic: {
    vignette: 0.6,
    bloom: 0.35,
    change: inTurn(contrasted(1.12), blended(throughColours('#0b2a38', '#3f6f78', '#f0b98a', '#fff2df'), 0.32)),
  },
  'Comic Book': { ...ink(2.2), grain: 0, bloom: 0, change: saturated(1.35) },
  'Craft Clay': { bloom: 0.15, shadow: 'soft', change: inTurn(saturated(0.9), contrasted(0.92)) },
  Cubist: {
    ...flat,
    change: inTurn(printed(7, 1), blended(throughColours('#3a2a20', '#8a6a48', '#c9a878', '#efe2c8'), 0.4)),
  },
  'Digital Art': { bloom: 0.4, change: saturated(1.2) },
  Enhance: { change: inTurn(saturated(1.12), contrasted(1.08)) },
  'Fantasy Art': {
    bloom: 0.6,
    change: inTurn(saturated(1.2), blended(throughColours('#1a1140', '#6a3fa0', '#f0a8c8', '#fff3d0'), 0.25)),
  },
  'Film Noir': { grain: 0.4, vignette: 0.85, change: inTurn(grey, contrasted(1.35), toward('#000000', 0.12)) },
  'Flat Papercut': { ...flat, shadow: 'soft', change: inTurn(printed(9, 1.05), saturated(0.95, 0.02)) },
  'Food Photography': { bloom: 0.3, vignette: 0.4, change: inTurn(saturated(1.15), toward('#ffca8a', 0.06)) },
  Graffiti: { ...flat, ...ink(2.4), change: inTurn(saturated(1.6), contrasted(1.1)) },
  HDR: { bloom: 0.4, change: inTurn(saturated(1.4), contrasted(1.15)) },
  Hyperrealism: { bloom: 0.2, change: inTurn(saturated(1.1), contrasted(1.1)) },
  Impressionist: { change: inTurn(saturated(1.1, 0.02), toward('#f3d9a8', 0.08)) },
  'Isometric Style': { ...flat, background: 'plain', shadow: 'soft' },
  'Legacy Video Game': { ...flat, ...ink(1.4), change: printed(7, 1.3) },
  'Line Art': { ...flat, ...ink(1.6), shadow: 'none', change: inTurn(grey, toward('#ffffff', 0.74)) },
  'Long Exposure': { bloom: 0.6, vignette: 0.4, change: contrasted(1.08) },
  'Low Poly': { ...flat, change: printed(10, 1.1) },
  Minimalist: { ...flat, background: 'plain', shadow: 'soft', change: saturated(0.85, 0.02) },
  Monochrome: { change: grey },
  'Neon Noir': {
    bloom: 0.9,
    vignette: 0.6,
    change: inTurn(contrasted(1.25), throughColours('#06040f', '#221057', '#8a1f9f', '#ff3fa4', '#5ff0ff')),
  },
  Origami: { ...flat, shadow: 'soft', change: inTurn(printed(10, 1), toward('#f4ead8', 0.12)) },
  Photographic: { vignette: 0.34, grain: 0.22, change: contrasted(1.05) },
  'Pixel Art': { ...flat, change: printed(8, 1.25) },
  Pointillism: { grain: 0, change: saturated(1.35, 0.03) },
  'Pop Art': { ...flat, ...ink(2.2), change: printed(4, 2.1) },
  Psychedelic: { ...flat, bloom: 0.3, change: inTurn(turned(120), saturated(2.2)) },
  Renaissance: {
    vignette: 0.8,
    change: inTurn(saturated(0.8), blended(throughColours('#1a0f08', '#5f3a1c', '#b98a4a', '#f0dcae'), 0.55)),
  },
  Silhouette: { ...flat, shadow: 'none', artChange: () => '#0d0f1a', ground: '#0d0f1a', change: saturated(1.3) },
  'Stained Glass': { ...flat, ...ink(2.6, '#14121a'), change: inTurn(printed(7, 1.6), contrasted(1.1)) },
  Surrealist: { bloom: 0.35, change: inTurn(turned(-35), saturated(1.25)) },
  Texture: { grain: 0.6, change: contrasted(1.05) },
  'Tilt-Shift': { change: saturated(1.4) },
  Typography: { ...flat, background: 'plain', change: printed(6, 1.2) },
  Watercolor: {
    shadow: 'soft',
    vignette: 0,
    bloom: 0.1,
    change: inTurn(saturated(0.85, 0.04), toward('#fbf6ea', 0.2)),
  },
  Woodcut: {
    ...flat,
    ...ink(2),
    shadow: 'none',
    change: inTurn(contrasted(1.4), throughColours('#1c1410', '#1c1410', '#a8875a', '#f3e8d0')),
  },
}

const moodChanges: Record<MoodName, Recolour> = {
  calm: inTurn(saturated(0.82, 0.03), toward('#dcebf0', 0.07)),
  gloomy: inTurn(saturated(0.6, -0.08), toward('#1f2636', 0.18)),
  cheerful: saturated(1.22, 0.02),
  romantic: inTurn(saturated(1.05), toward('#ff9fb4', 0.12)),
  warm: inTurn(saturated(1.08), toward('#ffab5e', 0.12)),
  cold: toward('#9cc8f0', 0.14),
  magical: inTurn(saturated(1.18), toward('#8a5fe0', 0.1)),
}

export const lookOf = (style: string | undefined, moods: readonly MoodName[]): Look => {
  const look: Look = { ...usual, ...(style === undefined ? {} : looks[style]) }
  return { ...look, change: inTurn(...moods.slice(0, 3).map((mood) => moodChanges[mood]), look.change) }
}

/** For tests: a name that the catalogue has and this table has not looks like no style. */
export const knownLooks = (): string[] => Object.keys(looks)
