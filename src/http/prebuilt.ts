import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import negotiator from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A JSON answer that stays the same for a while: serialised once, and compressed once when somebody first asks for it. */
export type Prebuilt = { plain: Buffer; gzip(): Buffer; br(): Buffer }

const once = <T>(make: () => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export const prebuild = (value: unknown): Prebuilt => {
  const plain = Buffer.from(JSON.stringify(value))
  return {
    plain,
    gzip: once(() => gzipSync(plain)),
    br: once(() => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })),
  }
}

/** Below this the headers weigh more than what compression saves. */
const compressFromBytes = 1024

export const sendPrebuilt = (request: FastifyRequest, reply: FastifyReply, { plain, gzip, br }: Prebuilt) => {
  const accepted = request.headers['accept-encoding']
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' }
  let body = plain
  if (accepted !== undefined && plain.length >= compressFromBytes) {
    const encoding = negotiator.negotiate(accepted, ['br', 'gzip'])
    if (encoding !== null) {
      headers['content-encoding'] = encoding
      body = encoding === 'br' ? br() : gzip()
    }
  }
  void reply.headers(headers).send(body)
}
