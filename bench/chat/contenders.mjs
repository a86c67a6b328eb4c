// Who stands between the load generator and the upstream: nobody, nginx, a bare proxy, a gateway of others, and we.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchOnce, forkServer, startService, untilReady } from '../contenders.mjs'
import { freePort } from '../processes.mjs'
import { askChat, chatExpected } from './talk.mjs'

/** The upstream in a process of its own, and two questions that it answers. */
const startUpstream = async (stage, { nodeArgs }) => {
  const { child, pid, origin } = await forkServer(stage, 'chat/upstream.mjs', { nodeArgs })
  const tell = async (wanted) => {
    child.send(wanted)
    const [{ reached }] = await once(child, 'message')
    return reached
  }
  return { pid, origin, set: tell, countReached: () => tell({}) }
}

const nginxConfig = ({ folder, port, upstream, isStream }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr crit;
${process.getuid() === 0 ? 'user root;' : ''}
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  upstream mock { server ${new URL(upstream.origin).host}; keepalive 1024; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering ${isStream ? 'off' : 'on'};
    }
  }
}
`

const startNginx = async (stage, { upstream, isStream }) => {
  if (spawnSync('nginx', ['-v']).error) return { leftOut: 'it is not installed' }
  const folder = stage.folder()
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxConfig({ folder, port, upstream, isStream }))
  const child = stage.launch('nginx', ['-p', folder, '-c', file, '-e', 'stderr'])
  const origin = `http://127.0.0.1:${port}`
  await untilReady(child, { name: 'nginx', url: origin, port })
  return { pid: child.pid, baseUrl: `${origin}/v1` }
}

const startPassThrough = async (stage, { upstream, nodeArgs }) => {
  const message = { origin: upstream.origin }
  const { pid, origin } = await forkServer(stage, 'chat/pass-through.mjs', { nodeArgs, message })
  return { pid, baseUrl: `${origin}/v1` }
}

const startPortkey = async (stage, { upstream, portkey }) => {
  if (portkey.leftOut !== undefined) return portkey
  const port = await freePort()
  const child = stage.launch(process.execPath, [portkey.file, `--port=${port}`, '--headless'], {
    NODE_ENV: 'production',
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
  })
  const origin = `http://127.0.0.1:${port}`
  try {
    await untilReady(child, { name: 'portkey', url: origin, port })
  } catch (error) {
    return { leftOut: error.message }
  }
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream.origin}/v1` }
  return { pid: child.pid, baseUrl: `${origin}/v1`, headers: { authorization: 'Bearer sk-bench', ...headers } }
}

/** So many that no request is held back, whatever group the model is in. */
const unlimited = '{ rpm: 100000000, tpm: 1000000000000 }'

const serviceConfig = (upstream) => `
upstreams: { mock: { kind: openai, baseUrl: "${upstream.origin}/v1" } }
models:
  - id: bench-chat
    type: text
    engine: { upstream: mock }
    contextTokens: 100000
    maxCompletionTokens: 1000
    pricing: { input: "0.001", output: "0.001" }
limits: { tiers: { paid: { ${['XS', 'S', 'M', 'L', 'image'].map((size) => `${size}: ${unlimited}`).join(', ')} } } }
`

/** As in production: a key, a hold, a settlement and a log line for every request. */
const startTessera = (stage, { upstream, nodeArgs }) => {
  const file = join(stage.folder(), 'tessera.yaml')
  writeFileSync(file, serviceConfig(upstream))
  return startService(stage, { nodeArgs, env: { TESSERA_CONFIG: file } })
}

const starters = { nginx: startNginx, undici: startPassThrough, portkey: startPortkey, tessera: startTessera }
const contenderNames = ['direct', ...Object.keys(starters)]

/** What is wrong with an answer, in words, before anything is measured. */
const findFault = ({ status, body }, isStream) => {
  const wanted = isStream ? ['"total_tokens":', 'data: [DONE]\n\n'] : chatExpected.contains
  if (status === 200 && wanted.every((text) => body.includes(text))) return undefined
  return `it answered ${status}: ${body.toString().slice(0, 300)}`
}

/**
 * Starts the upstream and those in front of it that are wanted. Others' programs that cannot be had or do not work are
 * left out by name; ours must work.
 */
export const startContenders = async (stage, options) => {
  const { isStream, only = contenderNames } = options
  const unknown = only.find((name) => !contenderNames.includes(name))
  if (unknown !== undefined)
    throw new Error(`There is no contender '${unknown}'; there are: ${contenderNames.join(', ')}.`)
  const upstream = await startUpstream(stage, options)
  const contenders = []
  const leftOut = []
  const take = async (name, { baseUrl, headers, ...rest }) => {
    const request = askChat({ baseUrl, headers, isStream })
    const fault = findFault(await fetchOnce(request), isStream)
    if (fault === undefined)
      contenders.push({ name, request, expected: chatExpected, upstream, countReached: upstream.countReached, ...rest })
    else if (name === 'portkey') leftOut.push({ name, reason: fault })
    else throw new Error(`${name} does not work: ${fault}`)
  }
  await take('direct', { pid: upstream.pid, baseUrl: `${upstream.origin}/v1` })
  for (const [name, start] of Object.entries(starters)) {
    if (!only.includes(name)) continue
    const started = await start(stage, { ...options, upstream })
    if (started.leftOut === undefined) await take(name, started)
    else leftOut.push({ name, reason: started.leftOut })
  }
  return { contenders, leftOut }
}
