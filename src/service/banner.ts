import { relative } from 'node:path'
import type { AdminKey } from './first-start.js'

type Needs = { url: string; adminKey: AdminKey; models: number }

/** What a person sees once the service is ready. The curl line works when pasted. */
export const banner = ({ url, adminKey, models }: Needs): string => {
  const { says, sends } = describeKey(adminKey)
  return `
Tessera is ready, with ${models} models.

  Base URL    ${url}/api/v1
  Reference   ${url}/docs
  ADMIN key   ${says}

Try it:
  ${tryIt(url, sends)}
`
}

const tryIt = (url: string, key: string | undefined): string =>
  key === undefined
    ? `curl ${url}/api/v1/models`
    : `curl ${url}/api/v1/chat/completions -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\
    -d '{"model": "default", "messages": [{"role": "user", "content": "Hello! Who are you?"}]}'`

const describeKey = (adminKey: AdminKey): { says: string; sends?: string } => {
  const name = (file: string) => relative(process.cwd(), file) || file
  switch (adminKey.kind) {
    case 'generated': {
      const file = name(adminKey.file)
      const note = `shown once; kept in ${file}, with 100 USD of trial credit`
      return { says: `${adminKey.secret}\n              ${note}`, sends: adminKey.secret }
    }
    case 'file':
      return { says: `in ${name(adminKey.file)}`, sends: `$(cat '${name(adminKey.file)}')` }
    case 'chosen':
      return { says: 'the value of TESSERA_ADMIN_KEY', sends: '$TESSERA_ADMIN_KEY' }
    case 'chosen but revoked':
      return { says: 'TESSERA_ADMIN_KEY was revoked; npx tessera keys create --type ADMIN makes another' }
    case 'elsewhere':
      return { says: 'made before; npx tessera keys create --type ADMIN makes another' }
  }
}
