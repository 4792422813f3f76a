import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { after, type Clock } from '../../common/clock.ts'
import { AddressRefused } from '../../net/guarded-lookup.ts'
import type { AudioAddress } from './address-guard.ts'
import { ServiceFailure } from './service-failure.ts'

export interface StreamedAudioOptions {
  readonly address: AudioAddress
  readonly apiKey: string
  /** Maximum wait for the next bytes (ms). */
  readonly audioMs: number
  /** Maximum total size (bytes). */
  readonly maxAudioBytes: number
  readonly clock: Clock
  /** Ends the download with the session. */
  readonly signal: AbortSignal
}

/** Accepted content types; a missing one is accepted too. */
const AUDIO_TYPE = /^(audio\/[\w.+-]+|(application|binary)\/octet-stream)\s*(;|$)/i

/**
 * Fetches the mp3 of a session as one stream of bytes, starting with the first read. Does not follow redirects or
 * decompress, and rejects other content types. Leaving the loop ends the request.
 */
export async function* streamedAudio(options: StreamedAudioOptions): AsyncGenerator<Uint8Array, void> {
  const abort = new AbortController()
  const { clock, audioMs, maxAudioBytes } = options
  const late = () =>
    abort.abort(ServiceFailure.found('timeout/no_audio', `no streamed audio for ${audioMs} ms`))
  let deadline = after(clock, audioMs, late)
  try {
    const signal = AbortSignal.any([abort.signal, options.signal])
    const response = await responseOf(options, signal)
    let total = 0
    for await (const bytes of response as AsyncIterable<Buffer>) {
      deadline[Symbol.dispose]()
      total += bytes.length
      if (total > maxAudioBytes)
        throw ServiceFailure.found('blocked/too_much_audio', `more than ${maxAudioBytes} bytes of audio`)
      yield bytes
      deadline = after(clock, audioMs, late)
    }
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason
    // The session itself reports its end.
    if (options.signal.aborted) return
    throw asFailure(error)
  } finally {
    deadline[Symbol.dispose]()
    abort.abort()
  }
}

function responseOf(
  { address: { url, own, lookup }, apiKey }: StreamedAudioOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const headers = { 'accept-encoding': 'identity', ...(own ? { 'x-api-key': apiKey } : {}) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup, signal, agent: false, headers }, response => {
      const { statusCode = 0 } = response
      const wrong = statusCode === 200 ? notAudio(response) : undefined
      if (statusCode === 200 && !wrong) return resolve(response)
      response.destroy()
      if (wrong) return reject(ServiceFailure.found('blocked/not_audio', wrong))
      reject(
        statusCode >= 300 && statusCode < 400
          ? ServiceFailure.found('blocked/redirected', `streamed audio was redirected, HTTP ${statusCode}`)
          : ServiceFailure.found('protocol/http_status', `streamed audio returned HTTP ${statusCode}`, {
              status: statusCode,
            }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Returns the reason why the body of `response` is rejected. */
function notAudio({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type']
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return 'streamed audio is compressed'
  if (type !== undefined && !AUDIO_TYPE.test(type)) return 'streamed audio has a different content type'
  return undefined
}

function asFailure(error: unknown): ServiceFailure {
  if (error instanceof ServiceFailure) return error
  if (error instanceof AddressRefused)
    return ServiceFailure.found(
      'blocked/address_not_allowed',
      `streamed audio is not fetched: ${error.message}`,
    )
  return ServiceFailure.found('unreachable/connection_lost', 'streamed audio was interrupted', {
    cause: error,
  })
}
