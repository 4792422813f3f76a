import { type Clock, setTimer, Ticker } from '../../common/clock.ts'
import type { FieldTable } from '../../common/metric-field.ts'
import type { EventSink } from '../event-stream.ts'
import type { WatchedFeed } from './activity.ts'

/** Interval of level messages (ms). */
const LEVELS_MS = 250
/** Every nth of them is followed by a delta. */
const DELTA_EVERY = 4
/**
 * Time for which the observer is kept after the last viewer has left, so that a returning viewer sees the last minutes
 * (ms).
 */
const LINGER_MS = 15_000
/** Unread bytes above which levels are skipped, or the viewer is disconnected. */
export const SLOW_BYTES = 65_536
export const GONE_BYTES = 1_048_576

export interface ViewerHubOptions {
  readonly clock: Clock
  readonly maxViewers: number
  /** Created for the first viewer; disposed some time after the last has left. */
  readonly feed: () => WatchedFeed
}

/** Counters of the viewers. */
export interface ViewerStats {
  readonly viewers: number
  /** Viewers disconnected because they did not read. */
  readonly cutOff: number
  /** Level messages skipped because a viewer reads slowly. */
  readonly skipped: number
  /** Viewers rejected because there were too many. */
  readonly refused: number
}

/** The metric of each counter. */
export const VIEWER_METRICS: FieldTable<ViewerStats> = {
  viewers: ['dragoman_dashboard_viewers', 'Open dashboard pages.'],
  cutOff: [
    'dragoman_dashboard_viewers_cut_off_total',
    'Dashboard pages disconnected because they did not read.',
  ],
  refused: [
    'dragoman_dashboard_viewers_rejected_total',
    'Dashboard pages rejected because too many were open.',
  ],
  skipped: ['dragoman_dashboard_levels_skipped_total', 'Level updates skipped because a page reads slowly.'],
}

/** The viewers of the dashboard. All receive the same bytes; they are computed only while there are viewers. */
export class ViewerHub implements Disposable {
  readonly #counts = { cutOff: 0, skipped: 0, refused: 0 }
  readonly #options: ViewerHubOptions
  readonly #viewers = new Set<EventSink>()
  #feed: WatchedFeed | undefined
  #ticker: Ticker | undefined
  #ticks = 0
  #leaving: Disposable | undefined
  #closed = false

  constructor(options: ViewerHubOptions) {
    this.#options = options
  }

  get stats(): ViewerStats {
    return { viewers: this.#viewers.size, ...this.#counts }
  }

  /** True if the dashboard is being viewed, or was recently. */
  get looking(): boolean {
    return this.#feed !== undefined
  }

  /**
   * Sends `outlet` a snapshot, then changes. Returns the disposable for when it is gone, or undefined if there are too
   * many viewers.
   */
  add(outlet: EventSink): Disposable | undefined {
    if (this.#closed || this.#viewers.size >= this.#options.maxViewers) {
      this.#counts.refused++
      return undefined
    }
    this.#leaving?.[Symbol.dispose]()
    this.#leaving = undefined
    this.#feed ??= this.#options.feed()
    outlet.write(event('snapshot', this.#feed.snapshot))
    this.#viewers.add(outlet)
    this.#ticker ??= new Ticker(this.#options.clock, LEVELS_MS, () => this.#tick())
    return { [Symbol.dispose]: () => this.#gone(outlet) }
  }

  /** Ends all streams and rejects new viewers. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const viewer of this.#viewers) viewer.end()
    this.#viewers.clear()
    this.#stop()
  }

  #tick(): void {
    const feed = this.#feed
    if (!feed) return
    const levels = feed.levels()
    if (levels) this.#show(event('levels', levels), SLOW_BYTES)
    if (++this.#ticks % DELTA_EVERY === 0) this.#show(event('delta', feed.delta()), GONE_BYTES)
  }

  /** Skips viewers with more than `most` unread bytes, or disconnects them if the message must not be skipped. */
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

  #gone(viewer: EventSink): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    this.#leaving = setTimer(this.#options.clock, LINGER_MS, () => this.#stop())
  }

  #stop(): void {
    this.#leaving?.[Symbol.dispose]()
    this.#leaving = undefined
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    this.#feed?.[Symbol.dispose]()
    this.#feed = undefined
  }
}

function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`
}
