import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { type EditKind, editModelIds } from '#capabilities/images/edit-models.js'
import type { Catalog } from '#catalog/catalog.js'
import { withEnumerations } from './openapi.js'
import { type Prebuilt, prebuild, sendPrebuilt } from './prebuilt.js'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tessera API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/show.js"></script>
  </body>
</html>
`

const show = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  showToolbar: 'never',
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

/** The page works on a machine without internet, and the browser makes sure of it. */
const onlyFromHere =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:"

/** The interface description, with the models that there are now. */
export const describe = (app: FastifyInstance, catalog: Catalog) =>
  withEnumerations(app.swagger(), (among) => editModelIds(catalog, among as EditKind))

/** The interface description as JSON, and a page to read and try it. */
export const serveDocs = async (app: FastifyInstance, catalog: () => Catalog) => {
  const open = { config: { access: 'open' as const } }
  const script = await readFile(
    fileURLToPath(new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'))),
  )
  let description: { from: Catalog; prebuilt: Prebuilt } | undefined

  app.get('/openapi.json', open, (request, reply) => {
    const from = catalog()
    if (description?.from !== from) description = { from, prebuilt: prebuild(describe(app, from)) }
    sendPrebuilt(request, reply, description.prebuilt)
  })
  // Whoever opens the bare address in a browser wants to see something.
  app.get('/', open, (_request, reply) => reply.redirect('/docs'))
  app.get('/docs', open, (_request, reply) =>
    reply.headers({ 'content-security-policy': onlyFromHere }).type('text/html; charset=utf-8').send(page),
  )
  const javascript = 'text/javascript; charset=utf-8'
  app.get('/docs/show.js', open, (_request, reply) => reply.type(javascript).send(show))
  app.get('/docs/reference.js', open, (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=86400' }).type(javascript).send(script),
  )
}
