import { type Clock, Ticker } from '../../common/clock.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { DecodeQueue } from '../utterance/decode-queue.ts'
import type { LagMonitor } from './lag-monitor.ts'
import type { Room } from './room.ts'

/** Ticks between two checks of the sessions' deadlines: 100 ms. */
const CHECK_TICKS = 5
/** A tick this late shows that the process was suspended, for example in a frozen VM (ms). */
const STOOD_STILL_MS = 1_000
/** Ticks between two measurements of the lag: 1 s. */
const LAG_TICKS = 50

export interface RelayTicksOptions {
  readonly clock: Clock
  readonly metrics: RelayCounters
  readonly faults: ContainedFaults
  readonly decoding: DecodeQueue
  readonly lag: LagMonitor
  readonly rooms: ReadonlyMap<string, Room>
  /** Called once a second and on stop. */
  readonly count: () => void
}

/**
 * The relay's single timer: every 20 ms it runs the decoders and each room. An error in one room does not affect the
 * others.
 */
export class RelayTicks {
  readonly #options: RelayTicksOptions
  #ticker: Ticker | undefined
  #ticks = 0
  #last = 0

  constructor(options: RelayTicksOptions) {
    this.#options = options
  }

  /** Idempotent. */
  start(): void {
    this.#ticker ??= new Ticker(this.#options.clock, FRAME_MS, this.#tick)
  }

  /** All rooms are empty: stops the timer, completes its periodic work now and releases all call data. */
  stop(): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    // The time until the next call does not count as tick delay.
    this.#ticks = 0
    this.#options.decoding.clear()
    this.#options.lag.look([])
    this.#options.count()
  }

  readonly #tick = (now: number): void => {
    const { metrics, faults, decoding, lag, rooms, count } = this.#options
    const lateMs = this.#ticks++ > 0 ? now - this.#last - FRAME_MS : 0
    if (this.#ticks > 1) metrics.tickLateMs.record(lateMs)
    this.#last = now
    decoding.tick()
    // After a suspension, pending input is read before deadlines are checked: no peer missed them.
    const check = this.#ticks % CHECK_TICKS === 0 && lateMs < STOOD_STILL_MS
    for (const room of rooms.values())
      try {
        if (check) room.check(now)
        room.tick(now)
      } catch (error) {
        faults.note('room failed', error, { room: room.name })
      }
    if (this.#ticks % LAG_TICKS !== 0) return
    lag.look(rooms.values())
    count()
  }
}
