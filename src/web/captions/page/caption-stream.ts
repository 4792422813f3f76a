import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { SseLines, type StreamEvent } from '../../../pages/page/event-stream.ts'
import { languageName } from '../../../pages/page/languages.ts'
import { type Access, authorization } from './access.ts'
import type { CaptionStore } from './caption-store.ts'

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

/** Receives the captions of a room over any number of connections, each event once. */
export class CaptionStream {
  readonly #options: StreamOptions
  #lastId = ''
  #tries = 0
  #abort: AbortController | undefined
  #timer = 0
  #wasThere = false

  constructor(parts: StreamOptions) {
    this.#options = parts
  }

  /** Starts, or starts again. */
  start(): void {
    this.stop()
    this.#wasThere = false
    this.#options.onState('connecting')
    void this.#connect()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#abort?.abort()
    this.#abort = undefined
  }

  /** Reconnects without delay, when the network is back or the page is visible again. */
  hurry(): void {
    if (this.#timer === 0) return
    clearTimeout(this.#timer)
    this.#timer = 0
    void this.#connect()
  }

  async #connect(): Promise<void> {
    this.#timer = 0
    const abort = new AbortController()
    this.#abort = abort
    const { room, access } = this.#options
    try {
      const response = await fetch(`/v1/rooms/${encodeURIComponent(room)}/captions`, {
        headers: {
          ...authorization(access),
          accept: 'text/event-stream',
          ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }),
        },
        cache: 'no-store',
        signal: abort.signal,
      })
      if (response.ok && response.body) await this.#read(response.body, abort)
      else await this.#rejected(response)
    } catch {
      if (this.#abort === abort) this.#later('again')
    }
  }

  async #read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    this.#tries = 0
    this.#wasThere = true
    this.#options.onState('live')
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const lines = new SseLines(this.#lastId)
    for (;;) {
      const watchdog = setTimeout(() => abort.abort(), SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(watchdog))
      if (this.#abort !== abort) return
      for (const event of value ? lines.push(decoder.decode(value, { stream: true })) : []) {
        this.#lastId = event.id
        if (event.type === 'end' || event.type === 'expired') {
          this.stop()
          this.#options.onState(event.type === 'end' ? 'ended' : 'expired')
          return
        }
        this.#options.onEvent(event)
      }
      if (done) {
        this.#later('again')
        return
      }
    }
  }

  async #rejected(response: Response): Promise<void> {
    const { error } = (await response.json().catch(() => ({}))) as { error?: unknown }
    const { access, onState } = this.#options
    if (response.status === 401) onState(access.kind === 'link' ? 'expired' : 'refused')
    else if (error === 'control_closed') onState('closed')
    else if (error !== 'room_unknown')
      this.#later('again', 1_000 * Number(response.headers.get('retry-after')))
    // The room ended while this page was disconnected.
    else if (this.#wasThere) onState('ended')
    else this.#later('waiting', LOOK_MS)
  }

  #later(state: 'again' | 'waiting', leastMs = 0): void {
    this.#options.onState(state)
    // A delay that the server asks for gets jitter too, so that readers do not all reconnect to it at once.
    const delay = Math.max(backoffMs(++this.#tries, RECONNECT), (leastMs || 0) * (1 + Math.random() / 2))
    this.#timer = setTimeout(() => void this.#connect(), delay)
  }
}

/** Messages about the stream: a short one next to the title, and a long one where needed. */
export const STATES: Readonly<Record<StreamState, { readonly short: string; readonly long?: string }>> = {
  connecting: { short: 'Connecting …' },
  live: { short: 'Live' },
  waiting: { short: 'Waiting', long: 'The room is empty. Captions start automatically.' },
  again: {
    short: 'Connection lost',
    long: 'Connection lost. Missed captions will appear.',
  },
  ended: { short: 'Ended', long: 'The conversation has ended.' },
  expired: {
    short: 'Link expired',
    long: 'This link has expired. Ask for a new one.',
  },
  closed: {
    short: 'No captions',
    long: 'Captions are disabled on this server: its settings have no key (control.keys).',
  },
  refused: { short: 'Invalid key' },
}

/** Tracks speakers and languages whose translation is unavailable, while the original voice plays. */
export class Away {
  readonly #away = new Map<string, { readonly speaker: string; readonly to: string }>()

  /** Applies a `service` event. */
  take({ speaker, to, unavailable }: { speaker: string; to: string; unavailable: boolean }): void {
    const key = `${speaker} ${to}`
    if (unavailable) this.#away.set(key, { speaker, to })
    else this.#away.delete(key)
  }

  clear(): void {
    this.#away.clear()
  }

  /** Returns the message for a reader of `language` ('' for all); '' if nothing is unavailable. */
  told(book: CaptionStore, language: string): string {
    const away = Array.from(this.#away.values()).filter(({ to }) => language === '' || to === language)
    if (away.length === 0) return ''
    const names = Array.from(new Set(away.map(({ speaker }) => book.nameOf(speaker) ?? 'somebody')))
    const languages = Array.from(new Set(away.map(({ to }) => languageName(to))))
    return `Translation unavailable: ${names.slice(0, 3).join(', ')} into ${languages.slice(0, 3).join(', ')}. Captions resume automatically.`
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
