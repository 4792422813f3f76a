import { z } from 'zod'
import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, pause, Ticker } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import type { Fleet, FleetNode, NodeIdentity } from '../model/fleet.ts'

/** Time for which a caller waits for a room whose home cannot be determined (ms). Twilio waits 15 s for a webhook. */
const ENTRY_WAIT_MS = 8_000
/** Pause before an attempt is repeated (ms). */
const RETRY_MS = 100
/** Interval between checks for rooms that are no longer used (ms). */
const SWEEP_MS = 2_000
/** Rooms that are unused for this long are released (ms): a redirected caller returns within it. */
const UNUSED_MS = 10_000

/** Maximum number of moved rooms that are remembered. */
const MOST_MOVED = 10_000

/** Question whether a node is home to a room, or becomes it, and the time for an answer (ms). */
const HOLDS = 'room.holds'
const HOLDS_MS = 400
const roomSchema = z.object({ room: z.string().min(1).max(256) })

/** Returned by `there` if the other node is no longer the home of the room. */
export const MOVED = Symbol('the room has moved')

/** One participant that enters a room. */
export interface RoomEntry<T> {
  readonly room: string
  /** No one else can enter the room, so it needs no other node: it can be entered while the fleet is unavailable. */
  readonly closed?: boolean
  /** Admits the participant at this node. Synchronous, so that nothing changes in between. */
  readonly here: () => T
  /** Asks `node`, the home of the room, to admit the participant. */
  readonly there: (node: string) => Promise<T | typeof MOVED>
}

/** The node that admits a participant to a room that is possibly at home elsewhere. */
export interface RoomPlacement {
  /**
   * Runs `here` if this node is home to the room, verified by a write, and `there` otherwise. Rejects with `FLEET_AWAY`
   * if neither is possible within 8 s, or with the error of either.
   */
  enter<T>(entry: RoomEntry<T>): Promise<T>
}

export interface RoomHomesOptions {
  readonly fleet: Fleet
  /** Returns whether anyone is in the room or expected there. */
  readonly inUse: (room: string) => boolean
  /** This node is shutting down and opens no more rooms. */
  readonly draining: () => boolean
  readonly clock: Clock
  readonly log?: Logger
}

interface Held {
  /** Undefined: opened while the fleet was unavailable, and not yet registered. */
  epoch: number | undefined
  /** Last time at which it was used (clock ms). */
  usedAt: number
}

/**
 * Keeps every room of a fleet on one node, its home, so that media never crosses nodes. A participant enters a room where
 * it is at home. The first claim of a room decides, and a home verifies that it still is one before it admits another
 * participant. A home that has ended is replaced.
 */
export class RoomHomes implements RoomPlacement, Disposable {
  /** Rooms lost to another node. */
  lost = 0
  /** Participants rejected because their home could not be determined. */
  rejected = 0
  readonly #options: RoomHomesOptions
  readonly #log: Logger
  readonly #held = new Map<string, Held>()
  /** Rooms that were here and are at other nodes now. */
  readonly #moved = new BoundedMap<string, true>(MOST_MOVED)
  readonly #listeners = new Set<(rooms: ReadonlySet<string>) => void>()
  #subscriptions: readonly Disposable[] = []
  #ticker: Ticker | undefined

  constructor(options: RoomHomesOptions) {
    this.#options = options
    this.#log = options.log ?? noopLogger
  }

  /** Starts to release unused rooms and to follow losses. */
  start(): void {
    const { fleet, clock } = this.#options
    if (fleet.status === 'alone') return
    this.#subscriptions = [
      fleet.registrar.onLost((name, epoch) => this.#onLost(name, epoch)),
      fleet.exchange.answer(HOLDS, roomSchema, ({ room }) => this.holds(room)),
    ]
    this.#ticker = new Ticker(clock, SWEEP_MS, now => this.#sweep(now))
  }

  /** Rooms whose home is here. */
  get rooms(): Iterable<string> {
    return this.#held.keys()
  }

  /** Name of this node. */
  get node(): string {
    return this.#options.fleet.node
  }

  /** Returns whether this node is home to `room`, as far as it knows. */
  has(room: string): boolean {
    return this.#options.fleet.status === 'alone' || this.#held.has(room)
  }

  /** Returns whether `room` was here and continues at another node: what belongs to it must not be ended here. */
  hasMoved(room: string): boolean {
    return this.#moved.has(room)
  }

  /** Returns the node to ask about `room`, as last heard; undefined: this one, or none. */
  nodeOf(room: string): string | undefined {
    if (this.has(room)) return undefined
    const home = this.#options.fleet.registrar.homeOf(nameOf(room))
    return home?.node === this.#options.fleet.node ? undefined : home?.node
  }

  /** Registers a room that was opened here without `enter`, such as that of a voice channel, so that others find it. */
  adopt(room: string): void {
    const { fleet, clock } = this.#options
    if (fleet.status === 'alone' || this.#held.has(room)) return
    const held: Held = { epoch: undefined, usedAt: clock.now() }
    this.#held.set(room, held)
    // Otherwise with a later sweep.
    if (fleet.status === 'up') void this.#register(room, held)
  }

  /** Calls `listener` with rooms that other nodes have taken over: their participants must leave and enter again. */
  onLost(listener: (rooms: ReadonlySet<string>) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  async enter<T>(entry: RoomEntry<T>): Promise<T> {
    const { fleet, clock } = this.#options
    if (fleet.status === 'alone') return entry.here()
    const until = clock.now() + ENTRY_WAIT_MS
    let gone: NodeIdentity | undefined
    let asked: NodeIdentity | undefined
    let failure: unknown
    for (let attempt = 0; attempt === 0 || clock.now() < until; attempt++) {
      if (attempt === 1) {
        const code = failure instanceof BridgeError ? failure.code : 'MOVED'
        this.#log.info({ code }, 'waiting for the home of a room')
      }
      if (attempt > 0) await pause(clock, RETRY_MS)
      try {
        asked = await this.#target(entry.room, gone)
        if (asked === undefined) return entry.here()
        const result = await entry.there(asked.node)
        if (result !== MOVED) return result
      } catch (error) {
        failure = error
        if (!(error instanceof BridgeError)) throw error
        if (error.code === 'NODE_GONE') gone = asked && (await this.#ended(asked)) ? asked : undefined
        else if (error.code === 'FLEET_AWAY') {
          if (entry.closed) return this.#enterUnregistered(entry)
        } else if (error.code !== 'NODE_LATE') throw error
      }
    }
    this.rejected++
    throw new BridgeError('FLEET_AWAY', 'the home of the room could not be determined', {
      retryable: true,
      cause: failure,
    })
  }

  /**
   * Resolves to the node at which a participant can enter `room`; undefined: here. `closed`: no one else can enter it. Rejects
   * with `FLEET_AWAY`.
   */
  locate(room: string, closed = false): Promise<string | undefined> {
    const { exchange } = this.#options.fleet
    return this.enter<string | undefined>({
      ...{ room, closed },
      here: () => undefined,
      there: async node => ((await exchange.ask(node, HOLDS, { room }, HOLDS_MS)) === true ? node : MOVED),
    })
  }

  /** Verifies that this node is home to `room`, or makes it home; returns false if another node is. For requests of others. */
  async holds(room: string): Promise<boolean> {
    if (this.#options.fleet.status === 'alone') return true
    return (await this.#claim(room, undefined)) === undefined
  }

  /**
   * Moves every room to other nodes, and returns those moved. Their participants must then leave, and enter
   * again. Rooms that cannot be moved stay.
   */
  async moveAll(): Promise<ReadonlySet<string>> {
    const { fleet } = this.#options
    const targets = this.#others()
    const moved = new Set<string>()
    await Promise.all(
      Array.from(this.#held, async ([room, { epoch }], index) => {
        const target = targets[index % targets.length]
        if (epoch === undefined || !target) return
        try {
          if (await fleet.registrar.move(nameOf(room), epoch, target.node)) moved.add(room)
        } catch (error) {
          if (!(error instanceof BridgeError)) throw error
        }
      }),
    )
    for (const room of moved) {
      this.#held.delete(room)
      this.#moved.set(room, true)
    }
    if (moved.size > 0)
      this.#log.info({ rooms: moved.size, nodes: targets.length }, 'rooms moved to other nodes')
    return moved
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }

  /** Returns the node that admits to `room`; undefined: this one. */
  async #target(room: string, gone: NodeIdentity | undefined): Promise<NodeIdentity | undefined> {
    if (!this.#options.draining() || this.#held.has(room)) return this.#claim(room, gone)
    // The home, or another node, which becomes the home on request.
    const home = this.#options.fleet.registrar.homeOf(nameOf(room))
    const others = this.#others()
    return others.find(({ node }) => node === home?.node) ?? others[0] ?? this.#claim(room, gone)
  }

  async #claim(room: string, gone: NodeIdentity | undefined): Promise<NodeIdentity | undefined> {
    const { fleet, clock } = this.#options
    const claim = await fleet.registrar.claim(nameOf(room), gone)
    if (claim.kind === 'elsewhere') return claim
    this.#held.set(room, { epoch: claim.epoch, usedAt: clock.now() })
    this.#moved.delete(room)
    return undefined
  }

  /** Other nodes that take rooms, the least loaded first. */
  #others(): FleetNode[] {
    const { fleet } = this.#options
    return fleet.nodes
      .filter(({ node, draining }) => node !== fleet.node && !draining)
      .sort((a, b) => a.legs - b.legs || a.node.localeCompare(b.node))
  }

  /** No one answers at `home`: returns whether its process has ended. */
  async #ended({ node }: NodeIdentity): Promise<boolean> {
    return (await this.#options.fleet.reach(node)) === 'refused'
  }

  #enterUnregistered<T>({ room, here }: RoomEntry<T>): T {
    if (!this.#held.has(room)) this.#held.set(room, { epoch: undefined, usedAt: this.#options.clock.now() })
    return here()
  }

  #onLost(name: string, epoch: number): void {
    for (const [room, held] of this.#held) {
      if (held.epoch !== epoch || nameOf(room) !== name) continue
      this.#held.delete(room)
      this.#moved.set(room, true)
      this.lost++
      this.#log.warn({ rooms: 1 }, 'room lost to another node')
      for (const listener of this.#listeners) listener(new Set([room]))
    }
  }

  #sweep(now: number): void {
    const { fleet, inUse } = this.#options
    for (const [room, held] of this.#held) {
      if (inUse(room)) held.usedAt = now
      else if (now - held.usedAt >= UNUSED_MS) {
        this.#held.delete(room)
        if (held.epoch !== undefined) void fleet.registrar.release(nameOf(room), held.epoch)
        continue
      }
      if (held.epoch === undefined && fleet.status === 'up') void this.#register(room, held)
    }
  }

  /** Registers a room that was opened while the fleet was unavailable. */
  async #register(room: string, held: Held): Promise<void> {
    try {
      const claim = await this.#options.fleet.registrar.claim(nameOf(room))
      if (claim.kind === 'home') held.epoch = claim.epoch
    } catch (error) {
      // Tried again with the next sweep.
      if (!(error instanceof BridgeError)) throw error
    }
  }
}

/** Name of a room in the registrar, which also has other names. */
function nameOf(room: string): string {
  return `room ${room}`
}
