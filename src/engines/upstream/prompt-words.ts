import { EngineError } from '../engine-error.js'

/** The backends know no styles by name, but their models understand the words. */
export const withStyle = (prompt: string, style: string | undefined): string =>
  style === undefined ? prompt : `${prompt}, ${style} style`

/** For a wish that must not be passed over in silence. `what` is for the caller: 'more than one image'. */
export const unsupported = (what: string): EngineError =>
  new EngineError('unsupported', `the upstream cannot do ${what}`, { said: what })
