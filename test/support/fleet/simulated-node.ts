import type { Clock } from '../../../src/common/clock.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { MOVED, RoomHomes } from '../../../src/core/calls/room-homes.ts'
import type { Exchange, Fleet, NodeIdentity } from '../../../src/core/model/fleet.ts'
import { FleetCounters } from '../../../src/fleet/counters.ts'
import { away, type Stored, type WatchedStore } from '../../../src/fleet/key-value-store.ts'
import { Members } from '../../../src/fleet/members.ts'
import { StoreRegistrar } from '../../../src/fleet/registrar.ts'

import type { SimulatedFleet } from './simulated-fleet.ts'

/** Time after which a request to the store fails (ms). */
const STORE_TIMEOUT_MS = 800

/** Runs something in one incarnation of a process. */
type Process = (run: () => void) => void

/** One node. Its objects are those of one incarnation; a restart makes new ones. */
export class SimulatedNode {
  readonly name: string
  paused = false
  alive = true
  /** It cannot reach the store, or the other nodes’ messages. */
  cut = false
  /** Parties by room. */
  readonly parties = new Map<string, number>()
  homes!: RoomHomes
  readonly #fleet: SimulatedFleet
  #incarnation = 0
  #rate = 1
  #wallOffset = 0
  #deferred: (() => void)[] = []
  #members!: Members
  #registrar!: StoreRegistrar
  #changed: (key: string, stored: Stored) => void = () => {}
  #handlers = new Map<string, (body: unknown) => Promise<unknown>>()

  constructor(fleet: SimulatedFleet, name: string) {
    this.#fleet = fleet
    this.name = name
  }

  get identity(): NodeIdentity {
    return { node: this.name, incarnation: `${this.name} ${this.#incarnation}` }
  }

  /** Starts the process, for the first time or again. */
  start(): void {
    if (this.#incarnation > 0 && this.alive) return
    const fleet = this.#fleet
    this.#incarnation++
    this.alive = true
    this.paused = false
    this.#deferred = []
    this.parties.clear()
    this.#handlers = new Map()
    this.#rate = 0.9 + 0.2 * fleet.random()
    const self = this.identity
    const process = this.#process()
    const clock = this.#clock(process)
    this.#members = new Members({
      ...{ self, clock, version: '', log: noopLogger },
      wallClock: () => fleet.now + this.#wallOffset,
      publish: heartbeat => {
        for (const other of fleet.nodes)
          if (other !== this) this.#send(other, () => other.#members.heard(heartbeat))
      },
    })
    this.#registrar = new StoreRegistrar({
      ...{ self, store: this.#store(process), members: this.#members, counters: new FleetCounters() },
      reach: node => this.#reach(process, node),
      keyOf,
    })
    this.#registrar.start()
    this.homes = new RoomHomes({
      fleet: this.#port(process, self),
      inUse: room => (this.parties.get(room) ?? 0) > 0,
      draining: () => false,
      clock,
    })
    this.homes.onLost(rooms => {
      for (const room of rooms) this.parties.delete(room)
    })
    this.homes.start()
    this.#members.start(() => ({ address: this.name, legs: 0, rooms: 0, draining: false }))
  }

  kill(): void {
    this.alive = false
    this.#deferred = []
  }

  pause(): void {
    this.paused = true
  }

  wake(): void {
    if (!this.paused) return
    this.paused = false
    const waiting = this.#deferred
    this.#deferred = []
    for (const run of waiting) this.#fleet.schedule(this.#fleet.now, () => this.do(run))
  }

  jumpWallClock(ms: number): void {
    this.#wallOffset += ms
  }

  /** The connection to the store is back. */
  heal(): void {
    if (!this.cut) return
    this.cut = false
    this.#members.reconnected()
    for (const [key, entry] of this.#fleet.entries) this.watched(key, entry)
    const compare = () =>
      void this.#registrar.reconcile().catch(() => this.#fleet.schedule(this.#fleet.now + 200, compare))
    compare()
  }

  /** A party asks this node to enter `room`. Resolves when it is in, here or elsewhere, or was turned away. */
  async enter(room: string): Promise<string | undefined> {
    if (!this.alive) return undefined
    const began = this.#fleet.now
    const process = this.#process()
    try {
      return await this.homes.enter<string>({
        room,
        here: () => this.#admit(room, began),
        there: async node => {
          const target = this.#fleet.nodes.find(({ name }) => name === node)
          const answer = await this.#ask(process, target, 'admit', { room })
          return typeof answer === 'string' ? answer : MOVED
        },
      })
    } catch (error) {
      if (error instanceof BridgeError) return undefined
      throw error
    }
  }

  /** Runs `run` in this process: not once it was killed, later while it is paused. */
  do(run: () => void): void {
    if (!this.alive) return
    if (this.paused) this.#deferred.push(run)
    else run()
  }

  /** Returns `do` for the present incarnation alone. */
  #process(): Process {
    const incarnation = this.#incarnation
    return run =>
      this.do(() => {
        if (this.#incarnation === incarnation) run()
      })
  }

  watched(key: string, stored: Stored): void {
    const incarnation = this.#incarnation
    if (this.cut || incarnation === 0) return
    this.#fleet.schedule(this.#fleet.now + this.#fleet.random() * 20, () =>
      this.do(() => {
        if (this.#incarnation === incarnation) this.#changed(key, stored)
      }),
    )
  }

  #admit(room: string, began: number): string {
    const epoch = this.#registrar.held.get(`room ${room}`)
    this.#fleet.admitted.push({ room, node: this.name, epoch, began })
    this.parties.set(room, (this.parties.get(room) ?? 0) + 1)
    return this.name
  }

  #clock(process: Process): Clock {
    const fleet = this.#fleet
    const rate = this.#rate
    return {
      now: () => fleet.now * rate,
      at: (deadline, task) => {
        const due = fleet.schedule(deadline / rate, () => process(task))
        return { [Symbol.dispose]: () => fleet.cancel(due) }
      },
    }
  }

  /** A request that reaches the store late, or never, and whose answer can be lost. */
  #request<T>(process: Process, work: () => T): Promise<T> {
    const fleet = this.#fleet
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    fleet.schedule(fleet.now + STORE_TIMEOUT_MS, () => process(() => reject(away('time-out'))))
    fleet.schedule(fleet.now + fleet.random() * 5, () => {
      if (this.cut) return
      let answer: () => void
      try {
        const result = work()
        answer = () => resolve(result)
      } catch (error) {
        answer = () => reject(error)
      }
      fleet.schedule(fleet.now + fleet.random() * 5, () => {
        // The write was done, but its answer is lost.
        if (!this.cut && fleet.random() > 0.02) process(answer)
      })
    })
    return promise
  }

  #store(process: Process): WatchedStore {
    const fleet = this.#fleet
    const refuse = () => {
      throw new Error('not simulated')
    }
    return {
      get: key => this.#request(process, () => fleet.entries.get(key)),
      write: (key, value, revision) => this.#request(process, () => fleet.change(key, value, revision)),
      delete: async (key, revision) => {
        await this.#request(process, () => fleet.change(key, undefined, revision))
      },
      put: refuse,
      entries: refuse,
      watch: changed => {
        this.#changed = changed
        return { [Symbol.dispose]() {} }
      },
    }
  }

  #send(to: SimulatedNode, run: () => void, process: Process = task => to.do(task)): void {
    const { random, now } = this.#fleet
    if (this.cut || to.cut) return
    this.#fleet.schedule(now + random() * 5, () => process(run))
  }

  #ask(process: Process, to: SimulatedNode | undefined, what: string, body: unknown): Promise<unknown> {
    const fleet = this.#fleet
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (this.cut) return Promise.reject(away('cut off'))
    if (!to?.alive || to.cut)
      fleet.schedule(fleet.now + 1, () =>
        process(() => reject(new BridgeError('NODE_GONE', '', { retryable: true }))),
      )
    else {
      fleet.schedule(fleet.now + 400, () =>
        process(() => reject(new BridgeError('NODE_LATE', '', { retryable: true }))),
      )
      this.#send(to, () => {
        void to.#handlers
          .get(what)?.(body)
          .then(
            answer => to.#send(this, () => resolve(answer), process),
            (error: unknown) => to.#send(this, () => reject(error), process),
          )
      })
    }
    return promise
  }

  #reach(process: Process, node: string): Promise<'answers' | 'refused' | 'unknown'> {
    const fleet = this.#fleet
    const target = fleet.nodes.find(({ name }) => name === node)
    const { promise, resolve } = Promise.withResolvers<'answers' | 'refused' | 'unknown'>()
    // HTTP does not depend on the bus.
    const result = !target?.alive ? 'refused' : target.paused ? 'unknown' : 'answers'
    fleet.schedule(fleet.now + (result === 'unknown' ? 500 : 2), () => process(() => resolve(result)))
    return promise
  }

  #port(process: Process, self: NodeIdentity): Fleet {
    const node = this
    const registrar = this.#registrar
    const exchange: Pick<Exchange, 'ask' | 'answer'> = {
      ask: (to, what, body) =>
        this.#ask(
          process,
          this.#fleet.nodes.find(({ name }) => name === to),
          what,
          body,
        ),
      answer: (what, schema, handler) => {
        this.#handlers.set(what, async body => handler(schema.parse(body), ''))
        return { [Symbol.dispose]() {} }
      },
    }
    this.#handlers.set('admit', async body => {
      const { room } = body as { room: string }
      const began = this.#fleet.now
      return (await this.homes.holds(room)) ? this.#admit(room, began) : false
    })
    return {
      ...self,
      get status() {
        return node.cut ? 'away' : 'up'
      },
      get nodes() {
        return node.#members.nodes
      },
      registrar,
      exchange,
      reach: (to: string) => this.#reach(process, to),
    } as unknown as Fleet
  }
}

export function keyOf(name: string): string {
  return name.replaceAll(' ', '_')
}
