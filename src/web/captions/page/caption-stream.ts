import type { BackoffPolicy } from '../../../common/backoff.ts'
import { EventStreamClient, type StreamEvent } from '../../../pages/page/event-stream.ts'
import { languageName } from '../../../pages/page/languages.ts'
import { type Access, authorization } from './access.ts'
import type { CaptionStore } from './caption-store.ts'
import { pageLanguage, say } from './words.ts'

/** State of the stream. The last four are final until `start` is called again. */
export type StreamState =
  | 'connecting'
  | 'live'
  | 'waiting'
  | 'again'
  | 'ended'
  | 'expired'
  | 'closed'
  | 'refused'

export interface StreamOptions {
  readonly room: string
  readonly access: Access
  readonly onEvent: (event: StreamEvent) => void
  readonly onState: (state: StreamState) => void
}

/** Maximum silence of a working connection (ms): the server sends something every 15 s. */
const SILENCE_MS = 40_000
/** Delays before reconnecting. The first is short, because most disconnections are. */
const RECONNECT: BackoffPolicy = { firstMs: 400, maxMs: 5_000 }
/** Interval between checks whether the room exists (ms). */
const LOOK_MS = 3_000

/** The server rejected the request. */
class Rejection extends Error {
  readonly status: number
  /** Specific code of the error; empty if the response had none. */
  readonly code: string
  /** The delay that the server requests (ms); 0 if it does not. */
  readonly retryAfterMs: number

  constructor({ status, headers }: Response, code: unknown) {
    super(`the server responded with ${status}`)
    this.status = status
    this.code = typeof code === 'string' ? code : ''
    this.retryAfterMs = 1_000 * Number(headers.get('retry-after')) || 0
  }
}

/** Receives the captions of a room over any number of connections, each event once. */
export class CaptionStream {
  readonly #options: StreamOptions
  readonly #stream: EventStreamClient
  #wasThere = false

  constructor(options: StreamOptions) {
    this.#options = options
    this.#stream = new EventStreamClient({
      open: (lastId, signal) => this.#open(lastId, signal),
      silenceMs: SILENCE_MS,
      reconnect: RECONNECT,
      events: {
        opened: () => {
          this.#wasThere = true
          options.onState('live')
        },
        event: event => this.#take(event),
        lost: error => this.#lost(error),
      },
    })
  }

  /** Starts, or starts again. */
  start(): void {
    this.#wasThere = false
    this.#options.onState('connecting')
    this.#stream.start()
  }

  stop(): void {
    this.#stream.stop()
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    this.#stream.hurry()
  }

  async #open(lastId: string, signal: AbortSignal): Promise<Response> {
    const { room, access } = this.#options
    const response = await fetch(`/v1/rooms/${encodeURIComponent(room)}/captions`, {
      headers: {
        ...authorization(access),
        accept: 'text/event-stream',
        ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      },
      cache: 'no-store',
      signal,
    })
    if (response.ok) return response
    const { error } = (await response.json().catch(() => ({}))) as { error?: unknown }
    throw new Rejection(response, error)
  }

  #take(event: StreamEvent): void {
    const { onEvent, onState } = this.#options
    if (event.type === 'end' || event.type === 'expired') {
      this.stop()
      onState(event.type === 'end' ? 'ended' : 'expired')
    } else onEvent(event)
  }

  #lost(error: unknown): number | undefined {
    const { access, onState } = this.#options
    const { status, code, retryAfterMs = 0 } = error instanceof Rejection ? error : {}
    if (status === 401) return void onState(access.kind === 'link' ? 'expired' : 'refused')
    if (code === 'control_closed') return void onState('closed')
    // The room ended while this page was disconnected.
    if (code === 'room_unknown' && this.#wasThere) return void onState('ended')
    onState(code === 'room_unknown' ? 'waiting' : 'again')
    return code === 'room_unknown' ? LOOK_MS : retryAfterMs
  }
}

/** Tracks speakers and languages whose translation is unavailable, while the original voice plays. */
export class UnavailableTranslations {
  readonly #unavailable = new Map<string, { readonly speaker: string; readonly to: string }>()

  /** Applies a `service` event. */
  take({ speaker, to, unavailable }: { speaker: string; to: string; unavailable: boolean }): void {
    const key = `${speaker} ${to}`
    if (unavailable) this.#unavailable.set(key, { speaker, to })
    else this.#unavailable.delete(key)
  }

  clear(): void {
    this.#unavailable.clear()
  }

  /** Returns the message for a reader of `language` ('' for all); '' if everything is available. */
  told(book: CaptionStore, language: string): string {
    const unavailable = Array.from(this.#unavailable.values()).filter(
      ({ to }) => language === '' || to === language,
    )
    if (unavailable.length === 0) return ''
    const names = Array.from(
      new Set(unavailable.map(({ speaker }) => book.nameOf(speaker) ?? say('somebody'))),
    )
    const languages = Array.from(new Set(unavailable.map(({ to }) => languageName(to, pageLanguage))))
    return say('untranslated', names.slice(0, 3).join(', '), languages.slice(0, 3).join(', '))
  }
}

/** Parses a `service` event of the server; undefined for anything else. */
export function readService(
  value: unknown,
): { speaker: string; to: string; unavailable: boolean } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { speaker, to, unavailable } = value as Record<string, unknown>
  if (typeof speaker !== 'string' || typeof to !== 'string' || typeof unavailable !== 'boolean')
    return undefined
  return { speaker, to, unavailable }
}
