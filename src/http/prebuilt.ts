import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import negotiator from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressFromBytes } from './paid.js'

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

const plainHeaders = { 'content-type': 'application/json; charset=utf-8', vary: 'accept-encoding' }
const brHeaders = { ...plainHeaders, 'content-encoding': 'br' }
const gzipHeaders = { ...plainHeaders, 'content-encoding': 'gzip' }

/** The form of an answer that suits the client best. */
export const choose = ({ plain, gzip, br }: Prebuilt, accepted: string | string[] | undefined) => {
  const encoding =
    accepted === undefined || plain.length < compressFromBytes
      ? null
      : negotiator.negotiate(String(accepted), ['br', 'gzip'])
  if (encoding === 'br') return { headers: brHeaders, body: br() }
  if (encoding === 'gzip') return { headers: gzipHeaders, body: gzip() }
  return { headers: plainHeaders, body: plain }
}

export const sendPrebuilt = (request: FastifyRequest, reply: FastifyReply, prebuilt: Prebuilt) => {
  const { headers, body } = choose(prebuilt, request.headers['accept-encoding'])
  void reply.headers(headers).send(body)
}
