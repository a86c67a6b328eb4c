import type { ChatRequest, ServiceParameters, ServiceParametersEcho } from '#contract/chat.js'
import { fail, failField } from '#contract/errors.js'

const defaults = {
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
} as const

type Suffix = Partial<Record<keyof ServiceParameters, unknown>>

/**
 * Takes the parameters off a model name: `<model>:<name>=<value>&<name>=<value>`, and `:web` for short. A colon that no `=`
 * follows belongs to the name itself.
 */
export const splitModelName = (written: string): { name: string; suffix: Suffix } => {
  const name = modelNameIn(written)
  if (written === `${name}:web`) return { name, suffix: { enable_web_search: 'on' } }
  const suffix: Suffix = {}
  for (const pair of written.slice(name.length + 1).split('&')) {
    const [field = '', ...rest] = pair.split('=')
    if (field in defaults || field === 'character_slug')
      suffix[field as keyof ServiceParameters] = readValue(field, rest.join('='))
  }
  return { name, suffix }
}

/** The same without looking at the settings, which may be wrong. Names of other services may hold colons, too. */
export const modelNameIn = (written: string): string => {
  if (written.endsWith(':web')) return written.slice(0, -4)
  const equals = written.indexOf('=')
  const colon = equals < 0 ? -1 : written.indexOf(':')
  return colon < 0 || colon > equals ? written : written.slice(0, colon)
}

const readValue = (name: string, text: string): unknown => {
  if (name === 'character_slug') {
    if (text === '') throw failField('model', 'names no character after character_slug=')
    return text
  }
  if (name === 'enable_web_search') {
    if (!['on', 'off', 'auto', 'true', 'false'].includes(text))
      throw failField('model', 'must have enable_web_search=off, on or auto')
    return text === 'true' ? true : text === 'false' ? false : text
  }
  if (text !== 'true' && text !== 'false') throw failField('model', `must have ${name}=true or ${name}=false`)
  return text === 'true'
}

const noParameters: ServiceParametersEcho = { ...defaults, web_search_citations: [] }

/** What holds for this request: the body goes before the model name, and both before the defaults. */
export const resolveParameters = (suffix: Suffix, sent: ChatRequest['service_parameters']): ServiceParametersEcho => {
  if (!sent && Object.keys(suffix).length === 0) return noParameters
  const asked = { ...suffix, ...sent } as ServiceParameters
  const echo: ServiceParametersEcho = { ...noParameters }
  for (const name of Object.keys(defaults) as (keyof typeof defaults)[])
    if (asked[name] !== undefined) Object.assign(echo, { [name]: asked[name] })
  const search = asked.enable_web_search
  if (typeof search === 'boolean') echo.enable_web_search = search ? 'on' : 'off'
  if (asked.character_slug !== undefined) echo.character_slug = asked.character_slug
  return echo
}

/** What only a later part of the service will be able to do is refused instead of being silently left out. */
export const refuseUnavailable = (parameters: ServiceParametersEcho) => {
  if (parameters.character_slug !== undefined) throw fail('characterNotFound', parameters.character_slug)
  const unavailable = [
    parameters.enable_web_search === 'on' && 'enable_web_search',
    parameters.enable_web_scraping && 'enable_web_scraping',
    parameters.enable_x_search && 'enable_x_search',
  ].filter((name) => name !== false)
  if (unavailable.length > 0)
    throw fail('unsupportedFeature', `service_parameters.${unavailable[0]}`, 'this service has no search provider')
}
