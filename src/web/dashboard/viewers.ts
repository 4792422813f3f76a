import { type Clock, Ticker } from '../../common/clock.ts'
import type { EventSink } from '../event-stream.ts'

/** Interval of the states (ms). */
const EVERY_MS = 1_000
/** Unread bytes above which a viewer is disconnected; it reconnects by itself. */
const MOST_UNREAD = 1_048_576

/** Returns the state as JSON, given that of this server, for one viewer; rejects never. */
export type Completed = (own: string) => Promise<string>

interface Viewer {
  readonly outlet: EventSink
  readonly completed: Completed
  busy: boolean
}

/** Open pages; an operator has a few. */
const MOST_VIEWERS = 20

export interface ViewersOptions {
  readonly clock: Clock
  /** Default: 20. */
  readonly maxViewers?: number
  /** Returns the state of this server as JSON. */
  readonly read: () => string
}

/** The open pages: each receives the state once a second. It is read once for all, and only while there are any. */
export class Viewers implements Disposable {
  readonly #options: ViewersOptions
  readonly #viewers = new Set<Viewer>()
  #ticker: Ticker | undefined
  #closed = false

  constructor(options: ViewersOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#viewers.size
  }

  /** Sends `outlet` the state now and every second. Returns the disposable for when it is gone; undefined: too many. */
  add(outlet: EventSink, completed: Completed): Disposable | undefined {
    const { clock, maxViewers = MOST_VIEWERS, read } = this.#options
    if (this.#closed || this.#viewers.size >= maxViewers) return undefined
    const viewer = { outlet, completed, busy: false }
    this.#viewers.add(viewer)
    this.#ticker ??= new Ticker(clock, EVERY_MS, () => this.#tick())
    void this.#show(viewer, read())
    return { [Symbol.dispose]: () => this.#gone(viewer) }
  }

  /** Ends all streams and rejects new viewers. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const viewer of this.#viewers) {
      this.#gone(viewer)
      viewer.outlet.end()
    }
  }

  #tick(): void {
    const own = this.#options.read()
    for (const viewer of this.#viewers) void this.#show(viewer, own)
  }

  /** Sends the state; a viewer whose last one is still being completed misses this one. */
  async #show(viewer: Viewer, own: string): Promise<void> {
    const { outlet, completed } = viewer
    if (viewer.busy) return
    if (outlet.unread > MOST_UNREAD) {
      outlet.destroy()
      this.#gone(viewer)
      return
    }
    viewer.busy = true
    const state = await completed(own)
    viewer.busy = false
    if (this.#viewers.has(viewer)) outlet.write(`event: state\ndata: ${state}\n\n`)
  }

  #gone(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    if (this.#viewers.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }
}
