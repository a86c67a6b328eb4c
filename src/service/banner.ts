import { relative } from 'node:path'
import type { FirstStart } from './first-start.js'

type Needs = { url: string; first: FirstStart; hasChosenKey: boolean; models: number }

/** What a person sees once the service is ready. The curl line works when pasted. */
export const banner = ({ url, first: { generatedKey, keyFile }, hasChosenKey, models }: Needs): string => {
  const file = relative(process.cwd(), keyFile) || keyFile
  const key = generatedKey ?? (hasChosenKey ? '$TESSERA_ADMIN_KEY' : `$(cat '${file}')`)
  const keyLine =
    generatedKey !== undefined
      ? `  ADMIN key   ${generatedKey}\n              shown once; kept in ${file}, with 100 USD of trial credit`
      : `  ADMIN key   ${hasChosenKey ? 'the value of TESSERA_ADMIN_KEY' : `in ${file}`}`
  return `
Tessera is ready, with ${models} models.

  Base URL    ${url}/api/v1
  Reference   ${url}/docs
${keyLine}

Try it:
  curl ${url}/api/v1/api_keys -H "Authorization: Bearer ${key}"
`
}
