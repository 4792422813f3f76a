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
import { RESULT_PATHS } from './results.ts'
import { baseUrl, socketAddress, socketPath } from './service-address.ts'
import { ServiceSession } from './session.ts'
import {
  type SessionOptions,
  type SessionParameters,
  sendRate,
  sessionQuery,
  sessionSettings,
} from './session-options.ts'

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

/** Address of the service, and the defaults of every session. */
export interface ServiceClientOptions extends Partial<Omit<SessionOptions, 'signal'>> {
  /** Address of the service, `http://` or `https://`. */
  readonly url: string
  readonly apiKey: string
  /**
   * Path of Socket.IO, like `/translate/socket.io/`, if a proxy serves the whole service below a path. Default:
   * `/socket.io/`, where Socket.IO's client reads a path in `url` as part of the namespace.
   */
  readonly socketPath?: string | undefined
  /** Timeout for a list. Default 5 s. */
  readonly timeoutMs?: number
  /** Timeout for a batch reply. Default 120 s. */
  readonly batchTimeoutMs?: number
  /** Maximum size of an HTTP reply (bytes). Default 64 MiB. */
  readonly maxReplyBytes?: number
  readonly clock?: Clock
}

/**
 * Client for the whole interface of a translation service, for any server. It keeps no connection itself: each session
 * has one, and the code that opened a session closes it. All failures are `ServiceClientError`.
 */
export class ServiceClient {
  readonly #base: string
  readonly #options: ServiceClientOptions
  readonly #clock: Clock
  readonly #requests: ServiceRequests

  /** Throws `RangeError` for an invalid address or option. */
  constructor(options: ServiceClientOptions) {
    this.#base = baseUrl(options.url)
    this.#options = options
    if (typeof options.apiKey !== 'string')
      throw new TypeError(`the API key must be a string, got ${typeof options.apiKey}`)
    sessionSettings(options)
    socketPath(options.socketPath)
    this.#clock = options.clock ?? systemClock
    this.#requests = new ServiceRequests({ base: this.#base, apiKey: options.apiKey, clock: this.#clock })
  }

  /**
   * Opens a session and waits until the service is ready for data. Rejects with `RangeError` for an unknown namespace
   * or an invalid option.
   */
  async openSession<N extends Namespace>(
    namespace: N,
    parameters: SessionParameters[N],
    options: Partial<SessionOptions> = {},
  ): Promise<ServiceSession<N>> {
    if (!NAMESPACES.includes(namespace))
      throw new RangeError(`the namespace is "${namespace}", allowed: ${NAMESPACES.join(', ')}`)
    const { signal, ...own } = options
    const settings = sessionSettings(this.#options, own)
    const setup = {
      namespace,
      base: this.#base,
      address: socketAddress(this.#base, namespace, this.#options.socketPath),
      apiKey: this.#options.apiKey,
      query: sessionQuery(namespace, parameters),
      rate: sendRate(parameters),
      settings,
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
    const { batchTimeoutMs = 120_000, maxReplyBytes = 64 * 1024 * 1024, resultPaths } = this.#options
    const payload = await this.#requests.json({
      path: '/api/batch/file',
      form: await batchForm(request),
      timeoutMs: batchTimeoutMs,
      maxReplyBytes,
      signal: request.signal,
    })
    return readBatchReply(payload, withDefaults(RESULT_PATHS, resultPaths))
  }

  /** Returns a list, sent bare or in an object under `name`, as servers differ. */
  async #list<T>(path: string, name: string, signal: AbortSignal | undefined): Promise<T[]> {
    const { timeoutMs = 5_000, maxReplyBytes = 64 * 1024 * 1024 } = this.#options
    const body = await this.#requests.json({ path, timeoutMs, maxReplyBytes, signal })
    const list = Array.isArray(body) ? body : (body as Record<string, unknown> | null)?.[name]
    if (!Array.isArray(list))
      throw ServiceClientError.found('protocol/no_list', `${path} did not return a list`)
    return list as T[]
  }
}
