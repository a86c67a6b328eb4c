import { EngineError } from '../engine-error.js'

const short = (text: string, charactersMax = 80) =>
  text.length > charactersMax ? `${text.slice(0, charactersMax - 1).trimEnd()}…` : text

export const refused = (message: string, said: string) => new EngineError('refused', message, { said })

export const notUnderstood = (clause: string, can: string) =>
  refused('a part of the prompt was not understood', `"${short(clause)}" was not understood; ${can}`)

export const notFound = (what: string) =>
  refused('what is to be changed was not found', `no ${what} was found in the image`)

export const unreadable = (name: string) =>
  new EngineError('unreadable', 'an input image cannot be decoded', { said: `${name} is cut off or broken` })
