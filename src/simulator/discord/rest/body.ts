import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

const MAX_BYTES = 10_485_760

/** The body as bytes; undefined if it is incomplete. Throws `ApiError` if it is too long. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  if (size > MAX_BYTES) throw ApiError.of(40005)
  return Buffer.concat(chunks)
}

/** The parsed body, or undefined without one. For a form with files, its `payload_json`. Throws `ApiError`. */
export async function parsed(bytes: Buffer, type: string): Promise<unknown> {
  if (bytes.length === 0) return undefined
  if (!type.startsWith('multipart/form-data')) return json(bytes.toString('utf8'))
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw ApiError.of(50035)
    })
  const payload = form.get('payload_json')
  return typeof payload === 'string' ? json(payload) : {}
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw ApiError.of(50109)
  }
}
