import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createRawServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { FetchRefused, type RefusalReason } from './fetch-refused.js'
import { createGuardedFetch, type FetchOptions } from './guarded-fetch.js'
import { isPublicAddress } from './public-address.js'
import type { Address, Resolve } from './visit.js'

const ipv4 = (address: string): Address => ({ address, family: 4 })
const somewherePublic = ipv4('93.184.216.34')
const here = [ipv4('127.0.0.1')]
const usual: FetchOptions = {
  bytesMax: 10_000,
  timeoutMs: 60_000,
  redirectsMax: 3,
  signal: new AbortController().signal,
}
const refused = (reason: RefusalReason) => (error: unknown) => error instanceof FetchRefused && error.reason === reason

const listen = async (context: TestContext, server: Server): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A site on this machine that believes to be public: names resolve to a public address, which is reached here. */
const openSite = async (context: TestContext, answer: RequestListener, resolve?: Resolve) => {
  const server = createServer(answer)
  context.after(() => server.closeAllConnections())
  const port = await listen(context, server)
  const reached: string[] = []
  const guarded = createGuardedFetch({
    resolve: resolve ?? (async () => [somewherePublic]),
    reach: (checked) => {
      reached.push(...checked.map(({ address }) => address))
      return here
    },
  })
  const get = (path: string, options: Partial<FetchOptions> = {}) =>
    guarded.get(path.startsWith('/') ? `http://site.example:${port}${path}` : path, { ...usual, ...options })
  return { get, reached, port }
}

test('a page is fetched, with its type and where it was found', async (context) => {
  const { get, port } = await openSite(context, (_request, response) =>
    response.setHeader('content-type', 'Text/Plain; charset=utf-8').end('hello'),
  )
  assert.deepEqual(await get('/a?b=c'), {
    url: `http://site.example:${port}/a?b=c`,
    contentType: 'text/plain',
    bytes: Buffer.from('hello'),
  })
})

test('addresses that are not public are refused, however they are written', async () => {
  const guarded = createGuardedFetch({ resolve: async () => assert.fail('numbers need no name server') })
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '１２７.0.0.1', '127.0.0.1.'],
    ...['0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['168.63.129.16', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]', '[::127.0.0.1]', '[fe80::1]'],
    ...['[fd00:ec2::254]', '[fec0::1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001::1]'],
    ...['[2001:db8::1]', '[ff02::1]', '[100::1]', '[4000::1]', '[3fff::1]'],
  ]
  for (const host of hosts) await assert.rejects(guarded.get(`http://${host}/`, usual), refused('address'), host)
})

test('names that lead to private addresses are refused, also when public ones are among them', async () => {
  for (const addresses of [['10.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1']]) {
    const guarded = createGuardedFetch({ resolve: async () => addresses.map(ipv4) })
    await assert.rejects(guarded.get('https://localhost.example/', usual), refused('address'))
  }
  await assert.rejects(createGuardedFetch().get('http://localhost/', usual), refused('address'))
})

test('a name that answers publicly first and privately later is asked once, and its first answer is used', async (context) => {
  const answers = [somewherePublic, ipv4('127.0.0.1')]
  let asked = 0
  const { get, reached } = await openSite(
    context,
    (_request, response) => response.end('public'),
    async () => [answers[asked++] as Address],
  )
  assert.equal((await get('/')).bytes.toString(), 'public')
  assert.deepEqual([asked, reached], [1, ['93.184.216.34']])
  await assert.rejects(get('/'), refused('address'))
})

test('a redirect to what is not public is refused', async (context) => {
  for (const target of [
    'http://127.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'file:///etc/passwd',
    'http://a:b@x.example/',
  ]) {
    const { get } = await openSite(context, (_request, response) => response.writeHead(302, { location: target }).end())
    await assert.rejects(get('/'), refused('address'), target)
  }
})

test('redirects are followed as far as allowed, and not in circles', async (context) => {
  const { get, port } = await openSite(context, (request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(307, { location: request.url === '/99' ? '/99' : `${left - 1}` }).end()
  })
  assert.equal((await get('/3')).url, `http://site.example:${port}/0`)
  await assert.rejects(get('/4'), refused('redirect'))
  await assert.rejects(get('/99'), refused('redirect'))
  await assert.rejects(get('/1', { redirectsMax: 0 }), (error: Error) => error.message === 'must not redirect')
})

test('only http and https are spoken, without credentials, on usual ports', async () => {
  const guarded = createGuardedFetch({ resolve: async () => [somewherePublic] })
  const urls = [
    'ftp://site.example/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'javascript:1',
    'not a url',
    '//x',
    '',
  ]
  urls.push(
    'http://user@site.example/',
    'http://:secret@site.example/',
    'http://site.example:25/',
    'http://x.example:22/',
  )
  urls.push(`http://site.example/${'a'.repeat(9000)}`)
  for (const url of urls) await assert.rejects(guarded.get(url, usual), refused('address'), url)
})

test('a body without end is cut off at the limit, also when no length was announced', async (context) => {
  const { get } = await openSite(context, (request, response) => {
    if (request.url === '/announced') response.setHeader('content-length', 1_000_000)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1000))) {}
      response.once('drain', more)
    }
    more()
  })
  await assert.rejects(get('/endless'), refused('size'))
  await assert.rejects(get('/announced'), refused('size'))
})

test('what is compressed is unpacked, and a bomb is not', async (context) => {
  const small = Buffer.from('small and fine')
  const huge = Buffer.alloc(5_000_000)
  const { get } = await openSite(context, (request, response) => {
    if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync(small))
    else if (request.url === '/br') response.setHeader('content-encoding', 'BR').end(brotliCompressSync(small))
    else if (request.url === '/bomb') response.setHeader('content-encoding', 'gzip').end(gzipSync(huge))
    else if (request.url === '/broken') response.setHeader('content-encoding', 'gzip').end('this is not gzip')
    else response.setHeader('content-encoding', 'gzip, gzip').end(gzipSync(gzipSync(small)))
  })
  assert.deepEqual((await get('/gzip')).bytes, small)
  assert.deepEqual((await get('/br')).bytes, small)
  await assert.rejects(get('/bomb'), refused('size'))
  await assert.rejects(get('/broken'), refused('unreachable'))
  await assert.rejects(get('/twice'), refused('type'))
})

test('who is silent for too long is left, before the first byte and within the body', async (context) => {
  for (const path of ['/silent', '/halting']) {
    const late = new AbortController()
    const server = createServer((_request, response) => {
      if (path === '/halting') response.write('a beginning', () => late.abort())
      else late.abort()
    })
    context.after(() => server.closeAllConnections())
    const port = await listen(context, server)
    const guarded = createGuardedFetch({ allowPrivate: true, deadline: () => late.signal })
    await assert.rejects(guarded.get(`http://127.0.0.1:${port}${path}`, usual), refused('timeout'))
  }
  const late = new AbortController()
  const resolve = () => new Promise<Address[]>(() => late.abort())
  const guarded = createGuardedFetch({ resolve, deadline: () => late.signal })
  await assert.rejects(guarded.get('http://slow-name.example/', usual), refused('timeout'))
})

test('a caller who leaves ends the fetch with their own reason', async (context) => {
  const leaving = new AbortController()
  const { get } = await openSite(context, () => leaving.abort(new Error('left')))
  await assert.rejects(get('/', { signal: leaving.signal }), /^Error: left$/)
})

test('huge headers, other statuses, other types and what is not HTTP are refused', async (context) => {
  const { get } = await openSite(context, (request, response) => {
    if (request.url === '/headers') response.setHeader('x-huge', 'a'.repeat(20_000))
    response.statusCode = request.url === '/404' ? 404 : 200
    response.setHeader('content-type', 'text/html').end('<p>')
  })
  await assert.rejects(get('/headers'), refused('unreachable'))
  await assert.rejects(get('/404'), (error: Error) => error.message === 'answered with status 404')
  await assert.rejects(get('/', { contentType: /^video\// }), refused('type'))
  const raw = createRawServer((socket) => {
    socket.on('error', () => {})
    socket.end('220 mail.example ESMTP\r\n')
  })
  const port = await listen(context, raw)
  const guarded = createGuardedFetch({ allowPrivate: true })
  await assert.rejects(guarded.get(`http://127.0.0.1:${port}/`, usual), refused('unreachable'))
})

test('a host that cannot be found is told apart from one that is refused', async () => {
  const guarded = createGuardedFetch({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  await assert.rejects(guarded.get('http://nowhere.example/', usual), refused('unreachable'))
  const empty = createGuardedFetch({ resolve: async () => [] })
  await assert.rejects(empty.get('http://nowhere.example/', usual), refused('unreachable'))
})

test('no private IPv4 address is public in any IPv6 dress', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const hex = (a: number, b: number) => ((a << 8) | b).toString(16)
  fc.assert(
    fc.property(byte, byte, byte, (b, c, d) => {
      assert.ok(!isPublicAddress(`10.${b}.${c}.${d}`))
      const tail = `${hex(10, b)}:${hex(c, d)}`
      for (const prefix of ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '::ffff:0:'])
        assert.ok(!isPublicAddress(prefix + tail), prefix + tail)
      assert.ok(!isPublicAddress(`2002:${tail}::1`))
    }),
  )
  for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700::1111']) assert.ok(isPublicAddress(address))
})
