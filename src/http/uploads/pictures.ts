import type { PictureSource } from '#capabilities/images/picture-input.js'
import type { Exchange } from '../exchange.js'

/** The picture that a field holds: a file, or a text. */
export const pictureIn = ({ uploads }: Exchange, place: string, value: string): PictureSource => {
  const kept = uploads?.find(value) ?? value
  return typeof kept === 'string' ? { place, text: kept } : { place, file: kept }
}

export const picturesIn = (exchange: Exchange, field: string, values: readonly string[]): PictureSource[] =>
  values.map((value, index) => pictureIn(exchange, `${field}.${index}`, value))
