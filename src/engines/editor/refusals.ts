import { EngineError } from '../engine-error.js'

const short = (text: string, charactersMax = 80) =>
  // By whole characters: half an emoji is not text.
  text.length > charactersMax
    ? `${[...text]
        .slice(0, charactersMax - 1)
        .join('')
        .trimEnd()}…`
    : text

export const refused = (message: string, said: string) => new EngineError('refused', message, { said })

export const notUnderstood = (clause: string, can: string) =>
  refused('a part of the prompt was not understood', `"${short(clause)}" was not understood; ${can}`)

export const notFound = (what: string) =>
  refused('what is to be changed was not found', `no ${what} was found in the image`)

export const nothingChanges = () =>
  refused(
    'the edit changes nothing',
    'the image would stay as it is: what the prompt asks to change is not in it, or is asked to change by nothing',
  )

export const tooLong = (format: string, sideMax: number) =>
  refused('the result does not fit its format', `a ${format} picture has at most ${sideMax} pixels on a side`)

export const unreadable = (name: string) =>
  new EngineError('unreadable', 'an input image cannot be decoded', { said: `${name} is cut off or broken` })

export const waysToSayWhere =
  'say where: with a mask that is transparent there, with transparent pixels in the image, with a place such as "remove the object in the top left corner" or "erase the area from 10%,20% to 40%,60%", or with a thing such as "remove the dog"'
