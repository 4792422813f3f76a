import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import { BridgeError } from '../../../src/common/errors.ts'
import type {
  Answerer,
  Claim,
  Entry,
  Exchange,
  Fleet,
  FleetNode,
  FleetStatus,
  NodeReport,
  Quota,
  QuotaTerms,
  Registrar,
  Slots,
  Table,
  TableLife,
} from '../../../src/core/model/fleet.ts'
import { HubQuota, hubSlots, type Leases, type SlotsInUse } from './hub-quota.ts'

interface Stored {
  readonly text: string
  readonly revision: number
}

/** The state shared by all nodes. */
export class FleetHub {
  readonly nodes = new Map<string, HubFleet>()
  readonly tables = new Map<string, Map<string, Stored>>()
  readonly leases: Leases = new Map()
  readonly slots: SlotsInUse = new Map()
  readonly homes = new Map<string, { readonly node: string; readonly epoch: number }>()
  /** Told when a name that was at `node` is at another. */
  readonly lost = new Set<(node: string, name: string, epoch: number) => void>()
  /** Bodies of all messages, as text. */
  readonly messages: string[] = []
  revision = 0

  /** Adds a node. */
  join(node: string): HubFleet {
    const fleet = new HubFleet(this, node)
    this.nodes.set(node, fleet)
    return fleet
  }

  /** Returns everything that is stored, with its keys, as text. */
  get stored(): string {
    return Array.from(this.tables, ([table, entries]) =>
      Array.from(entries, ([key, { text }]) => `${table} ${key} ${text}`).join('\n'),
    ).join('\n')
  }
}

/** Default time for an answer (ms). */
const ASK_MS = 2_000

const NOTHING: NodeReport = { address: '', legs: 0, rooms: 0, draining: false }

/** A node of a `FleetHub`. Its operations take microtasks only. */
export class HubFleet implements Fleet {
  readonly node: string
  readonly incarnation: string
  readonly registrar: Registrar
  readonly exchange: HubExchange
  readonly #hub: FleetHub
  readonly #listeners = new Set<(status: FleetStatus) => void>()
  #report: () => NodeReport = () => NOTHING
  #away = false
  #dead = false

  constructor(hub: FleetHub, node: string) {
    this.#hub = hub
    this.node = node
    this.incarnation = `${node} ${++hub.revision}`
    this.registrar = hubRegistrar(hub, node, () => this.#connected())
    this.exchange = new HubExchange(hub, node, () => this.#connected())
  }

  get status(): FleetStatus {
    return this.#away ? 'away' : 'up'
  }

  /** True: this node cannot reach the others. */
  set away(away: boolean) {
    this.#away = away
    for (const listener of this.#listeners) listener(this.status)
  }

  get reachable(): boolean {
    return !this.#away && !this.#dead
  }

  /** Ends the node without notice. */
  kill(): void {
    this.#dead = true
    this.#hub.nodes.delete(this.node)
    for (const counts of this.#hub.slots.values()) counts.delete(this.incarnation)
  }

  join(report: () => NodeReport): void {
    this.#report = report
  }

  get nodes(): readonly FleetNode[] {
    return Array.from(this.#hub.nodes.values(), each => each.#asNode())
  }

  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T> {
    const entries = this.#hub.tables.get(`${life} ${name}`) ?? new Map<string, Stored>()
    this.#hub.tables.set(`${life} ${name}`, entries)
    return hubTable(this.#hub, entries, schema, () => this.#connected())
  }

  #asNode(): FleetNode {
    const { node, incarnation } = this
    return { node, incarnation, version: '', silentMs: 0, skewMs: 0, ...this.#report() }
  }

  quota(scope: string, terms: QuotaTerms): Quota {
    return new HubQuota(scope, terms, this.#hub.leases, () => this.reachable)
  }

  slots(scope: string, limit: number): Slots {
    const { incarnation } = this
    return hubSlots({ scope, limit, incarnation, inUse: this.#hub.slots, reach: () => this.#connected() })
  }

  async reach(): Promise<'unknown'> {
    return 'unknown'
  }

  digest(text: string): string {
    return createHmac('sha256', 'a key of the hub').update(text).digest('base64url').slice(0, 27)
  }

  onStatus(listener: (status: FleetStatus) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
  }

  async #connected(): Promise<void> {
    if (!this.reachable) throw new BridgeError('FLEET_AWAY', 'the fleet is away', { retryable: true })
  }
}

class HubExchange implements Exchange {
  readonly answers = new Map<string, (body: unknown, from: string) => Promise<unknown>>()
  readonly listeners = new Map<string, Set<(body: unknown, from: string) => void>>()
  readonly #hub: FleetHub
  readonly #node: string
  readonly #reach: () => Promise<void>

  constructor(hub: FleetHub, node: string, reach: () => Promise<void>) {
    this.#hub = hub
    this.#node = node
    this.#reach = reach
  }

  async ask(node: string, what: string, body: unknown, withinMs = ASK_MS): Promise<unknown> {
    await this.#reach()
    const other = this.#hub.nodes.get(node)
    const handler = other?.exchange.answers.get(what)
    if (!other || !handler)
      throw new BridgeError('NODE_GONE', `nobody answers at ${node}`, { retryable: true })
    if (!other.reachable) throw new BridgeError('NODE_LATE', `${node} does not answer`, { retryable: true })
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new BridgeError('NODE_LATE', `${node} does not answer`, { retryable: true })),
      withinMs,
    )
    try {
      return copied(await Promise.race([handler(copied(body), this.#node), late]))
    } catch (error) {
      throw error instanceof BridgeError ? error : new BridgeError('FLEET_FAILED', 'internal error')
    } finally {
      clearTimeout(timer)
    }
  }

  answer<T>(what: string, schema: z.ZodType<T>, handler: Answerer<T>): Disposable {
    if (this.answers.has(what)) throw new BridgeError('STATE', `${what} has a handler already`)
    this.answers.set(what, async (body, from) => handler(schema.parse(body), from))
    return { [Symbol.dispose]: () => void this.answers.delete(what) }
  }

  tell(subject: string, body: unknown): void {
    if (this.#hub.nodes.get(this.#node)?.reachable !== true) return
    this.#hub.messages.push(`${subject} ${JSON.stringify(body)}`)
    for (const [node, { exchange, reachable }] of this.#hub.nodes)
      if (node !== this.#node && reachable)
        for (const listener of exchange.listeners.get(subject) ?? []) listener(copied(body), this.#node)
  }

  hear<T>(subject: string, schema: z.ZodType<T>, listener: (body: T, from: string) => void): Disposable {
    const all = this.listeners.get(subject) ?? new Set()
    this.listeners.set(subject, all)
    const hear = (body: unknown, from: string) => {
      const read = schema.safeParse(body)
      if (read.success) listener(read.data, from)
    }
    all.add(hear)
    return { [Symbol.dispose]: () => void all.delete(hear) }
  }
}

function hubTable<T>(
  hub: FleetHub,
  entries: Map<string, Stored>,
  schema: z.ZodType<T>,
  reach: () => Promise<void>,
): Table<T> {
  const read = ({ text, revision }: Stored): Entry<T> | undefined => {
    const { data } = schema.safeParse(JSON.parse(text))
    return data === undefined ? undefined : { value: data, revision }
  }
  const write = (key: string, value: T) => {
    const revision = ++hub.revision
    entries.set(key, { text: JSON.stringify(value), revision })
    return revision
  }
  return {
    async get(key) {
      await reach()
      const stored = entries.get(key)
      return stored && read(stored)
    },
    async create(key, value) {
      await reach()
      return entries.has(key) ? undefined : write(key, value)
    },
    async put(key, value) {
      await reach()
      write(key, value)
    },
    async replace(key, value, revision) {
      await reach()
      return entries.get(key)?.revision === revision ? write(key, value) : undefined
    },
    async delete(key) {
      await reach()
      entries.delete(key)
    },
    async entries() {
      await reach()
      const all = Array.from(entries, ([key, stored]) => [key, read(stored)] as const)
      return new Map(all.filter((entry): entry is [string, Entry<T>] => entry[1] !== undefined))
    },
  }
}

function hubRegistrar(hub: FleetHub, node: string, reach: () => Promise<void>): Registrar {
  const held = new Map<string, number>()
  const isHome = (name: string, epoch: number) =>
    hub.homes.get(name)?.node === node && hub.homes.get(name)?.epoch === epoch
  return {
    held,
    async claim(name, gone): Promise<Claim> {
      await reach()
      const home = hub.homes.get(name)
      const other = home && home.node !== node ? hub.nodes.get(home.node) : undefined
      if (home && other && other.incarnation !== gone?.incarnation)
        return { kind: 'elsewhere', epoch: home.epoch, node: other.node, incarnation: other.incarnation }
      const epoch = home?.node === node ? home.epoch : ++hub.revision
      hub.homes.set(name, { node, epoch })
      held.set(name, epoch)
      if (home && other) for (const listener of hub.lost) listener(other.node, name, home.epoch)
      return { kind: 'home', epoch }
    },
    async confirm(name, epoch) {
      await reach()
      return isHome(name, epoch)
    },
    async move(name, epoch, to) {
      await reach()
      if (!isHome(name, epoch) || !hub.nodes.has(to)) return false
      hub.homes.set(name, { node: to, epoch: ++hub.revision })
      held.delete(name)
      return true
    },
    async release(name, epoch) {
      held.delete(name)
      if (isHome(name, epoch)) hub.homes.delete(name)
    },
    homeOf(name) {
      const home = hub.homes.get(name)
      return home && hub.nodes.get(home.node)
    },
    onLost(listener) {
      const told = (from: string, name: string, epoch: number) => {
        if (from !== node) return
        held.delete(name)
        listener(name, epoch)
      }
      hub.lost.add(told)
      return { [Symbol.dispose]: () => void hub.lost.delete(told) }
    },
  }
}

function copied(body: unknown): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body))
}
