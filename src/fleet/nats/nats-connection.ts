import { readFileSync } from 'node:fs'
import { jetstream } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import { type Clock, pause, setTimer } from '../../common/clock.ts'
import { DAY_MS } from '../../common/durations.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import { away } from '../key-value-store.ts'
import type { NatsSettings } from '../settings.ts'
import { checkServerVersion } from './server-version.ts'

/** Starts all subjects and buckets. Several fleets on the same servers have accounts of their own. */
export const NATS_PREFIX = 'drg'
/** The buckets by what they hold, with the lifetime of their entries (ms; 0: forever). */
const BUCKETS = {
  homes: DAY_MS,
  day: DAY_MS,
  quotas: 2 * DAY_MS,
  week: 7 * DAY_MS,
  year: 400 * DAY_MS,
  kept: 0,
} as const
export type BucketName = keyof typeof BUCKETS

/** Time that the start waits for NATS (ms). */
const FIRST_CONNECT_MS = 2_000
/** Response timeout of JetStream (ms). Without a leader, it does not respond. */
const JETSTREAM_MS = 800
/** Pause before buckets are requested again (ms). */
const RETRY_MS = 200
export interface NatsConnectionOptions {
  readonly settings: NatsSettings
  /** Name of the node. */
  readonly node: string
  readonly clock: Clock
  readonly log: Logger
  /** Called when the connection and its buckets are usable, each time again after they were not. */
  readonly ready: (connection: NatsConnection, first: boolean) => void
  readonly lost: () => void
}

/** The connection to NATS with its buckets. It reconnects automatically. While disconnected, operations fail at once. */
export class NatsLink implements AsyncDisposable {
  readonly #options: NatsConnectionOptions
  readonly #buckets = new Map<BucketName, KV>()
  #connection: NatsConnection | undefined
  #up = false
  #first = true
  #closed = false

  constructor(options: NatsConnectionOptions) {
    this.#options = options
  }

  /**
   * Connects. Resolves when everything is usable, or after 2 s, to connect later. Rejects with `BridgeError` `CONFIG` if
   * the settings do not fit the server.
   */
  async open(): Promise<void> {
    const { clock } = this.#options
    const { promise: late, resolve } = Promise.withResolvers<void>()
    using _timer = setTimer(clock, FIRST_CONNECT_MS, resolve)
    await Promise.race([this.#connect(), late])
  }

  /** True if messages can be sent. */
  get up(): boolean {
    return this.#up
  }

  /** The connection. Throws `FLEET_AWAY` while disconnected, since the library would send writes later. */
  get connection(): NatsConnection {
    if (!this.#up || !this.#connection) throw away('NATS is not connected')
    return this.#connection
  }

  /** A bucket. Throws `FLEET_AWAY` while there is no connection. */
  bucket(name: BucketName): KV {
    const bucket = this.#up ? this.#buckets.get(name) : undefined
    if (!bucket) throw away('NATS is not connected')
    return bucket
  }

  /** Sends what was published, then closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#up = false
    const connection = this.#connection
    if (!connection || connection.isClosed()) return
    await connection.drain().catch(() => connection.close())
  }

  async #connect(): Promise<void> {
    const { settings, log } = this.#options
    const connection = await this.#firstConnection({ ...credentialsOf(settings), ...tlsOf(settings) })
    if (!connection) return
    if (this.#closed) {
      await connection.close()
      return
    }
    this.#connection = connection
    try {
      checkServerVersion(connection.info?.version ?? '')
    } catch (error) {
      log.error({ error: String(error) }, 'NATS cannot be used')
      await connection.close()
      throw error
    }
    void this.#follow(connection)
    await this.#becomeReady(connection)
  }

  /**
   * Tries until a server accepts the connection. Returns undefined if it was closed meanwhile. The library could wait as
   * well, but does not report why, and cannot be stopped.
   */
  async #firstConnection(access: NodeConnectionOptions): Promise<NatsConnection | undefined> {
    const { clock, log } = this.#options
    let reported: string | undefined
    while (!this.#closed) {
      try {
        return await this.#open(access)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (reason !== reported) log.warn({ reason }, 'NATS cannot be reached, retrying')
        reported = reason
        await pause(clock, RETRY_MS)
      }
    }
    return undefined
  }

  #open(access: NodeConnectionOptions): Promise<NatsConnection> {
    const { settings, node } = this.#options
    return connect({
      ...access,
      servers: [...settings.servers],
      name: `dragoman ${node}`,
      inboxPrefix: `_INBOX_${node}`,
      noEcho: true,
      timeout: FIRST_CONNECT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
      reconnectJitter: 50,
      pingInterval: 1_000,
      maxPingOut: 2,
      ignoreAuthErrorAbort: true,
    })
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' && this.#up) {
        this.#up = false
        this.#options.log.warn({}, 'NATS disconnected: calls in progress continue')
        this.#options.lost()
      } else if (type === 'reconnect') void this.#becomeReady(connection)
    }
  }

  /** Opens the buckets, for as long as that takes: just after the start, servers have no leaders yet. */
  async #becomeReady(connection: NatsConnection): Promise<void> {
    const { clock, log, ready } = this.#options
    while (!this.#closed && !connection.isClosed()) {
      try {
        await this.#openBuckets(connection)
        if (this.#closed) return
        const first = this.#first
        this.#first = false
        this.#up = true
        log.info({ server: connection.info?.version }, 'NATS connected')
        ready(connection, first)
        return
      } catch (error) {
        log.debug({ error: String(error) }, 'NATS is not ready yet')
        await pause(clock, RETRY_MS)
      }
    }
  }

  async #openBuckets(connection: NatsConnection): Promise<void> {
    const { replicas } = this.#options.settings
    const manager = new Kvm(jetstream(connection, { timeout: JETSTREAM_MS }))
    for (const [name, ttl] of Object.entries(BUCKETS) as [BucketName, number][]) {
      if (this.#buckets.has(name)) continue
      const bucket = `${NATS_PREFIX}_${name}`
      // Followers would answer direct reads, possibly with old values.
      const options = { replicas, history: 1, allow_direct: false, ttl }
      const kv = await manager
        .create(bucket, options)
        // A user without permission to create it can use a bucket that exists.
        .catch(() => manager.open(bucket, { allow_direct: false }))
      // A new bucket has no leader yet.
      await kv.get('ready')
      this.#buckets.set(name, kv)
    }
  }
}

function credentialsOf({ user, password, token, credentialsFile }: NatsSettings): NodeConnectionOptions {
  if (credentialsFile !== undefined)
    return { authenticator: credsAuthenticator(readSetting('fleet.nats.credentialsFile', credentialsFile)) }
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...(token === undefined ? {} : { token }),
  }
}

function tlsOf({ tls }: NatsSettings): NodeConnectionOptions {
  if (!tls) return {}
  const read = (name: 'ca' | 'cert' | 'key') => {
    const path = tls[name]
    return path === undefined ? {} : { [name]: readSetting(`fleet.nats.tls.${name}`, path).toString() }
  }
  return { tls: { ...read('ca'), ...read('cert'), ...read('key') } }
}

function readSetting(setting: string, path: string): Uint8Array & { toString(): string } {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new BridgeError('CONFIG', `${setting}: ${path} cannot be read (${code})`)
  }
}
