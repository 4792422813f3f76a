import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type Clock, setTimer } from '../../common/clock.ts'
import {
  isAddress,
  isBlockedPort,
  isLocalAddress,
  PrivateAddressError,
  publicLookup,
  type Resolve,
} from '../../net/outbound-guard.ts'
import { ServiceClientError } from './errors.ts'

export interface AudioAddress {
  readonly url: URL
  /** True for the service's own origin, the only origin that receives the API key. */
  readonly own: boolean
  /** Resolves its host name, and rejects private addresses. */
  readonly lookup: LookupFunction
}

/**
 * Parses the URL of `start` and checks that it can be fetched: http(s), without credentials, at the service's origin or
 * an allowed one. A host name may resolve to a local address only at the service's own origin, and only if the
 * session's socket (`peer`) is connected to a local address too. An allowed origin can be a local address if it is
 * written as one. Throws `ServiceClientError` `blocked/address_not_allowed`. `resolve` defaults to the system resolver.
 */
export function audioAddress(
  start: string,
  base: string,
  allowed: readonly string[],
  peer: string | undefined,
  resolve?: Resolve,
): AudioAddress {
  const url = URL.parse(start, `${base}/`)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw blocked('it is not an http(s) address')
  if (url.username || url.password) throw blocked('it contains credentials')
  if (isBlockedPort(url)) throw blocked(`port ${url.port} is blocked`)
  const own = url.origin === new URL(base).origin
  const written = !own && allowed.some(origin => URL.parse(origin)?.origin === url.origin)
  if (!own && !written) throw blocked(`its origin ${url.origin} is neither the service's nor allowed`)
  const localAllowed = own ? peer !== undefined && isLocalAddress(peer) : isAddress(url)
  if (isLocalAddress(url.hostname) && !localAllowed) throw blocked(`${url.hostname} is a local address`)
  return { url, own, lookup: publicLookup(localAllowed, resolve) }
}

function blocked(why: string): ServiceClientError {
  return ServiceClientError.found('blocked/address_not_allowed', `streamed audio is not fetched: ${why}`)
}

export interface StreamedAudioOptions {
  readonly address: AudioAddress
  readonly apiKey: string
  readonly clock: Clock
  /** Ends the download with the session. */
  readonly signal: AbortSignal
}

/** Maximum wait for the next bytes (ms). */
const NEXT_MS = 30_000
/** Maximum total size: four hours of speech (bytes). */
const MOST_BYTES = 64 * 1_048_576
/** Accepted content types; a missing one is accepted too. */
const AUDIO_TYPE = /^(audio\/[\w.+-]+|(application|binary)\/octet-stream)\s*(;|$)/i

/**
 * Fetches the mp3 of a session as one stream of bytes, starting with the first read. Does not follow redirects or
 * decompress, and rejects other content types. Leaving the loop ends the request.
 */
export async function* streamedAudio(options: StreamedAudioOptions): AsyncGenerator<Uint8Array, void> {
  const abort = new AbortController()
  const { clock } = options
  const late = () =>
    abort.abort(ServiceClientError.found('timeout/no_audio', `no streamed audio for ${NEXT_MS} ms`))
  let deadline = setTimer(clock, NEXT_MS, late)
  try {
    const signal = AbortSignal.any([abort.signal, options.signal])
    const response = await responseOf(options, signal)
    let total = 0
    for await (const bytes of response as AsyncIterable<Buffer>) {
      deadline[Symbol.dispose]()
      total += bytes.length
      if (total > MOST_BYTES)
        throw ServiceClientError.found('blocked/too_much_audio', `more than ${MOST_BYTES} bytes of audio`)
      yield bytes
      deadline = setTimer(clock, NEXT_MS, late)
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
  const headers: OutgoingHttpHeaders = { 'accept-encoding': 'identity' }
  if (own) headers['x-api-key'] = apiKey
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup, signal, agent: false, headers }, response => {
      const { statusCode = 0 } = response
      const wrong = statusCode === 200 ? notAudio(response) : undefined
      if (statusCode === 200 && !wrong) return resolve(response)
      response.destroy()
      if (wrong) return reject(ServiceClientError.found('blocked/not_audio', wrong))
      reject(
        statusCode >= 300 && statusCode < 400
          ? ServiceClientError.found(
              'blocked/redirected',
              `streamed audio was redirected, HTTP ${statusCode}`,
            )
          : ServiceClientError.found('protocol/http_status', `streamed audio returned HTTP ${statusCode}`, {
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

function asFailure(error: unknown): ServiceClientError {
  if (error instanceof ServiceClientError) return error
  if (error instanceof PrivateAddressError)
    return ServiceClientError.found(
      'blocked/address_not_allowed',
      `streamed audio is not fetched: ${error.message}`,
    )
  return ServiceClientError.found('unreachable/connection_lost', 'streamed audio was interrupted', {
    cause: error,
  })
}
