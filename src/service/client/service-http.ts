import { BridgeError } from '../../core/errors.ts'
import type { LanguageEntry, VoiceEntry } from '../contract.ts'
import { baseUrl } from './service-address.ts'
import { serviceError } from './service-error.ts'
import { voiceQuery } from './voice-query.ts'

export interface VoiceFilter {
  readonly language?: string
  readonly mode?: 'block' | 'streaming'
  readonly voiceGender?: string
  readonly voiceEngine?: readonly string[]
}

export interface ServiceHttpOptions {
  readonly url: string
  readonly apiKey: string
  /** Default 5 s. */
  readonly timeoutMs?: number
}

/** The service's lists. Throws `BridgeError` `SERVICE_REFUSED` with the service's words, or `SERVICE_UNREACHABLE`. */
export class ServiceHttp {
  readonly #base: string
  readonly #apiKey: string
  readonly #timeoutMs: number

  constructor({ url, apiKey, timeoutMs = 5_000 }: ServiceHttpOptions) {
    this.#base = baseUrl(url)
    this.#apiKey = apiKey
    this.#timeoutMs = timeoutMs
  }

  /** `GET /api/languages`. */
  languages(): Promise<LanguageEntry[]> {
    return this.#list<LanguageEntry>('/api/languages', 'languages')
  }

  /** `GET /api/voices`, filtered by the service. */
  voices(filter: VoiceFilter = {}): Promise<VoiceEntry[]> {
    return this.#list<VoiceEntry>(`/api/voices${voiceQuery(filter)}`, 'voices')
  }

  /** A list, bare or in an object under `name`: servers differ. */
  async #list<T>(path: string, name: string): Promise<T[]> {
    const body = await this.#get(path)
    const list = Array.isArray(body) ? body : (body as Record<string, unknown> | null)?.[name]
    if (!Array.isArray(list)) throw new BridgeError('SERVICE_PROTOCOL', `${path} answered no list`)
    return list as T[]
  }

  async #get(path: string): Promise<unknown> {
    let response: Response
    try {
      response = await fetch(`${this.#base}${path}`, {
        headers: { 'x-api-key': this.#apiKey },
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
      })
    } catch (cause) {
      throw new BridgeError('SERVICE_UNREACHABLE', `cannot reach ${this.#base}`, { retryable: true, cause })
    }
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok) return body
    if (body !== undefined) throw serviceError(body)
    throw new BridgeError('SERVICE_PROTOCOL', `${path} answered HTTP ${response.status}`, {
      retryable: response.status >= 500,
    })
  }
}
