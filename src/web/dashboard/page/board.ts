import type {
  Delta,
  EventLine,
  HealthFigures,
  LegFigures,
  Levels,
  NodeView,
  Quantiles,
  RoomFigures,
  SimulatedCallView,
  Snapshot,
  UtteranceFigures,
} from '../protocol.ts'
import { EVENTS_KEPT, LagCurve, QUANTILES_KEPT, UTTERANCES_KEPT } from './figures.ts'

/** A leg as shown on the page. `figures.n` is unique among all nodes. */
export interface ShownLeg {
  figures: LegFigures
  /** The node that sent it; empty for the server of this page. */
  readonly node: string
  level: number
  lagMs: number
  readonly curve: LagCurve
}

export interface ShownRoom extends RoomFigures {
  readonly node: string
}

/** The server of this page; others are named. */
const OWN = ''
/** Maximum number of nodes on the page. */
const MOST_NODES = 64
/** Number of health values kept: two minutes. */
const HEALTH_KEPT = 120

/** The data of one node, to merge it with others. */
interface Source {
  readonly index: number
  /** Numbers of its newest event and utterance. */
  event: number
  utterance: number
  health: HealthFigures | undefined
}

/**
 * The state of the page. Messages of the server update it, and views read it. In a fleet, rooms, legs, events and
 * utterances of all nodes are merged; percentiles, health and simulated calls are those of the server of this page.
 */
export class Board {
  readonly rooms = new Map<string, ShownRoom>()
  readonly legs = new Map<number, ShownLeg>()
  /** Numbered in the order of their arrival; so are the utterances. */
  events: (EventLine & { readonly node: string })[] = []
  utterances: (UtteranceFigures & { readonly node: string })[] = []
  quantiles: Quantiles[] = []
  calls: readonly SimulatedCallView[] = []
  /** Newest last. */
  health: HealthFigures[] = []
  /** Empty outside a fleet. */
  nodes: readonly NodeView[] = []
  /** Server time of the latest message (ms since 1970). */
  at = 0
  readonly #sources = new Map<string, Source>()
  #numbered = 0

  /** Replaces the complete state of a node; that of the server of this page starts a new connection, with all nodes. */
  snapshot(told: Snapshot, node = OWN): void {
    if (node === OWN) this.#clear()
    else this.gone(node)
    const source = this.#source(node)
    if (!source) return
    for (const room of told.rooms) this.rooms.set(room.name, { ...room, node })
    for (const { level, lag, ...figures } of told.legs)
      this.#add(figures, node, { level, lagMs: lag.at(-1) ?? 0, curve: new LagCurve(lag) })
    source.event = told.events.at(-1)?.id ?? 0
    source.utterance = told.utterances.at(-1)?.id ?? 0
    source.health = told.health
    this.events = this.#merged(this.events, told.events, node, EVENTS_KEPT)
    this.utterances = this.#merged(this.utterances, told.utterances, node, UTTERANCES_KEPT)
    if (node !== OWN) return
    this.at = told.at
    this.quantiles = [...told.quantiles]
    this.calls = told.calls
    this.health = [told.health]
  }

  delta(told: Delta, node = OWN): void {
    const source = this.#source(node)
    if (!source) return
    for (const name of told.goneRooms) if (this.rooms.get(name)?.node === node) this.rooms.delete(name)
    for (const n of told.goneLegs) this.legs.delete(numberOf(n, source))
    for (const room of told.rooms) this.rooms.set(room.name, { ...room, node })
    for (const figures of told.legs) {
      const known = this.legs.get(numberOf(figures.n, source))
      if (known) known.figures = { ...figures, n: known.figures.n }
      else this.#add(figures, node, { level: 0, lagMs: 0, curve: new LagCurve() })
    }
    for (const [n, lagMs] of pairs(told.lag)) {
      const leg = this.legs.get(numberOf(n, source))
      if (leg) leg.lagMs = lagMs
    }
    for (const leg of this.legs.values()) if (leg.node === node) leg.curve.add(leg.lagMs)
    // A page that connects between two deltas receives recent items twice.
    const events = told.events.filter(({ id }) => id > source.event)
    const utterances = told.utterances.filter(({ id }) => id > source.utterance)
    source.event = events.at(-1)?.id ?? source.event
    source.utterance = utterances.at(-1)?.id ?? source.utterance
    source.health = told.health
    this.events = [...this.events, ...this.#number(events, node)].slice(-EVENTS_KEPT)
    this.utterances = [...this.utterances, ...this.#number(utterances, node)].slice(-UTTERANCES_KEPT)
    if (node !== OWN) return
    this.at = told.at
    const last = this.quantiles.at(-1)?.at ?? Number.NEGATIVE_INFINITY
    this.quantiles = [...this.quantiles, ...told.quantiles.filter(({ at }) => at > last)].slice(
      -QUANTILES_KEPT,
    )
    this.health = [...this.health, told.health].slice(-HEALTH_KEPT)
    if (told.calls) this.calls = told.calls
  }

  levels(told: Levels, node = OWN): void {
    const source = this.#source(node)
    if (!source) return
    for (const [n, level] of pairs(told)) {
      const leg = this.legs.get(numberOf(n, source))
      if (leg) leg.level = level
    }
  }

  /** The state of a node is unknown: it has ended, or its messages are missing. */
  gone(node: string): void {
    for (const [name, room] of this.rooms) if (room.node === node) this.rooms.delete(name)
    for (const [n, leg] of this.legs) if (leg.node === node) this.legs.delete(n)
    const source = this.#sources.get(node)
    if (source) source.health = undefined
    this.events = this.events.filter(each => each.node !== node)
    this.utterances = this.utterances.filter(each => each.node !== node)
  }

  /** The latest health of a node; undefined if it is unknown. */
  healthOf({ node, self }: NodeView): HealthFigures | undefined {
    return this.#sources.get(self ? OWN : node)?.health
  }

  /** The name of the node that sent something; undefined outside a fleet. */
  nameOf(node: string): string | undefined {
    return node === OWN ? this.nodes.find(({ self }) => self)?.node : node
  }

  #clear(): void {
    this.rooms.clear()
    this.legs.clear()
    this.#sources.clear()
    this.events = []
    this.utterances = []
    this.nodes = []
  }

  /** Undefined if there are too many nodes. */
  #source(node: string): Source | undefined {
    const known = this.#sources.get(node)
    if (known || this.#sources.size >= MOST_NODES) return known
    const source = { index: this.#sources.size, event: 0, utterance: 0, health: undefined }
    this.#sources.set(node, source)
    return source
  }

  #add(figures: LegFigures, node: string, leg: Omit<ShownLeg, 'figures' | 'node'>): void {
    const source = this.#source(node)
    if (!source) return
    const n = numberOf(figures.n, source)
    this.legs.set(n, { ...leg, figures: { ...figures, n }, node })
  }

  #number<T extends { readonly id: number }>(items: readonly T[], node: string) {
    return items.map(item => ({ ...item, node, id: ++this.#numbered }))
  }

  /** Adds the past of a node to that of others: in the order of time, with new numbers. */
  #merged<T extends { readonly id: number; readonly at: number }>(
    known: readonly (T & { readonly node: string })[],
    past: readonly T[],
    node: string,
    kept: number,
  ): (T & { readonly node: string })[] {
    const all = [...known, ...past.map(item => ({ ...item, node }))].sort((a, b) => a.at - b.at).slice(-kept)
    return all.map(item => ({ ...item, id: ++this.#numbered }))
  }
}

/** Number of a leg on the page. Servers count from 1 and never get this far. */
function numberOf(n: number, { index }: Source): number {
  return n + index * 2 ** 32
}

function* pairs(list: readonly number[]): Generator<[number, number]> {
  for (let at = 0; at + 1 < list.length; at += 2) yield [list[at]!, list[at + 1]!]
}
