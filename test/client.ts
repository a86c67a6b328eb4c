import { request } from 'undici'
import { createAnswerCheck } from './openapi.js'

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  text: string
}

type Sent = { body?: unknown; headers?: Record<string, string>; raw?: string | Buffer }

let check: ReturnType<typeof createAnswerCheck> | undefined

/** Speaks to a service over real HTTP and holds every answer against openapi.json. */
export const createClient = (base: string, key?: string) => {
  const send = async (method: string, path: string, { body, headers = {}, raw }: Sent = {}): Promise<Answer> => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await request(`${base}${path}`, {
      method: method as 'GET',
      headers: {
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload }),
    })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).includes('json') && !answer.headers['content-encoding']
    const type = String(answer.headers['content-type']).split(';', 1)[0] ?? ''
    const parsed = isJson && text !== '' ? JSON.parse(text) : undefined
    check ??= createAnswerCheck()
    if (!answer.headers['content-encoding'])
      check(
        method,
        new URL(`${base}${path}`).pathname,
        answer.statusCode,
        isJson ? parsed : text,
        isJson ? undefined : type,
      )
    return { status: answer.statusCode, headers: answer.headers, body: parsed, text }
  }
  return {
    send,
    get: (path: string, sent?: Sent) => send('GET', path, sent),
    post: (path: string, body?: unknown, sent?: Sent) => send('POST', path, { body, ...sent }),
    patch: (path: string, body?: unknown, sent?: Sent) => send('PATCH', path, { body, ...sent }),
    delete: (path: string, sent?: Sent) => send('DELETE', path, sent),
    as: (otherKey: string) => createClient(base, otherKey),
  }
}
