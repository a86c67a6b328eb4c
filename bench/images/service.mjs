// Requests with pictures, as clients send them: a form with a file, or JSON with base64.
import { once } from 'node:events'
import { Agent, request } from 'node:http'

const boundary = 'tessera-bench-boundary-7f3a'

const formOf = (fields, { name, bytes }) => {
  const head = Object.entries(fields)
    .map(([field, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
    .join('')
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="${name}"\r\ncontent-type: image/*\r\n\r\n`
  return Buffer.concat([Buffer.from(head + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** A request that is built once and sent often. */
export const formRequest = (path, fields, file) => ({
  path,
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: formOf(fields, file),
})

export const jsonRequest = (path, value) => ({
  path,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
})

/** Sends requests to the service over connections that are kept. Whatever is not 200 is an error with what was said. */
export const createClient = ({ baseUrl, headers }) => {
  const agent = new Agent({ keepAlive: true })
  const sendOnce = async ({ path, headers: own, body }) => {
    const asking = request(`${baseUrl}${path}`, {
      method: 'POST',
      agent,
      headers: { ...headers, ...own, 'content-length': body.length },
    })
    asking.end(body)
    const [response] = await once(asking, 'response')
    return { response, answer: Buffer.concat(await response.toArray()) }
  }
  return {
    async send(wanted) {
      const { response, answer } = await sendOnce(wanted)
      if (response.statusCode === 200) return answer
      throw new Error(`${wanted.path} answered ${response.statusCode}: ${answer.toString().slice(0, 300)}`)
    },
    close: () => agent.destroy(),
  }
}
