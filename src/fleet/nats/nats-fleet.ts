import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { NatsConnection } from '@nats-io/transport-node'
import type { z } from 'zod'
import { type Clock, pause, systemClock, Ticker } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { type Logger, noopLogger } from '../../common/log.ts'
import { shortDigest } from '../../common/secrets.ts'
import { systemWallClock, type WallClock } from '../../common/wall-clock.ts'
import type {
  Fleet,
  FleetNode,
  FleetStatus,
  NodeIdentity,
  NodeReport,
  Quota,
  QuotaTerms,
  Slots,
  Table,
  TableLife,
} from '../../core/model/fleet.ts'
import { FleetCounters } from '../counters.ts'
import { StoreTable } from '../key-value-store.ts'
import { StoreQuota, StoreSlots } from '../limits.ts'
import { type Heartbeat, heartbeatSchema, Members } from '../members.ts'
import { StoreRegistrar } from '../registrar.ts'
import type { NatsSettings } from '../settings.ts'
import { type BucketName, NatsLink } from './nats-connection.ts'
import { NatsExchange } from './nats-exchange.ts'
import { NatsStore } from './nats-store.ts'

/** Interval between checks whether the stores answer (ms). */
const PROBE_MS = 1_000
/** Time that a node has to answer over HTTP (ms). */
const REACH_MS = 500
/** Interval at which the entries of this node are written again (ms): they expire after a day. */
const REFRESH_MS = 8 * 3_600_000
/** Pause before a comparison with the store is repeated (ms). */
const RETRY_MS = 200

export interface NatsFleetOptions {
  readonly settings: NatsSettings
  /** Name of this node, unique in the fleet. */
  readonly node: string
  /** Secret of the fleet, at least 16 characters. */
  readonly key: string
  /** Version of the program. */
  readonly version: string
  readonly clock?: Clock
  readonly wallClock?: WallClock
  readonly log?: Logger
  /** In [0, 1). */
  readonly random?: () => number
}

/**
 * A node of a fleet on NATS: compare-and-set writes to JetStream’s key-value buckets decide, core messages carry
 * heartbeats and requests. Media never crosses NATS. Dispose of it to release everything this node holds.
 */
export class NatsFleet implements Fleet {
  readonly node: string
  readonly incarnation = randomBytes(6).toString('base64url')
  readonly counters = new FleetCounters()
  readonly registrar: StoreRegistrar
  readonly exchange: NatsExchange
  readonly #options: Required<NatsFleetOptions>
  readonly #link: NatsLink
  readonly #members: Members
  readonly #stores: Readonly<Record<BucketName, NatsStore>>
  readonly #quotas = new Set<Quota>()
  readonly #listeners = new Set<(status: FleetStatus) => void>()
  #status: 'up' | 'away' = 'away'
  /** The stores answer. */
  #answering = false
  #reconciling: object | undefined
  #tickers: Ticker[] = []
  #heartbeats: Disposable | undefined
  #closed = false

  private constructor(options: NatsFleetOptions) {
    const {
      clock = systemClock,
      wallClock = systemWallClock,
      log = noopLogger,
      random = Math.random,
    } = options
    if (options.key.length < 16)
      throw new RangeError(`key must have at least 16 characters, got ${options.key.length}`)
    this.#options = { ...options, clock, wallClock, log, random }
    this.node = options.node
    const self: NodeIdentity = { node: this.node, incarnation: this.incarnation }
    this.#link = new NatsLink({
      settings: options.settings,
      node: this.node,
      clock,
      log,
      ready: connection => this.#ready(connection),
      lost: () => this.#setAnswering(false),
    })
    const store = (name: BucketName) => new NatsStore(() => this.#link.bucket(name), clock)
    this.#stores = {
      homes: store('homes'),
      day: store('day'),
      quotas: store('quotas'),
      week: store('week'),
      year: store('year'),
      kept: store('kept'),
    }
    this.exchange = new NatsExchange({
      ...{ self, log, counters: this.counters },
      connection: () => this.#link.connection,
    })
    this.#members = new Members({
      ...{ self, version: options.version, clock, wallClock, log },
      publish: heartbeat => this.exchange.tell('heartbeat', heartbeat),
    })
    this.registrar = new StoreRegistrar({
      ...{ self, store: this.#stores.homes, members: this.#members, counters: this.counters },
      reach: node => this.reach(node),
      keyOf: name => this.digest(name),
    })
  }

  /**
   * Joins the fleet. If NATS cannot be reached, resolves after 2 s with the status `away`, and joins later. Rejects with
   * `BridgeError` `CONFIG` for settings that do not fit the server.
   */
  static async open(options: NatsFleetOptions): Promise<NatsFleet> {
    const fleet = new NatsFleet(options)
    try {
      await fleet.#open()
      return fleet
    } catch (error) {
      await fleet[Symbol.asyncDispose]()
      throw error
    }
  }

  get status(): FleetStatus {
    return this.#status
  }

  get nodes(): readonly FleetNode[] {
    return this.#members.nodes
  }

  /** Names of nodes that run twice: this node gives way to another process with its name. */
  get superseded(): boolean {
    return this.#members.superseded
  }

  join(report: () => NodeReport): void {
    this.#members.start(report)
  }

  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T> {
    const key = name.replaceAll(/[^\w-]+/g, '_')
    return new StoreTable(this.#stores[life], key, schema, () => void this.counters.invalid++)
  }

  quota(scope: string, terms: QuotaTerms): Quota {
    const { clock, random } = this.#options
    const quota = new StoreQuota(this.digest(`quota ${scope}`), terms, {
      store: this.#stores.quotas,
      ...{ clock, random },
    })
    this.#quotas.add(quota)
    return quota
  }

  slots(scope: string, limit: number): Slots {
    const { clock, random } = this.#options
    return new StoreSlots(`slots.${this.digest(`slots ${scope}`)}`, limit, {
      store: this.#stores.day,
      ...{ clock, random, self: { node: this.node, incarnation: this.incarnation } },
      isAlive: identity => this.#members.stateOf(identity) === 'alive',
    })
  }

  reach(node: string): Promise<'answers' | 'refused' | 'unknown'> {
    const address = this.#members.get(node)?.address
    const { promise, resolve } = Promise.withResolvers<'answers' | 'refused' | 'unknown'>()
    const url = address === undefined ? null : URL.parse('/live', address)
    if (!url) return Promise.resolve('unknown')
    const asked = request(url, { agent: false, timeout: REACH_MS }, response => {
      response.resume()
      resolve('answers')
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'unknown'),
    )
    asked.end()
    return promise
  }

  digest(text: string): string {
    return shortDigest(this.#options.key, text)
  }

  onStatus(listener: (status: FleetStatus) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** Leaves: gives back what is held, and tells the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    if (this.#link.up) {
      await Promise.all(Array.from(this.#quotas, quota => quota[Symbol.asyncDispose]()))
      const { registrar } = this
      await Promise.all(Array.from(registrar.held, ([name, epoch]) => registrar.release(name, epoch)))
    }
    this.#closed = true
    for (const ticker of this.#tickers) ticker[Symbol.dispose]()
    this.#members.leave()
    this.registrar[Symbol.dispose]()
    this.#heartbeats?.[Symbol.dispose]()
    await this.#link[Symbol.asyncDispose]()
  }

  async #open(): Promise<void> {
    const { clock } = this.#options
    this.#heartbeats = this.exchange.hear('heartbeat', heartbeatSchema, (heartbeat: Heartbeat) =>
      this.#members.heard(heartbeat),
    )
    await this.#link.open()
    this.#tickers = [
      new Ticker(clock, PROBE_MS, () => void this.#probe()),
      new Ticker(clock, REFRESH_MS, () => void this.registrar.refresh()),
    ]
  }

  #ready(connection: NatsConnection): void {
    this.#members.reconnected()
    this.exchange.connected(connection)
    this.registrar.start()
    this.#setAnswering(true)
  }

  /** True if a bucket answers: servers without a quorum are connected, too. */
  async #probe(): Promise<void> {
    if (!this.#link.up) return
    try {
      await this.#stores.homes.get('ready')
      this.#setAnswering(true)
    } catch {
      this.#setAnswering(false)
    }
  }

  #setAnswering(answering: boolean): void {
    if (this.#answering === answering || this.#closed) return
    this.#answering = answering
    this.#status = answering ? 'up' : 'away'
    if (answering) void this.#reconcile()
    for (const listener of this.#listeners) listener(this.#status)
  }

  /** Compares what is held with the store until it answers. */
  async #reconcile(): Promise<void> {
    const turn = {}
    this.#reconciling = turn
    while (this.#reconciling === turn && !this.#closed) {
      try {
        await this.registrar.reconcile()
        return
      } catch (error) {
        if (!(error instanceof BridgeError)) throw error
        await pause(this.#options.clock, RETRY_MS)
      }
    }
  }
}
