import type { IncomingHttpHeaders } from 'node:http'
import { systemClock } from '#plumbing/clock.js'
import { EngineError, type EngineTrouble } from '../engine-error.js'

/** What an upstream says is passed on in part only, and to callers who know nothing of the upstream. */
const saidCharactersMax = 500

/** How servers say that prompt and completion do not fit: vLLM, llama.cpp, SGLang, TGI, Ollama, OpenAI, Anthropic. */
const tooLongWords =
  /context[ _-]?(length|size|window|limit)|exceed_context|prompt is too long|input is too long|maximum number of tokens|tokens`? must be <=/i

const addresses = /\bhttps?:\/\/[^\s"'<>)]+/gi
const credentials = /\b(?:bearer\s+\S+|(?:sk|pk|key)[-_][\w-]{8,})/gi
// Everything that is not a character to look at, line ends included.
const unprintable = /[\p{C}\p{Z}]+/gu

type ErrorBody = { said: string; code: string; status: number; parameter: string }

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The first text in the places where servers put their message. FastAPI gives a list, of which the first tells enough. */
const firstText = (...places: unknown[]): string => {
  for (const place of places) {
    if (typeof place === 'string') return place
    if (Array.isArray(place)) {
      const [first] = place
      if (isObject(first) && typeof first.msg === 'string') return first.msg
    }
  }
  return ''
}

/** The field that is wrong: OpenAI names it, FastAPI says where it stands. */
const parameterIn = (error: Record<string, unknown>, detail: unknown): string => {
  const [first] = Array.isArray(detail) ? detail : []
  const place: unknown = isObject(first) && Array.isArray(first.loc) ? first.loc.at(-1) : undefined
  const name = error.param ?? place
  return typeof name === 'string' && /^[\w.[\]-]{1,64}$/.test(name) ? name : ''
}

const readErrorObject = (body: unknown): ErrorBody => {
  if (!isObject(body)) return { said: '', code: '', status: Number.NaN, parameter: '' }
  const error = isObject(body.error) ? body.error : body
  return {
    said: firstText(error.message, body.error, body.message, body.detail),
    code: [error.code, error.type, body.error_type].filter((part) => typeof part === 'string').join(' '),
    status: Number(error.code),
    parameter: parameterIn(error, body.detail),
  }
}

/** Undefined for what is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const waitMs = (headers: IncomingHttpHeaders): number | undefined => {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const after = headers['retry-after']
  if (after === undefined) return undefined
  const seconds = Number(after)
  const ms = Number.isNaN(seconds) ? Date.parse(after) - systemClock.nowMs() : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

const byStatus = (status: number, code: string, mayWait: boolean): EngineTrouble => {
  // Our own account at the upstream is used up: waiting a moment will not help.
  if (code.includes('insufficient_quota')) return 'unavailable'
  if (status === 429 || status === 529 || (status === 503 && mayWait)) return 'overloaded'
  return status === 400 || status === 413 || status === 422 ? 'refused' : 'unavailable'
}

/** Whether an upstream complains about the field of this name, and not about something that a caller wrote. */
export const isParameterRefused = (error: unknown, name: string): boolean => {
  if (!(error instanceof EngineError) || error.trouble !== 'refused') return false
  const parameter = (error.cause as { parameter?: string } | undefined)?.parameter
  if (parameter !== undefined) return parameter === name
  const complaint = new RegExp(
    `['"\`]${name}['"\`]|\\b(?:parameters?|fields?|arguments?|propert(?:y|ies)):? ${name}\\b`,
  )
  return complaint.test(error.said ?? '')
}

/** Turns what goes wrong with an upstream into the words that all engines share. */
export const createTroubles = (secrets: string[]) => {
  const clean = (text: string): string => {
    let cleaned = text.slice(0, 64 * 1024)
    for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[removed]')
    cleaned = cleaned.replace(addresses, '[removed]').replace(credentials, '[removed]').replace(unprintable, ' ').trim()
    return cleaned.length > saidCharactersMax ? `${cleaned.slice(0, saidCharactersMax - 1)}…` : cleaned
  }

  const refused = (status: string, { said, code, parameter }: ErrorBody) => {
    const cleaned = clean(said)
    const trouble = tooLongWords.test(code) || tooLongWords.test(said) ? 'tooLong' : 'refused'
    // Its reason may quote the prompt, so it goes to the caller and not into the log.
    return new EngineError(trouble, `the upstream refused the request (${status})`, {
      ...(cleaned !== '' && { said: cleaned }),
      ...(parameter !== '' && { cause: Object.assign(new Error('a parameter was refused'), { parameter }) }),
    })
  }

  return {
    /** An answer with a status that is not 2xx. */
    fromAnswer(status: number, headers: IncomingHttpHeaders, body: string): EngineError {
      const error = readErrorObject(parseJson(body))
      const retryAfterMs = waitMs(headers)
      const trouble = byStatus(status, error.code, retryAfterMs !== undefined)
      if (trouble === 'refused') return refused(String(status), error)
      // What operators can mend, they are told: a wrong key, a model that is not there. Other reasons may quote a prompt.
      const isOurFault = status === 401 || status === 404
      const reason = isOurFault ? clean(error.said) : ''
      return new EngineError(
        trouble,
        `the upstream answered ${status}${reason === '' ? '' : `: ${reason}`}`,
        retryAfterMs === undefined ? {} : { retryAfterMs },
      )
    },

    /** An error that came inside a stream whose status was 200 already, in the same shapes. */
    fromEvent(body: unknown): EngineError {
      const error = readErrorObject(body)
      const isTooLong = tooLongWords.test(error.code) || tooLongWords.test(error.said)
      const trouble = /overloaded|rate_limit/.test(error.code)
        ? 'overloaded'
        : byStatus(error.status, error.code, false)
      if (isTooLong || trouble === 'refused' || error.code.includes('invalid_request'))
        return refused('in the stream', error)
      return new EngineError(trouble, `the upstream failed in the middle of its answer (${trouble})`)
    },

    /** What undici reports: no connection, a connection that was lost, or bytes that are not HTTP. */
    fromConnection(error: Error & { code?: string }, hasStarted: boolean): EngineError {
      const { code = error.name } = error
      if (code === 'UND_ERR_CONNECT_TIMEOUT')
        return new EngineError('timeout', 'connecting to the upstream took too long')
      // The error itself is not kept as a cause: that of the HTTP parser carries what was received.
      if (hasStarted) return new EngineError('broken', `the upstream ended in the middle of its answer (${code})`)
      if (error.name === 'HTTPParserError' || code.startsWith('UND_ERR_HEADERS') || code.startsWith('UND_ERR_RES'))
        return new EngineError('broken', `what the upstream sent is not HTTP (${code})`)
      const cause = Object.assign(new Error('no connection'), { code })
      return new EngineError('unavailable', `the upstream cannot be reached (${code})`, { cause })
    },
  }
}
export type Troubles = ReturnType<typeof createTroubles>
