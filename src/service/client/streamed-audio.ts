import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { after, type Clock } from '../../core/clock.ts'
import type { AudioAddress } from './address-guard.ts'
import { ServiceFailure } from './service-failure.ts'

export interface StreamedAudioOptions {
  readonly address: AudioAddress
  readonly apiKey: string
  /** Longest wait for the next bytes (ms). */
  readonly audioMs: number
  readonly clock: Clock
  /** Ends it when the session does not go on. */
  readonly signal: AbortSignal
}

/**
 * The mp3 of a session as one stream of bytes, fetched when it is first asked for. Redirects are not followed. Leaving
 * the loop ends the request.
 */
export async function* streamedAudio(options: StreamedAudioOptions): AsyncGenerator<Uint8Array, void> {
  const abort = new AbortController()
  const { clock, audioMs } = options
  const late = () =>
    abort.abort(ServiceFailure.found('timeout/no_audio', `no streamed audio for ${audioMs} ms`))
  let deadline = after(clock, audioMs, late)
  try {
    const signal = AbortSignal.any([abort.signal, options.signal])
    const response = await responseOf(options, signal)
    for await (const bytes of response as AsyncIterable<Buffer>) {
      deadline[Symbol.dispose]()
      yield bytes
      deadline = after(clock, audioMs, late)
    }
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason
    // The session's end is told by the session.
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
  const headers = own ? { 'x-api-key': apiKey } : {}
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup, signal, agent: false, headers }, response => {
      const { statusCode = 0 } = response
      if (statusCode === 200) return resolve(response)
      response.destroy()
      reject(
        statusCode >= 300 && statusCode < 400
          ? ServiceFailure.found('blocked/redirected', `streamed audio is elsewhere, HTTP ${statusCode}`)
          : ServiceFailure.found('protocol/http_status', `streamed audio answered HTTP ${statusCode}`, {
              status: statusCode,
            }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

function asFailure(error: unknown): ServiceFailure {
  if (error instanceof ServiceFailure) return error
  return ServiceFailure.found('unreachable/connection_lost', 'streamed audio broke off', { cause: error })
}
