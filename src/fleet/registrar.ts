import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { parseJsonAs } from '../common/json.ts'
import type { Claim, NodeIdentity, Registrar } from '../core/model/fleet.ts'
import type { FleetCounters } from './counters.ts'
import { away, ignoreAway, type Stored, type WatchedStore, WriteConflict } from './key-value-store.ts'

/** Attempts of a claim whose entry others change at the same time. */
const ATTEMPTS = 8
/** A home that is silent but whose process answers over HTTP is replaced after this time (ms). */
const LONGEST_SILENCE_MS = 10_000

/** The node that is home. Without `epoch`, the entry was written by another node, which moved the name; its revision counts. */
const homeSchema = z.object({
  node: z.string(),
  incarnation: z.string(),
  epoch: z.number().optional(),
  /** Identifies a write whose acknowledgment was lost. */
  nonce: z.string(),
})
type Home = z.infer<typeof homeSchema>

export interface RegistrarOptions {
  readonly self: NodeIdentity
  readonly store: WatchedStore
  readonly members: {
    readonly superseded: boolean
    stateOf(identity: NodeIdentity): 'alive' | 'silent' | 'ended'
    get(node: string): (NodeIdentity & { readonly silentMs: number }) | undefined
  }
  /** Returns whether the process of a node answers, independently of the store. */
  readonly reach: (node: string) => Promise<'answers' | 'refused' | 'unknown'>
  /** Returns the key for a name: a digest. */
  readonly keyOf: (name: string) => string
  readonly counters: FleetCounters
}

interface Held {
  readonly name: string
  readonly epoch: number
  revision: number
  /** Incarnation of the node to which it is being moved. */
  movesTo?: string | undefined
}

/**
 * Homes of names in a store. A claim, a confirmation and a move are each one compare-and-set write of the same entry, so
 * they have one order for all nodes: a confirmation after the claim of another node fails, regardless of the clock of its
 * node. The operations of this node on one name run one after the other.
 */
export class StoreRegistrar implements Registrar, Disposable {
  readonly #options: RegistrarOptions
  readonly #byKey = new Map<string, Held>()
  readonly #heldByName = new Map<string, number>()
  /** Homes as last heard. */
  readonly #homes = new Map<string, NodeIdentity & { readonly revision: number }>()
  readonly #lines = new Map<string, Promise<unknown>>()
  readonly #listeners = new Set<(name: string, epoch: number) => void>()
  #watch: Disposable | undefined

  constructor(options: RegistrarOptions) {
    this.#options = options
  }

  /** Starts to follow changes, again after a reconnection. */
  start(): void {
    this.#watch?.[Symbol.dispose]()
    this.#watch = this.#options.store.watch((key, stored) => this.#changed(key, stored))
  }

  get held(): ReadonlyMap<string, number> {
    return this.#heldByName
  }

  claim(name: string, gone?: NodeIdentity): Promise<Claim> {
    const key = this.#options.keyOf(name)
    return this.#inLine(key, () => this.#claim(key, name, gone))
  }

  confirm(name: string, epoch: number): Promise<boolean> {
    const key = this.#options.keyOf(name)
    return this.#inLine(key, () => this.#confirm(key, epoch))
  }

  move(name: string, epoch: number, to: string): Promise<boolean> {
    const key = this.#options.keyOf(name)
    return this.#inLine(key, async () => {
      const held = this.#byKey.get(key)
      const target = this.#options.members.get(to)
      if (held?.epoch !== epoch || !target) return false
      const home = { node: target.node, incarnation: target.incarnation, nonce: nonceOf() }
      // The change is possibly heard before the answer to the write.
      held.movesTo = target.incarnation
      try {
        await this.#write(key, home, held.revision)
      } catch (error) {
        held.movesTo = undefined
        if (!(error instanceof WriteConflict)) throw error
        this.#lose(key, held)
        return false
      }
      this.#forget(key, held)
      return true
    })
  }

  async release(name: string, epoch: number): Promise<void> {
    const key = this.#options.keyOf(name)
    await this.#inLine(key, async () => {
      const held = this.#byKey.get(key)
      if (held?.epoch !== epoch) return
      this.#forget(key, held)
      // If this fails, the entry names a live node that answers for it, until it is claimed again or expires.
      await this.#options.store.delete(key, held.revision).catch(() => {})
    })
  }

  homeOf(name: string): NodeIdentity | undefined {
    const home = this.#homes.get(this.#options.keyOf(name))
    return home && { node: home.node, incarnation: home.incarnation }
  }

  onLost(listener: (name: string, epoch: number) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** Writes all entries of this node again, before they expire. Never rejects. */
  async refresh(): Promise<void> {
    for (const [name, epoch] of [...this.#heldByName]) await this.confirm(name, epoch).catch(ignoreAway)
  }

  /**
   * Compares the names held here with the store, after it could not be reached: another node has possibly become home.
   * Rejects with `FLEET_AWAY`; repeat it then.
   */
  async reconcile(): Promise<void> {
    for (const key of [...this.#byKey.keys()])
      await this.#inLine(key, async () => {
        const held = this.#byKey.get(key)
        if (!held) return
        const stored = await this.#options.store.get(key)
        const home = homeIn(stored)
        if (stored && home?.incarnation === this.#options.self.incarnation) held.revision = stored.revision
        else if (home) this.#lose(key, held)
        else {
          try {
            held.revision = await this.#write(key, this.#own(held.epoch), stored?.revision ?? 0)
          } catch (error) {
            if (!(error instanceof WriteConflict)) throw error
            this.#lose(key, held)
          }
        }
      })
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]()
  }

  async #claim(key: string, name: string, gone: NodeIdentity | undefined): Promise<Claim> {
    const { self, store, counters, members } = this.#options
    if (members.superseded) throw away('another process has the name of this node')
    const held = this.#byKey.get(key)
    // A remembered entry can be outdated: this process was possibly stopped meanwhile.
    if (held && (await this.#confirm(key, held.epoch))) return { kind: 'home', epoch: held.epoch }
    let stored: Stored | undefined
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) stored = await store.get(key)
      const home = homeIn(stored)
      if (stored && home) {
        const epoch = home.epoch ?? stored.revision
        if (home.incarnation === self.incarnation) return this.#hold(key, name, epoch, stored.revision)
        if (!(await this.#replaceable(home, gone))) {
          counters.claims.elsewhere++
          return { kind: 'elsewhere', node: home.node, incarnation: home.incarnation, epoch }
        }
      }
      try {
        const revision = await this.#write(key, this.#own(undefined), stored?.revision ?? 0)
        if (home) counters.claims.takenOver++
        return this.#hold(key, name, revision, revision)
      } catch (error) {
        if (!(error instanceof WriteConflict)) {
          counters.claims.away++
          throw error
        }
      }
    }
    counters.claims.away++
    throw away('the entry is changed too often')
  }

  /** Returns whether another node can become home instead of `home`. */
  async #replaceable(home: Home, gone: NodeIdentity | undefined): Promise<boolean> {
    const { members, reach } = this.#options
    if (gone?.node === home.node && gone.incarnation === home.incarnation) return true
    const state = members.stateOf(home)
    if (state !== 'silent') return state === 'ended'
    // Cut off from the store, it continues to serve its calls. While it answers, newcomers wait for it to return.
    const silentMs = members.get(home.node)?.silentMs ?? Number.POSITIVE_INFINITY
    return silentMs >= LONGEST_SILENCE_MS || (await reach(home.node)) !== 'answers'
  }

  async #confirm(key: string, epoch: number): Promise<boolean> {
    const { store, self, members } = this.#options
    if (members.superseded) throw away('another process has the name of this node')
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const held = this.#byKey.get(key)
      if (held?.epoch !== epoch) return false
      try {
        held.revision = await this.#write(key, this.#own(epoch), held.revision)
        return true
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error
      }
      // A write that seemed to fail earlier was done, or another node is home.
      const stored = await store.get(key)
      const home = homeIn(stored)
      if (stored && home?.incarnation === self.incarnation && (home.epoch ?? stored.revision) === epoch)
        held.revision = stored.revision
      else {
        this.#lose(key, held)
        return false
      }
    }
    throw away('the entry is changed too often')
  }

  /** Writes an entry. After a write of unknown outcome, reads whether it was done. */
  async #write(key: string, home: Home, revision: number): Promise<number> {
    const { store } = this.#options
    try {
      return await store.write(key, JSON.stringify(home), revision)
    } catch (error) {
      if (error instanceof WriteConflict) throw error
      const stored = await store.get(key)
      if (stored && homeIn(stored)?.nonce === home.nonce) return stored.revision
      throw error
    }
  }

  #own(epoch: number | undefined): Home {
    const { node, incarnation } = this.#options.self
    return { node, incarnation, epoch, nonce: nonceOf() }
  }

  #hold(key: string, name: string, epoch: number, revision: number): Claim {
    this.#byKey.set(key, { name, epoch, revision })
    this.#heldByName.set(name, epoch)
    this.#options.counters.claims.home++
    return { kind: 'home', epoch }
  }

  #forget(key: string, held: Held): void {
    this.#byKey.delete(key)
    this.#heldByName.delete(held.name)
  }

  #lose(key: string, held: Held): void {
    if (this.#byKey.get(key) !== held) return
    this.#forget(key, held)
    for (const listener of this.#listeners) listener(held.name, held.epoch)
  }

  #changed(key: string, stored: Stored): void {
    const known = this.#homes.get(key)
    if (known && known.revision >= stored.revision) return
    const home = homeIn(stored)
    if (!home) {
      this.#homes.delete(key)
      return
    }
    const { node, incarnation } = home
    this.#homes.set(key, { node, incarnation, revision: stored.revision })
    const held = this.#byKey.get(key)
    if (!held || stored.revision <= held.revision) return
    if (incarnation !== this.#options.self.incarnation && incarnation !== held.movesTo) this.#lose(key, held)
  }

  #inLine<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(key) ?? Promise.resolve()
    const result = before.then(work, work)
    const settled = result.then(
      () => {},
      () => {},
    )
    this.#lines.set(key, settled)
    void settled.then(() => {
      if (this.#lines.get(key) === settled) this.#lines.delete(key)
    })
    return result
  }
}

function homeIn(stored: Stored | undefined): Home | undefined {
  return stored?.value === undefined ? undefined : parseJsonAs(stored.value, homeSchema)
}

function nonceOf(): string {
  return randomBytes(6).toString('base64url')
}
