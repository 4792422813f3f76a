import type { BackoffPolicy } from '../../../common/backoff.ts'
import { EventStreamClient } from '../../../pages/page/event-stream.ts'
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
  readonly #stream: EventStreamClient

  constructor(options: LiveOptions) {
    this.#options = options
    const { api, onEvent, onState } = options
    this.#stream = new EventStreamClient({
      open: (_lastId, signal) => api.open('GET', '/dashboard/events', undefined, signal),
      silenceMs: SILENCE_MS,
      reconnect: RECONNECT,
      events: {
        opened: () => onState('live', ''),
        event: ({ type, data }) => onEvent(type, data),
        lost: error => this.#lost(error),
      },
    })
  }

  start(): void {
    this.#options.onState('connecting', '')
    this.#stream.start()
  }

  stop(): void {
    this.#stream.stop()
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    this.#stream.hurry()
  }

  #lost(error: unknown): number | undefined {
    const { onState } = this.#options
    const refusal = error instanceof ApiError ? error : undefined
    if (refusal?.status === 401) return void onState('refused', refusal.message)
    if (refusal?.code === 'control_closed') return void onState('closed', refusal.message)
    if (error === undefined) onState('again', 'the connection was closed')
    else onState('again', refusal?.message ?? 'the server does not respond')
    return 0
  }
}
