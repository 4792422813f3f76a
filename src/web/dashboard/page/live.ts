import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { SseLines } from '../../../pages/page/event-stream.ts'
import { type Api, ApiError } from './api.ts'

/** `again`: reconnects automatically. `refused` and `closed` are final. */
export type LiveState = 'connecting' | 'live' | 'again' | 'refused' | 'closed'

export interface LiveOptions {
  readonly api: Api
  readonly onEvent: (type: string, data: string) => void
  /** `words`: description of the problem, if any. */
  readonly onState: (state: LiveState, words: string) => void
}

/** Time without data after which the connection is replaced (ms); the server sends something every second. */
const SILENCE_MS = 6_000
const RECONNECT: BackoffPolicy = { firstMs: 300, maxMs: 10_000 }

/** The stream of the dashboard, over any number of connections. */
export class Live {
  readonly #options: LiveOptions
  #abort: AbortController | undefined
  #timer = 0
  #tries = 0

  constructor(parts: LiveOptions) {
    this.#options = parts
  }

  start(): void {
    this.stop()
    this.#options.onState('connecting', '')
    void this.#connect()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = 0
    this.#abort?.abort()
    this.#abort = undefined
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    if (this.#timer === 0) return
    clearTimeout(this.#timer)
    void this.#connect()
  }

  async #connect(): Promise<void> {
    this.#timer = 0
    const abort = new AbortController()
    this.#abort = abort
    try {
      const { api } = this.#options
      const response = await api.open('GET', '/dashboard/events', undefined, abort.signal)
      if (response.body) await this.#read(response.body, abort)
      this.#later(abort, 'the connection was closed')
    } catch (error) {
      this.#failed(abort, error)
    }
  }

  async #read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    this.#tries = 0
    this.#options.onState('live', '')
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const lines = new SseLines()
    for (;;) {
      const watchdog = setTimeout(() => abort.abort(), SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(watchdog))
      if (done || this.#abort !== abort) return
      for (const { type, data } of lines.push(decoder.decode(value, { stream: true })))
        this.#options.onEvent(type, data)
    }
  }

  #failed(abort: AbortController, error: unknown): void {
    if (this.#abort !== abort) return
    if (error instanceof ApiError && error.status === 401) this.#options.onState('refused', error.message)
    else if (error instanceof ApiError && error.code === 'control_closed')
      this.#options.onState('closed', error.message)
    else this.#later(abort, error instanceof ApiError ? error.message : 'the server does not respond')
  }

  #later(abort: AbortController, words: string): void {
    if (this.#abort !== abort) return
    this.#options.onState('again', words)
    this.#timer = setTimeout(() => void this.#connect(), backoffMs(++this.#tries, RECONNECT))
  }
}
