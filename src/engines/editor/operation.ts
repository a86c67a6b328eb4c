/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number]

/** A rectangle in parts of the picture: 0 to 1. */
export type Region = { left: number; top: number; width: number; height: number }

/** Where an operation works, when not everywhere. */
export type Area =
  | { in: 'region'; region: Region }
  | { in: 'edges' }
  | { in: 'background' }
  | { in: 'subject' }
  /** Objects that the finder knows by this label; those in the middle of `within`, when it is there. */
  | { in: 'object'; label: string; within?: Region | undefined }
  | { in: 'face' }
  /** Pixels of about this colour, or all others. */
  | { in: 'colour'; hue: HueRange; isOutside: boolean }

/** Degrees on the colour circle, and how far to both sides; `grey` are the colours without a hue. */
export type HueRange = { centre: number; reach: number } | { grey: 'black' | 'grey' | 'white' }

export type Place = { x: 'left' | 'center' | 'right'; y: 'top' | 'middle' | 'bottom' }

export type Fill =
  | { colour: Colour }
  | { gradient: [Colour, Colour]; isSideways: boolean }
  | { image: number }
  | 'transparent'

export type Shape =
  | { do: 'crop'; region: Region }
  | { do: 'cropRatio'; ratio: number; place: Place }
  | { do: 'cropPixels'; width: number; height: number; place: Place }
  | { do: 'rotate'; degrees: number }
  | { do: 'flip'; axis: 'horizontal' | 'vertical' }
  | { do: 'resize'; width: number | undefined; height: number | undefined }
  | { do: 'scale'; factor: number }

/** Amounts are parts: 0.2 is 20% more. */
export type Tone =
  | { do: 'brightness'; amount: number }
  | { do: 'contrast'; amount: number }
  | { do: 'exposure'; stops: number }
  | { do: 'gamma'; gamma: number }
  | { do: 'highlights'; amount: number }
  | { do: 'shadows'; amount: number }
  | { do: 'levels'; isPerChannel: boolean }
  | { do: 'fade'; amount: number }
  | { do: 'localContrast'; amount: number }

export type Colouring =
  | { do: 'saturation'; amount: number }
  | { do: 'vibrance'; amount: number }
  | { do: 'hue'; degrees: number }
  | { do: 'tint'; colour: Colour; amount: number }
  | { do: 'temperature'; amount: number }
  | { do: 'recolour'; from: HueRange; to: Colour }
  | { do: 'paint'; to: Colour }
  | { do: 'invert' }
  | { do: 'duotone'; dark: Colour; light: Colour; amount: number }
  | { do: 'grey' }
  | { do: 'sepia'; amount: number }
  | { do: 'threshold' }
  | { do: 'posterize'; steps: number }

export type Detail =
  | { do: 'sharpen'; amount: number }
  | { do: 'blur'; amount: number; kind: 'soft' | 'motion' | 'zoom' }
  | { do: 'pixelate'; amount: number }
  | { do: 'denoise'; amount: number }
  | { do: 'deblur'; amount: number }
  | { do: 'scratches' }

/** A blur of amount 1 reaches this part of the shorter side. */
export const blurParts = 70

export type Effect =
  | { do: 'vignette'; amount: number; colour: Colour }
  | { do: 'grain'; amount: number }
  | { do: 'lightLeak'; amount: number }
  | { do: 'glow'; amount: number }

export type Lettering = {
  do: 'text'
  text: string
  place: Place
  /** Part of the height of the picture, for one line. */
  size: number
  colour: Colour | undefined
  look: 'plain' | 'meme' | 'watermark' | 'banner'
  isBold: boolean
  opacity: number
  degrees: number
}

export type Frame =
  /** Widths are parts of the shorter side, or pixels of the result. */
  | { do: 'border'; width: number; unit: 'part' | 'pixels'; colour: Colour | 'transparent'; isInside: boolean }
  | { do: 'rounded'; radius: number }
  | { do: 'circle' }
  | { do: 'shadow'; amount: number }
  | { do: 'polaroid' }

export type Content =
  /** Without an area: the mask. */
  { do: 'remove' } | { do: 'background'; how: { fill: Fill } | { blur: number } | { grey: true } }

/** Numbers of images count from 0, the base. */
export type Layering =
  | {
      do: 'layer'
      image: number
      place: Place | 'cover'
      size: number | undefined
      opacity: number
      blend: Blend
      isCircle: boolean
    }
  | { do: 'arrange'; as: 'row' | 'column' | 'grid' | 'polaroids' }

export type Blend =
  | 'over'
  | 'multiply'
  | 'screen'
  | 'overlay'
  | 'soft-light'
  | 'darken'
  | 'lighten'
  | 'difference'
  | 'add'

export type Styling = { do: 'style'; id: string; strength: number | undefined }

export type Operation = Shape | Tone | Colouring | Detail | Effect | Lettering | Frame | Content | Layering | Styling

/** One thing to do, and where. */
export type Step = { operation: Operation; area?: Area | undefined }

export type Kind =
  | 'shape'
  | 'tone'
  | 'colour'
  | 'detail'
  | 'effect'
  | 'text'
  | 'frame'
  | 'removal'
  | 'background'
  | 'layers'
  | 'style'

const kinds: Record<Operation['do'], Kind> = {
  crop: 'shape',
  cropRatio: 'shape',
  cropPixels: 'shape',
  rotate: 'shape',
  flip: 'shape',
  resize: 'shape',
  scale: 'shape',
  brightness: 'tone',
  contrast: 'tone',
  exposure: 'tone',
  gamma: 'tone',
  highlights: 'tone',
  shadows: 'tone',
  levels: 'tone',
  fade: 'tone',
  localContrast: 'tone',
  saturation: 'colour',
  vibrance: 'colour',
  hue: 'colour',
  tint: 'colour',
  temperature: 'colour',
  recolour: 'colour',
  paint: 'colour',
  invert: 'colour',
  duotone: 'colour',
  grey: 'colour',
  sepia: 'colour',
  threshold: 'colour',
  posterize: 'colour',
  sharpen: 'detail',
  blur: 'detail',
  pixelate: 'detail',
  denoise: 'detail',
  deblur: 'detail',
  scratches: 'detail',
  vignette: 'effect',
  grain: 'effect',
  lightLeak: 'effect',
  glow: 'effect',
  text: 'text',
  border: 'frame',
  rounded: 'frame',
  circle: 'frame',
  shadow: 'frame',
  polaroid: 'frame',
  remove: 'removal',
  background: 'background',
  layer: 'layers',
  arrange: 'layers',
  style: 'style',
}

export const kindOf = ({ do: name }: Operation): Kind => kinds[name]
