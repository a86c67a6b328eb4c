import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#contract/errors.js'
import type { Picture } from '#engines/image.js'
import type { Finish } from '#engines/pixels/pixels.js'
import { neverStops } from '#plumbing/stop-signal.js'
import { createJudge } from './judge.js'

const picture = (name: string): Picture => ({ bytes: Buffer.from(name), format: 'png' })

/** Looks by the name of a picture: real pictures of this kind are not for tests. */
const openJudge = ({ isAway = false } = {}) => {
  const finished: Finish[] = []
  const judge = createJudge({
    safety: {
      async look(bytes) {
        if (isAway) throw new Error('the model is away')
        const name = Buffer.from(bytes).toString()
        const [isAdult, containsMinor] = [name.includes('adult'), name.includes('minor')]
        return { isAdult, containsMinor } as never
      },
    },
    pixels: {
      async finish(made, order) {
        finished.push(order)
        return { ...made, format: order.format }
      },
    },
    onTrouble: () => {},
  })
  const look = (names: string[], rules: object = {}) =>
    judge(names.map(picture), { modelId: 'm', isSafe: true, forbidsAdult: false, format: 'png', ...rules }, neverStops)
  return { look, finished }
}

const said = (headers: Record<string, string>) =>
  ['blurred', 'content-violation', 'adult-model-content-violation']
    .map((name) => headers[`x-svc-is-${name}`])
    .concat(headers['x-svc-contains-minor'])
    .join(' ')

test('a harmless picture passes untouched', async () => {
  const { look, finished } = openJudge()
  const { pictures, headers } = await look(['flowers'])
  assert.equal(Buffer.from(pictures[0]?.bytes ?? []).toString(), 'flowers')
  assert.equal(said(headers), 'false false false false')
  assert.deepEqual(finished, [])
})

test('safe mode blurs adult content, and only the pictures that show it', async () => {
  const { look, finished } = openJudge()
  const { headers } = await look(['flowers', 'adult'])
  assert.equal(said(headers), 'true false false false')
  assert.deepEqual(finished, [{ format: 'png', isBlurred: true, note: undefined }])
  assert.equal(said((await look(['adult'], { isSafe: false })).headers), 'false false false false')
})

test('a model that must not show adult content hides it also without safe mode, and says that it is a violation', async () => {
  const { look, finished } = openJudge()
  assert.equal(said((await look(['adult'], { isSafe: false, forbidsAdult: true })).headers), 'true true false false')
  assert.equal(finished[0]?.isBlurred, true)
})

test('adult content with a minor is never given to anybody', async () => {
  for (const isSafe of [true, false])
    await assert.rejects(openJudge().look(['adult minor'], { isSafe }), (error) => {
      assert.ok(error instanceof Failure)
      assert.deepEqual([error.status, error.code], [422, 'CONTENT_POLICY_VIOLATION'])
      assert.equal(
        said(error.headers),
        'true true true true'.replace('true true true', isSafe ? 'true true true' : 'false true true'),
      )
      return true
    })
  assert.equal(said((await openJudge().look(['minor'])).headers), 'false false false true')
})

test('without eyes, nothing is promised: safe mode fails, and who switched it off is served', async () => {
  const { look } = openJudge({ isAway: true })
  await assert.rejects(look(['flowers']), (error) => error instanceof Failure && error.status === 503)
  const { headers } = await look(['flowers'], { isSafe: false })
  assert.equal(headers['x-svc-contains-minor'], undefined)
})

test('another format, or a note, is made afterwards', async () => {
  const { look, finished } = openJudge()
  const { pictures } = await look(['flowers'], { format: 'webp', note: 'seed 1' })
  assert.equal(pictures[0]?.format, 'webp')
  assert.deepEqual(finished, [{ format: 'webp', isBlurred: false, note: 'seed 1' }])
})
