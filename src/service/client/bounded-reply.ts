import { ServiceFailure } from './service-failure.ts'

/** Reads the body of an HTTP reply as JSON; undefined if it is not JSON. Throws if it exceeds `maxBytes`. */
export async function boundedJson(response: Response, maxBytes: number): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes)
      throw ServiceFailure.found('protocol/reply_too_large', `the reply has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
