import type { Observer } from '../model/events.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { ListenerVoice } from '../playout/listener-voice.ts'
import type { TranslationQueue } from '../playout/translation-queue.ts'
import type { Room } from './room.ts'

/** Lag from which a translation counts as late (ms). */
const LATE_MS = 500

/** State of a translation queue at the last check. */
interface Seen {
  pausesTrimmedMs: number
  timeCompressedMs: number
  /** Observers were notified of a lag, but not yet of its end. */
  told: boolean
}

/** Measures the lag of translations once per second, for metrics and observers. */
export class LagMonitor {
  readonly #metrics: RelayCounters
  readonly #observer: Observer
  readonly #seen = new WeakMap<TranslationQueue, Seen>()

  constructor(metrics: RelayCounters, observer: Observer) {
    this.#metrics = metrics
    this.#observer = observer
  }

  /** Measures all listeners in `rooms`. */
  look(rooms: Iterable<Room>): void {
    this.#metrics.lagNowMs = 0
    this.#metrics.lateNow = 0
    for (const room of rooms)
      for (const { id, playout } of room.participants.values())
        for (const voice of playout.voices.values()) this.#lookAt(room.name, id, voice)
  }

  #lookAt(room: string, listener: string, { speaker, translation }: ListenerVoice): void {
    const seen = this.#count(translation)
    const { active, lagMs } = translation
    if (active) {
      this.#metrics.lagMs.record(lagMs)
      this.#metrics.lagNowMs = Math.max(this.#metrics.lagNowMs, lagMs)
      if (lagMs >= LATE_MS) this.#metrics.lateNow++
    }
    if ((!active && !seen.told) || !this.#observer.wants('lag')) return
    seen.told = active
    const { backlogMs, factor, trimming } = translation
    this.#observer.emit('lag', { room, speaker, listener, lagMs, backlogMs, factor, trimming })
  }

  #count(queue: TranslationQueue): Seen {
    let seen = this.#seen.get(queue)
    if (!seen) {
      seen = { pausesTrimmedMs: 0, timeCompressedMs: 0, told: false }
      this.#seen.set(queue, seen)
    }
    const { pausesTrimmedMs, timeCompressedMs } = queue
    this.#metrics.pausesTrimmedMs += pausesTrimmedMs - seen.pausesTrimmedMs
    this.#metrics.timeCompressedMs += timeCompressedMs - seen.timeCompressedMs
    seen.pausesTrimmedMs = pausesTrimmedMs
    seen.timeCompressedMs = timeCompressedMs
    return seen
  }
}
