import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#contract/errors.js'
import { refuseUnavailable, resolveParameters, splitModelName } from './service-parameters.js'

test('parameters may follow the model name', () => {
  assert.deepEqual(splitModelName('acme:enable_web_search=auto&strip_thinking_response=true'), {
    name: 'acme',
    suffix: { enable_web_search: 'auto', strip_thinking_response: true },
  })
  assert.deepEqual(splitModelName('acme:web'), { name: 'acme', suffix: { enable_web_search: 'on' } })
  assert.deepEqual(splitModelName('acme:character_slug=a=b'), { name: 'acme', suffix: { character_slug: 'a=b' } })
})

test('a colon without an equals sign belongs to the name, and unknown parameters are ignored', () => {
  assert.deepEqual(splitModelName('llama3:8b'), { name: 'llama3:8b', suffix: {} })
  assert.deepEqual(splitModelName('acme:unknown=1'), { name: 'acme', suffix: {} })
})

test('a wrong value is refused by name', () => {
  for (const written of ['m:disable_thinking=yes', 'm:enable_web_search=maybe', 'm:character_slug='])
    assert.throws(
      () => splitModelName(written),
      (error) => error instanceof Failure && error.status === 400,
    )
})

test('the body goes before the name, and both before the defaults; true and false mean on and off', () => {
  const resolved = resolveParameters({ disable_thinking: true, enable_web_search: 'auto' }, { disable_thinking: false })
  assert.equal(resolved.disable_thinking, false)
  assert.equal(resolved.enable_web_search, 'auto')
  assert.equal(resolveParameters({}, { enable_web_search: true }).enable_web_search, 'on')
  assert.equal(resolveParameters({}, { enable_web_search: false }).enable_web_search, 'off')
})

test('the echo names every parameter, and an unset one has its default', () => {
  assert.deepEqual(resolveParameters({}, undefined), {
    enable_e2ee: true,
    enable_web_search: 'off',
    enable_web_citations: false,
    enable_web_scraping: false,
    enable_x_search: false,
    include_service_system_prompt: true,
    include_search_results_in_stream: false,
    return_search_results_as_documents: false,
    strip_thinking_response: false,
    disable_thinking: false,
    web_search_citations: [],
  })
})

test('what the service cannot do is refused; `auto` leaves it to the service', () => {
  const refusal = (sent: Parameters<typeof resolveParameters>[1]) => {
    try {
      refuseUnavailable(resolveParameters({}, sent))
      return undefined
    } catch (error) {
      return error instanceof Failure ? error.code : error
    }
  }
  assert.equal(refusal({ enable_web_search: 'on' }), 'UNSUPPORTED_FEATURE')
  assert.equal(refusal({ enable_web_scraping: true }), 'UNSUPPORTED_FEATURE')
  assert.equal(refusal({ character_slug: 'alan' }), 'CHARACTER_NOT_FOUND')
  assert.equal(refusal({ enable_web_search: 'auto' }), undefined)
})
