import { z } from 'zod'
import { type Clock, Ticker } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import type { WallClock } from '../common/wall-clock.ts'
import type { FleetNode, NodeIdentity, NodeReport } from '../core/model/fleet.ts'

/** Interval of heartbeats (ms). */
export const HEARTBEAT_MS = 500
/** A node that was silent for this long can be replaced (ms). */
export const LEASE_MS = 2_000
/** A node that was silent for this long is no longer listed (ms). */
const FORGET_MS = 60_000

export const nodeName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, 'a name of lower-case letters, digits and hyphens')
const count = z.int().min(0).max(1_000_000)

/** A heartbeat as published. */
export const heartbeatSchema = z.object({
  node: nodeName,
  incarnation: z.string().max(32),
  /** Start of this incarnation (wall clock ms): the older of two of one name gives way. */
  startedAt: z.number(),
  address: z.string().max(256),
  version: z.string().max(64),
  legs: count,
  rooms: count,
  draining: z.boolean(),
  /** Wall clock (ms). */
  at: z.number(),
  /** The node ends. */
  goodbye: z.boolean().optional(),
})
export type Heartbeat = z.infer<typeof heartbeatSchema>

const NOTHING: NodeReport = { address: '', legs: 0, rooms: 0, draining: false }

export interface MembersOptions {
  readonly self: NodeIdentity
  readonly version: string
  readonly publish: (heartbeat: Heartbeat) => void
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
}

interface Known {
  readonly heartbeat: Heartbeat
  readonly heardAt: number
  readonly skewMs: number
}

/**
 * The nodes of a fleet, by their heartbeats. A node counts as alive by this node’s monotonic clock alone, so
 * wrong wall clocks do not matter. Heartbeats decide only how long others wait; a store decides who is home.
 */
export class Members implements Disposable {
  /** Another process with the name of this node has started later; this one gives way to it. */
  superseded = false
  readonly #options: MembersOptions
  readonly #startedAt: number
  readonly #known = new Map<string, Known>()
  /** Since when other nodes can be received (clock ms). */
  #listeningSince: number
  #report: () => NodeReport = () => NOTHING
  #ticker: Ticker | undefined

  constructor(options: MembersOptions) {
    this.#options = options
    this.#startedAt = options.wallClock()
    this.#listeningSince = options.clock.now()
  }

  /** Starts to send heartbeats with this report. Call it once. */
  start(report: () => NodeReport): void {
    this.#report = report
    this.#ticker = new Ticker(this.#options.clock, HEARTBEAT_MS, () => this.#beat())
    this.#beat()
  }

  /** Sends a last heartbeat, so that others need not wait for the lease. */
  leave(): void {
    if (!this.#ticker) return
    this[Symbol.dispose]()
    this.#options.publish({ ...this.#own(), goodbye: true })
  }

  [Symbol.dispose](): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  /** Records a heartbeat that was received, of another node or of this one. */
  heard(heartbeat: Heartbeat): void {
    const { self, clock, wallClock, log } = this.#options
    const { node, incarnation, startedAt, at } = heartbeat
    if (node === self.node) {
      if (incarnation === self.incarnation || heartbeat.goodbye || this.superseded) return
      // By wall clock, and by the random part if both started in the same millisecond.
      const older =
        this.#startedAt === startedAt ? self.incarnation < incarnation : this.#startedAt < startedAt
      if (!older) return
      this.superseded = true
      log.error({ node }, 'another process has the name of this node: no more calls are admitted here')
      return
    }
    const known = this.#known.get(node)?.heartbeat.incarnation === incarnation
    this.#known.set(node, { heartbeat, heardAt: clock.now(), skewMs: Math.round(at - wallClock()) })
    // So that a node that has just started knows all others at once, and where they are.
    if (!known && !heartbeat.goodbye && this.#ticker) this.#beat()
  }

  /** No heartbeat could arrive until now: no node counts as silent for that. */
  reconnected(): void {
    const heardAt = this.#options.clock.now()
    this.#listeningSince = heardAt
    for (const [node, known] of this.#known) this.#known.set(node, { ...known, heardAt })
  }

  /** All nodes with recent heartbeats, this one first. */
  get nodes(): readonly FleetNode[] {
    const now = this.#options.clock.now()
    const others: FleetNode[] = []
    for (const { heartbeat, heardAt, skewMs } of this.#known.values()) {
      const silentMs = now - heardAt
      if (!heartbeat.goodbye && silentMs < FORGET_MS) others.push(nodeOf(heartbeat, silentMs, skewMs))
    }
    return [nodeOf(this.#own(), 0, 0), ...others]
  }

  /** Returns the node, if it was ever heard. */
  get(node: string): FleetNode | undefined {
    const known = this.#known.get(node)
    return known && nodeOf(known.heartbeat, this.#options.clock.now() - known.heardAt, known.skewMs)
  }

  /**
   * Returns the state of an incarnation: `alive`, `silent` beyond its lease (possibly cut off), or `ended`: it said
   * goodbye, or its node was started again.
   */
  stateOf({ node, incarnation }: NodeIdentity): 'alive' | 'silent' | 'ended' {
    const { self, clock } = this.#options
    if (node === self.node) return incarnation === self.incarnation ? 'alive' : 'ended'
    const known = this.#known.get(node)
    if (known && (known.heartbeat.incarnation !== incarnation || known.heartbeat.goodbye)) return 'ended'
    // A node that was never heard had no opportunity yet.
    return clock.now() - (known?.heardAt ?? this.#listeningSince) < LEASE_MS ? 'alive' : 'silent'
  }

  #beat(): void {
    this.#options.publish(this.#own())
  }

  #own(): Heartbeat {
    const { self, version, wallClock } = this.#options
    return {
      ...{ node: self.node, incarnation: self.incarnation, startedAt: this.#startedAt },
      ...{ version, ...this.#report(), at: wallClock() },
    }
  }
}

function nodeOf(heartbeat: Heartbeat, silentMs: number, skewMs: number): FleetNode {
  const { startedAt: _startedAt, at: _at, goodbye: _goodbye, ...node } = heartbeat
  return { ...node, silentMs, skewMs }
}
