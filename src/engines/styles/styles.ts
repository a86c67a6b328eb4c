import type { Raster } from '../pixels/raster.js'
import type { Look } from './look.js'
import { isometric, legacyVideoGame, pixelArt } from './looks/blocky.js'
import { impressionist, oilPainting, renaissance } from './looks/brush.js'
import { pointillism, psychedelic, texture } from './looks/dots.js'
import { architectural, charcoal, lineArt, pencilSketch } from './looks/drawing.js'
import { abstract, anime, digitalArt, fantasyArt } from './looks/dream.js'
import { cubist, lowPoly, origami, stainedGlass } from './looks/facets.js'
import { analogFilm, cinematic, filmNoir, monochrome } from './looks/film.js'
import { artDeco, flatPapercut, minimalist } from './looks/flat.js'
import { longExposure, surrealist, tiltShift } from './looks/lens.js'
import { typography } from './looks/letters.js'
import { blueprint, graffiti, neonNoir } from './looks/night.js'
import { enhance, foodPhotography, hdr, hyperrealism, photographic } from './looks/photo.js'
import { comicBook, popArt, woodcut } from './looks/print.js'
import { craftClay, model3d } from './looks/relief.js'
import { silhouette } from './looks/silhouette.js'
import { watercolor } from './looks/water.js'
import { type Enlarging, renderLook, type StyleOptions } from './render.js'

export type { StyleOptions } from './render.js'

export type Style = {
  id: string
  /** As GET /image/styles lists it, if it does. */
  name: string
  description: string
  /** A picture of the same size and opacity, repainted. The same seed gives the same bytes. */
  render(raster: Raster, options: StyleOptions): Promise<Raster>
}

const idOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')

const style = (name: string, description: string, look: Look, enlarging: Enlarging = 'smooth'): Style => ({
  id: idOf(name),
  name,
  description,
  render: (raster, options) => renderLook(raster, look, enlarging, options),
})

export const styles: readonly Style[] = [
  style('3D Model', 'smooth plastic bodies under studio lights', model3d),
  style('Abstract', 'free shapes in the colours of the picture, with circles, rings and bars', abstract),
  style('Analog Film', 'faded dyes, red halos around lights, a light leak and grain', analogFilm, 'change'),
  style('Anime', 'clean cel shading, thin lines and a bright sky', anime),
  style('Architectural', 'fine pen, hatching and pale markers over construction lines', architectural),
  style('Art Deco', 'stepped tones of black, jade and cream, outlined and framed in gold', artDeco),
  style('Blueprint', 'white lines on blue with a grid', blueprint),
  style('Charcoal', 'rubbed coal and white chalk on grey paper', charcoal),
  style('Cinematic', 'teal shadows, orange lights, a wide screen', cinematic, 'change'),
  style('Comic Book', 'flat colours, bold ink and dots in the shadows', comicBook),
  style('Craft Clay', 'thick pieces of plasticine with fingerprints', craftClay),
  style('Cubist', 'straight facets, each with its own view', cubist),
  style('Digital Art', 'smooth painting with coloured rim lights', digitalArt),
  style('Enhance', 'clearer, crisper and fresher, and otherwise as it was', enhance, 'change'),
  style('Fantasy Art', 'golden rays, violet mist and sparkles', fantasyArt),
  style('Film Noir', 'hard black and white with the shadow of a blind, and grain', filmNoir, 'change'),
  style('Flat Papercut', 'stacked sheets of coloured card with shadows', flatPapercut),
  style('Food Photography', 'warm window light and a shallow focus', foodPhotography),
  style('Graffiti', 'spray paint on bricks, with drips', graffiti),
  style('HDR', 'every shadow lit, every detail exaggerated', hdr, 'change'),
  style('Hyperrealism', 'every pore, hard and cool', hyperrealism, 'change'),
  style('Impressionist', 'short thick strokes of broken, sunny colour', impressionist),
  style('Isometric Style', 'stacked cubes seen at an angle', isometric),
  style('Legacy Video Game', 'sixteen dithered colours on an old television', legacyVideoGame),
  style('Line Art', 'clean black lines on white', lineArt),
  style('Long Exposure', 'everything flows and lights draw trails', longExposure),
  style('Low Poly', 'a mesh of flat triangles', lowPoly),
  style('Minimalist', 'four quiet colours and much empty paper', minimalist),
  style('Monochrome', 'black and white with all its tones', monochrome, 'change'),
  style('Neon Noir', 'glowing contours in a dark street', neonNoir),
  style('Oil Painting', 'thick brush strokes along the forms, layer over layer', oilPainting),
  style('Origami', 'large folded facets of coloured paper', origami),
  style('Pencil Sketch', 'graphite hatching and contours on paper', pencilSketch),
  style('Photographic', 'a fast lens: soft corners, warm light, deep tones', photographic),
  style('Pixel Art', 'large pixels in few colours', pixelArt, 'blocks'),
  style('Pointillism', 'dots of pure colour that the eye mixes', pointillism),
  style('Pop Art', 'loud silk-screen colours and Ben-Day dots', popArt),
  style('Psychedelic', 'flowing bands of the rainbow', psychedelic),
  style('Renaissance', 'chiaroscuro under cracked varnish', renaissance),
  style('Silhouette', 'a dark figure before a bright ground', silhouette),
  style('Stained Glass', 'glowing panes in lead', stainedGlass),
  style('Surrealist', 'a melting world and floating glass balls', surrealist),
  style('Texture', 'woven from thick wool', texture),
  style('Tilt-Shift', 'a toy town in a narrow band of focus', tiltShift),
  style('Typography', 'set in letters, large and small', typography),
  style('Watercolor', 'transparent washes that bleed, on rough paper', watercolor),
  style('Woodcut', 'black lines that swell along the forms', woodcut),
]

/** Other names that people use. */
const synonyms: Record<string, string> = { 'paper-cut': 'flat-papercut', papercut: 'flat-papercut' }

const byId = new Map(styles.map((one) => [one.id, one]))

/** Finds a style by its name or its id, however it is capitalised. */
export const styleNamed = (nameOrId: string): Style | undefined => {
  const id = idOf(nameOrId.trim())
  return byId.get(synonyms[id] ?? id)
}
