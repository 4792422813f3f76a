import { type Clock, systemClock } from '../../common/clock.ts'
import { withDefaults } from '../../common/defaults.ts'
import {
  type LanguageEntry,
  type MODES,
  NAMESPACES,
  type Namespace,
  type VOICE_ENGINES,
  type VOICE_GENDERS,
  type VoiceEntry,
} from '../contract.ts'
import { type BatchReply, type BatchRequest, batchForm, readBatchReply } from './batch-request.ts'
import { ServiceClientError } from './errors.ts'
import { ServiceRequests } from './http-requests.ts'
import { RESULT_PATHS, type ResultPaths } from './result-paths.ts'
import { baseUrl, socketAddress, socketPath } from './service-address.ts'
import { ServiceSession } from './session.ts'
import { type SessionParameters, sendRate, sessionQuery } from './session-query.ts'

/** Filter for the voice list; voices match all given fields. */
export interface VoiceFilter {
  readonly language?: string
  readonly mode?: (typeof MODES)[number]
  readonly voiceGender?: (typeof VOICE_GENDERS)[number]
  /** Voices of any of these. */
  readonly voiceEngine?: readonly (typeof VOICE_ENGINES)[number][]
}

/** Returns a voice filter as the query of `GET /api/voices`, including the question mark; empty without filters. */
function voiceQuery(filter: VoiceFilter): string {
  const query = new URLSearchParams()
  if (filter.language) query.set('language', filter.language)
  if (filter.mode) query.set('mode', filter.mode)
  if (filter.voiceGender) query.set('voiceGender', filter.voiceGender)
  for (const engine of filter.voiceEngine ?? []) query.append('voiceEngine', engine)
  const text = query.toString()
  return text ? `?${text}` : ''
}

/** Timeout for a list, and for a batch reply: slightly more than the job timeout of the embedded service (ms). */
const LIST_MS = 5_000
const BATCH_MS = 330_000
/** Maximum size of an HTTP reply (bytes). */
const MOST_REPLY_BYTES = 64 * 1_048_576

/** Address of the service, and what differs between servers. */
export interface ServiceClientOptions {
  /** Address of the service, `http://` or `https://`. */
  readonly url: string
  readonly apiKey: string
  /**
   * Path of Socket.IO, like `/translate/socket.io/`, if a proxy serves the whole service below a path. Default:
   * `/socket.io/`, where Socket.IO's client reads a path in `url` as part of the namespace.
   */
  readonly socketPath?: string | undefined
  /** Paths in `result`, for servers that use other names. */
  readonly resultPaths?: Partial<ResultPaths> | undefined
  /**
   * Origins from which streamed audio is fetched, in addition to the service's own, like `https://audio.example.com`.
   */
  readonly audioOrigins?: readonly string[] | undefined
}

/**
 * Client for the whole interface of a translation service, for any server. It keeps no connection itself: each session
 * has one, and the code that opened a session closes it. All failures are `ServiceClientError`.
 */
export class ServiceClient {
  readonly #base: string
  readonly #apiKey: string
  readonly #socketPath: string | undefined
  readonly #resultPaths: ResultPaths
  readonly #audioOrigins: readonly string[]
  readonly #clock: Clock
  readonly #requests: ServiceRequests

  /** Throws `RangeError` or `TypeError` for an invalid address or option. */
  constructor(options: ServiceClientOptions, clock: Clock = systemClock) {
    const { url, apiKey, resultPaths, audioOrigins = [] } = options
    this.#base = baseUrl(url)
    if (typeof apiKey !== 'string') throw new TypeError(`the API key must be a string, got ${typeof apiKey}`)
    for (const origin of audioOrigins)
      if (!URL.canParse(origin))
        throw new RangeError(`audioOrigins are like https://audio.example.com, got "${origin}"`)
    this.#apiKey = apiKey
    this.#socketPath = socketPath(options.socketPath)
    this.#resultPaths = withDefaults(RESULT_PATHS, resultPaths)
    this.#audioOrigins = audioOrigins
    this.#clock = clock
    this.#requests = new ServiceRequests(this.#base, apiKey, clock)
  }

  /**
   * Opens a session and waits until the service is ready for data; `signal` aborts that. Rejects with `RangeError` for
   * an unknown namespace.
   */
  async openSession<N extends Namespace>(
    namespace: N,
    parameters: SessionParameters[N],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ServiceSession<N>> {
    if (!NAMESPACES.includes(namespace))
      throw new RangeError(`the namespace is "${namespace}", allowed: ${NAMESPACES.join(', ')}`)
    const setup = {
      namespace,
      base: this.#base,
      address: socketAddress(this.#base, namespace, this.#socketPath),
      apiKey: this.#apiKey,
      query: sessionQuery(namespace, parameters),
      rate: sendRate(parameters),
      resultPaths: this.#resultPaths,
      audioOrigins: this.#audioOrigins,
      clock: this.#clock,
    }
    return ServiceSession.open<N>(setup, signal)
  }

  /** `GET /api/languages`. */
  languages(signal?: AbortSignal): Promise<LanguageEntry[]> {
    return this.#list<LanguageEntry>('/api/languages', 'languages', signal)
  }

  /** `GET /api/voices`, filtered by the service. */
  voices(filter: VoiceFilter = {}, signal?: AbortSignal): Promise<VoiceEntry[]> {
    return this.#list<VoiceEntry>(`/api/voices${voiceQuery(filter)}`, 'voices', signal)
  }

  /** `POST /api/batch/file`: one file in one request. */
  async batch(request: BatchRequest): Promise<BatchReply> {
    const payload = await this.#requests.json({
      path: '/api/batch/file',
      form: await batchForm(request),
      timeoutMs: BATCH_MS,
      maxReplyBytes: MOST_REPLY_BYTES,
      signal: request.signal,
    })
    return readBatchReply(payload, this.#resultPaths)
  }

  /** Returns a list, sent bare or in an object under `name`, as servers differ. */
  async #list<T>(path: string, name: string, signal: AbortSignal | undefined): Promise<T[]> {
    const body = await this.#requests.json({
      path,
      timeoutMs: LIST_MS,
      maxReplyBytes: MOST_REPLY_BYTES,
      signal,
    })
    const list = Array.isArray(body) ? body : (body as Record<string, unknown> | null)?.[name]
    if (!Array.isArray(list))
      throw ServiceClientError.found('protocol/no_list', `${path} did not return a list`)
    return list as T[]
  }
}
