import { FRAME_MS } from '../transcode/pcm.ts'
import { type Clock, Ticker } from './clock.ts'
import type { ContainedFaults } from './contained-faults.ts'
import type { DecodeQueue } from './decode-queue.ts'
import type { LagWatch } from './lag-watch.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Room } from './room.ts'

/** Ticks between two looks at the sessions' deadlines: 100 ms. */
const CHECK_TICKS = 5
/** A tick that comes so late shows that the process stood still, as in a machine that was frozen (ms). */
const STOOD_STILL_MS = 1_000
/** Ticks between two looks at the lag: 1 s. */
const LAG_TICKS = 50

export interface RelayTicksParts {
  readonly clock: Clock
  readonly metrics: RelayMetrics
  readonly faults: ContainedFaults
  readonly decoding: DecodeQueue
  readonly lag: LagWatch
  readonly rooms: ReadonlyMap<string, Room>
  /** Called once a second, and when it stops. */
  readonly count: () => void
}

/** The relay's one timer: every 20 ms it has speech decoded and gives every room its turn, whatever another one throws. */
export class RelayTicks {
  readonly #parts: RelayTicksParts
  #ticker: Ticker | undefined
  #ticks = 0
  #last = 0

  constructor(parts: RelayTicksParts) {
    this.#parts = parts
  }

  /** Idempotent. */
  start(): void {
    this.#ticker ??= new Ticker(this.#parts.clock, FRAME_MS, this.#tick)
  }

  /** Nobody is there: no more ticks come, so what they see to is settled now, and nothing of a call is kept. */
  stop(): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    // The time until the next call is no delay of a tick.
    this.#ticks = 0
    this.#parts.decoding.clear()
    this.#parts.lag.look([])
    this.#parts.count()
  }

  readonly #tick = (now: number): void => {
    const { metrics, faults, decoding, lag, rooms, count } = this.#parts
    const lateMs = this.#ticks++ > 0 ? now - this.#last - FRAME_MS : 0
    if (this.#ticks > 1) metrics.tickLateMs.record(lateMs)
    this.#last = now
    decoding.tick()
    // Nobody missed a deadline while nobody here could listen: what they said meanwhile is read first.
    const check = this.#ticks % CHECK_TICKS === 0 && lateMs < STOOD_STILL_MS
    for (const room of rooms.values())
      try {
        if (check) room.check(now)
        room.tick(now)
      } catch (error) {
        faults.note('a room failed', error, { room: room.name })
      }
    if (this.#ticks % LAG_TICKS !== 0) return
    lag.look(rooms.values())
    count()
  }
}
