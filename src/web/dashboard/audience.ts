import { after, type Clock, Ticker } from '../../core/clock.ts'
import type { CaptionOutlet } from '../captions/caption-reader.ts'
import type { Lookout } from './lookout.ts'

/** Levels are told so often (ms), … */
const LEVELS_MS = 250
/** … the rest every so many times. */
const DELTA_EVERY = 4
/** The lookout stays for so long after the last has gone, so that who comes back finds the last minutes (ms). */
const LINGER_MS = 15_000
/** Levels are left out for a viewer for whom so much waits, and a viewer is cut off for whom so much more does (bytes). */
const SLOW_BYTES = 65_536
const GONE_BYTES = 1_048_576

export interface AudienceParts {
  readonly clock: Clock
  readonly maxViewers: number
  /** Made when the first comes; disposed of some time after the last has gone. */
  readonly lookout: () => Pick<Lookout, 'snapshot' | 'levels' | 'delta' | typeof Symbol.dispose>
}

/** What an audience counts. */
export interface AudienceStats {
  readonly viewers: number
  /** Viewers that were cut off since they did not read. */
  readonly cutOff: number
  /** Levels that were left out for a viewer who reads slowly. */
  readonly skipped: number
  /** Viewers there was no room for. */
  readonly refused: number
}

/** Everybody who looks at the dashboard. All get the same bytes; nothing is made while nobody is there. */
export class Audience implements Disposable {
  readonly #counts = { cutOff: 0, skipped: 0, refused: 0 }
  readonly #parts: AudienceParts
  readonly #viewers = new Set<CaptionOutlet>()
  #lookout: ReturnType<AudienceParts['lookout']> | undefined
  #ticker: Ticker | undefined
  #ticks = 0
  #leaving: Disposable | undefined
  #closed = false

  constructor(parts: AudienceParts) {
    this.#parts = parts
  }

  get stats(): AudienceStats {
    return { viewers: this.#viewers.size, ...this.#counts }
  }

  /** Something is being looked at, or was a moment ago. */
  get looking(): boolean {
    return this.#lookout !== undefined
  }

  /** Shows `outlet` all there is, then what changes. Returns what to dispose of when it has gone; undefined: too many are there. */
  add(outlet: CaptionOutlet): Disposable | undefined {
    if (this.#closed || this.#viewers.size >= this.#parts.maxViewers) {
      this.#counts.refused++
      return undefined
    }
    this.#leaving?.[Symbol.dispose]()
    this.#leaving = undefined
    this.#lookout ??= this.#parts.lookout()
    outlet.write(event('snapshot', this.#lookout.snapshot))
    this.#viewers.add(outlet)
    this.#ticker ??= new Ticker(this.#parts.clock, LEVELS_MS, () => this.#tick())
    return { [Symbol.dispose]: () => this.#gone(outlet) }
  }

  /** Ends all streams; nobody comes in any more. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const viewer of this.#viewers) viewer.end()
    this.#viewers.clear()
    this.#stop()
  }

  #tick(): void {
    const lookout = this.#lookout
    if (!lookout) return
    const levels = lookout.levels()
    if (levels) this.#show(event('levels', levels), SLOW_BYTES)
    if (++this.#ticks % DELTA_EVERY === 0) this.#show(event('delta', lookout.delta()), GONE_BYTES)
  }

  /** What waits unread may be left out up to `most` bytes; what must not be left out cuts off who has more waiting. */
  #show(text: string, most: number): void {
    for (const viewer of this.#viewers) {
      if (viewer.unread <= most) viewer.write(text)
      else if (most === GONE_BYTES) {
        this.#counts.cutOff++
        viewer.destroy()
        this.#gone(viewer)
      } else this.#counts.skipped++
    }
  }

  #gone(viewer: CaptionOutlet): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    this.#leaving = after(this.#parts.clock, LINGER_MS, () => this.#stop())
  }

  #stop(): void {
    this.#leaving?.[Symbol.dispose]()
    this.#leaving = undefined
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    this.#lookout?.[Symbol.dispose]()
    this.#lookout = undefined
  }
}

function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`
}
