import type {
  Delta,
  EventLine,
  HealthFigures,
  LegFigures,
  Levels,
  Quantiles,
  RoomFigures,
  SimulatedCallView,
  Snapshot,
  UtteranceFigures,
} from '../protocol.ts'
import { EVENTS_KEPT, LagCurve, QUANTILES_KEPT, UTTERANCES_KEPT } from './figures.ts'

/** A leg as shown on the page. */
export interface ShownLeg {
  figures: LegFigures
  level: number
  lagMs: number
  readonly curve: LagCurve
}

/** Number of health values kept: two minutes. */
const HEALTH_KEPT = 120

/** The state of the page. Messages of the server update it, and views read it. */
export class Board {
  readonly rooms = new Map<string, RoomFigures>()
  readonly legs = new Map<number, ShownLeg>()
  events: EventLine[] = []
  utterances: UtteranceFigures[] = []
  quantiles: Quantiles[] = []
  calls: readonly SimulatedCallView[] = []
  /** Newest last. */
  health: HealthFigures[] = []
  /** Server time of the latest message (ms since 1970). */
  at = 0

  /** Replaces the complete state. */
  snapshot(told: Snapshot): void {
    this.at = told.at
    this.rooms.clear()
    this.legs.clear()
    for (const room of told.rooms) this.rooms.set(room.name, room)
    for (const { level, lag, ...figures } of told.legs)
      this.legs.set(figures.n, { figures, level, lagMs: lag.at(-1) ?? 0, curve: new LagCurve(lag) })
    this.events = [...told.events]
    this.utterances = [...told.utterances]
    this.quantiles = [...told.quantiles]
    this.calls = told.calls
    this.health = [told.health]
  }

  delta(told: Delta): void {
    this.at = told.at
    for (const name of told.goneRooms) this.rooms.delete(name)
    for (const n of told.goneLegs) this.legs.delete(n)
    for (const room of told.rooms) this.rooms.set(room.name, room)
    for (const figures of told.legs) {
      const known = this.legs.get(figures.n)
      if (known) known.figures = figures
      else this.legs.set(figures.n, { figures, level: 0, lagMs: 0, curve: new LagCurve() })
    }
    for (const [n, lagMs] of pairs(told.lag)) {
      const leg = this.legs.get(n)
      if (leg) leg.lagMs = lagMs
    }
    for (const { curve, lagMs } of this.legs.values()) curve.add(lagMs)
    // A page that connects between two deltas receives recent items twice.
    this.events = newest(this.events, told.events, ({ id }) => id, EVENTS_KEPT)
    this.utterances = newest(this.utterances, told.utterances, ({ id }) => id, UTTERANCES_KEPT)
    this.quantiles = newest(this.quantiles, told.quantiles, ({ at }) => at, QUANTILES_KEPT)
    this.health = [...this.health, told.health].slice(-HEALTH_KEPT)
    if (told.calls) this.calls = told.calls
  }

  levels(told: Levels): void {
    for (const [n, level] of pairs(told)) {
      const leg = this.legs.get(n)
      if (leg) leg.level = level
    }
  }
}

/** Merges `known` with the items of `more` that have a higher number; keeps the newest `kept`. */
function newest<T>(known: readonly T[], more: readonly T[], order: (item: T) => number, kept: number): T[] {
  const last = known.at(-1)
  const after = last === undefined ? Number.NEGATIVE_INFINITY : order(last)
  return [...known, ...more.filter(item => order(item) > after)].slice(-kept)
}

function* pairs(list: readonly number[]): Generator<[number, number]> {
  for (let at = 0; at + 1 < list.length; at += 2) yield [list[at]!, list[at + 1]!]
}
