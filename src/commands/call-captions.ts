import { eventData } from '../service/server/engines/adapters/event-lines.ts'
import type { Terminal } from './terminal.ts'

/** A finished caption of the call. */
export interface CallCaption {
  readonly from: string
  readonly to: string
  readonly text?: string | undefined
  readonly translation?: string | undefined
}

/** The room opens with the first participant, shortly after the call has been answered. */
const ATTEMPTS = 20
const ATTEMPT_MS = 100
/** Captions kept of one call. */
const MOST_CAPTIONS = 1_000

/** Follows the captions of one room by the control API, and shows them as they are finished. */
export class CallCaptions implements Disposable {
  readonly all: CallCaption[] = []
  readonly #stop = new AbortController()
  readonly #terminal: Terminal

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  /** Reads until the room ends or this is disposed of. Captions are an extra: without them the call goes on. Never rejects. */
  async follow(server: string, key: string, room: string): Promise<void> {
    const { signal } = this.#stop
    const url = `${server}/v1/rooms/${encodeURIComponent(room)}/captions?final=true`
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
        if (response.ok && response.body) {
          for await (const data of eventData(response.body)) this.#shown(data)
          return
        }
        await response.body?.cancel()
        if (response.status !== 404) return
        await new Promise(resolve => setTimeout(resolve, ATTEMPT_MS))
      }
    } catch {
      // The bridge has gone, or the call is over.
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort()
  }

  #shown(data: string): void {
    const event = JSON.parse(data) as Partial<CallCaption> & { final?: boolean; system?: boolean }
    const { from, to, text, translation, final, system } = event
    if (!final || system || from === undefined || to === undefined || this.all.length >= MOST_CAPTIONS) return
    this.all.push({ from, to, text, translation })
    if (text !== undefined) this.#terminal.line({ text: from, colour: 'dim' }, `  ${text}`)
    if (translation !== undefined) this.#terminal.line({ text: to, colour: 'cyan' }, `  ${translation}`)
  }
}
