import { Resvg } from '@resvg/resvg-js'
import type { GenerateCall, Picture } from '../image.js'
import { fontFamily, fontFiles } from '../pixels/font.js'
import type { Raster } from '../pixels/raster.js'
import { encode, fromRaster } from '../pixels/sharp.js'
import type { Stop } from '../threads/serve.js'
import type { Recolour } from './colour.js'
import { drawScene } from './draw-scene.js'
import { addEffects } from './effects.js'
import type { ApplyStyle } from './finish-style.js'
import { prepareKin } from './kin/judge-kin.js'
import type { ReadKin } from './kin/read-kin.js'
import { paletteOf } from './looks/reference-palette.js'
import { hashOf } from './random.js'

/** A call as it travels to a thread. */
export type ComposeOrder = Omit<
  GenerateCall,
  'signal' | 'model' | 'steps' | 'guidance' | 'loraStrength' | 'isWatermarkHidden'
>

/** Pixels that are drawn; a larger picture is enlarged from that, because soft forms lose nothing by it. */
const drawnSideMax = 2048
const drawnSideMin = 256

const drawnSize = (width: number, height: number) => {
  const long = Math.max(width, height)
  const scale = long > drawnSideMax ? drawnSideMax / long : long < drawnSideMin ? 2 : 1
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The renderer multiplies colours by their opacity; everybody else expects them plain. */
const withPlainOpacity = (data: Uint8ClampedArray) => {
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] as number
    if (alpha === 0 || alpha === 255) continue
    for (let channel = 0; channel < 3; channel++) data[at + channel] = ((data[at + channel] as number) * 255) / alpha
  }
}

const rasterOf = (svg: string, isTransparent: boolean): Raster => {
  const image = new Resvg(svg, {
    font: { fontFiles: fontFiles(), loadSystemFonts: false, defaultFontFamily: fontFamily },
    ...(!isTransparent && { background: '#ffffff' }),
  }).render()
  const { pixels } = image
  const data = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length)
  if (isTransparent) withPlainOpacity(data)
  return { data, width: image.width, height: image.height }
}

const composeOne = async (
  order: ComposeOrder,
  index: number,
  { palette, readKin }: { palette: Recolour | undefined; readKin: ReadKin },
  stop: Stop,
  applyStyle?: ApplyStyle,
): Promise<Picture> => {
  const { prompt, negativePrompt, seed, format, quality, isTransparent = false } = order
  const size = drawnSize(order.width, order.height)
  const { svg, look, style } = drawScene({
    prompt,
    negativePrompt,
    seed,
    index,
    style: order.style,
    isTransparent,
    palette,
    readKin,
    ...size,
  })
  stop.check()
  const drawn = rasterOf(svg, isTransparent)
  stop.check()
  const ownSeed = hashOf(`${seed} ${index}`)
  const lit = isTransparent || quality === 'low' ? drawn : await addEffects(drawn, look, ownSeed)
  stop.check()
  const styled = style !== undefined && applyStyle ? await applyStyle(style, lit, ownSeed % 2 ** 31, stop) : lit
  stop.check()
  const isSized = styled.width === order.width && styled.height === order.height
  const picture = isSized ? fromRaster(styled) : fromRaster(styled).resize(order.width, order.height, { fit: 'fill' })
  return { bytes: await encode(picture, format, quality), format }
}

/** As many pictures as the order says, one after the other. */
export const composePictures = async (order: ComposeOrder, stop: Stop, applyStyle?: ApplyStyle): Promise<Picture[]> => {
  const palette = await paletteOf(order.styleReferences ?? [])
  const readKin = await prepareKin(order.prompt)
  const pictures: Picture[] = []
  for (let index = 0; index < order.count; index++) {
    stop.check()
    pictures.push(await composeOne(order, index, { palette, readKin }, stop, applyStyle))
  }
  return pictures
}
