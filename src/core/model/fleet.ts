import type { z } from 'zod'

/** A node is one bridge process. A process that starts again under the same name is another incarnation. */
export interface NodeIdentity {
  /** Name of the node, from the settings. */
  readonly node: string
  /** Random for each start of the process. */
  readonly incarnation: string
}

/** The state of a node, from its heartbeats. */
export interface FleetNode extends NodeIdentity {
  /** `http://host:port` at which the other nodes reach it. */
  readonly address: string
  /** Version of the program. */
  readonly version: string
  readonly legs: number
  readonly rooms: number
  /** It is shutting down and takes no new rooms. */
  readonly draining: boolean
  /** Time since its last heartbeat (ms). 0 for this node. */
  readonly silentMs: number
  /** Wall clock of the node minus ours, as heard (ms). */
  readonly skewMs: number
}

/** The report of a node about itself. */
export interface NodeReport {
  /** `http://host:port` at which other nodes reach this one. */
  readonly address: string
  readonly legs: number
  readonly rooms: number
  readonly draining: boolean
}

/** `alone`: no fleet is configured. `away`: the bus or its quorum cannot be reached. */
export type FleetStatus = 'alone' | 'up' | 'away'

/** Result of a claim. An epoch identifies one claim of a name; a later claim has a greater one. */
export type Claim =
  | { readonly kind: 'home'; readonly epoch: number }
  | ({ readonly kind: 'elsewhere'; readonly epoch: number } & NodeIdentity)

/**
 * Records which node is home to a name: a room, or a singleton such as a Discord shard. Each name has at most one home,
 * decided by compare-and-set writes, never by clocks. Time decides only how long others wait before they try.
 */
export interface Registrar {
  /**
   * Becomes home to `name`, verifies by a write that this node still is, or returns the node that is. A home whose
   * heartbeats have stopped is replaced; so is `gone`, an incarnation that the caller knows to have ended. Rejects with
   * `FLEET_AWAY`.
   */
  claim(name: string, gone?: NodeIdentity): Promise<Claim>
  /** Returns whether this node is home now, verified by a write. Rejects with `FLEET_AWAY`. */
  confirm(name: string, epoch: number): Promise<boolean>
  /** Makes `to` home; returns false if this node is no longer home, or if `to` is unknown. Rejects with `FLEET_AWAY`. */
  move(name: string, epoch: number, to: string): Promise<boolean>
  /** Releases a name. Idempotent, never rejects. */
  release(name: string, epoch: number): Promise<void>
  /** Returns the home as last heard, synchronously: for hints, never for decisions. */
  homeOf(name: string): NodeIdentity | undefined
  /** Names whose home is this node, with their epochs. */
  readonly held: ReadonlyMap<string, number>
  /** Calls `listener` when another node has become home to a name that was here. */
  onLost(listener: (name: string, epoch: number) => void): Disposable
}

/** Answers a request. An error reaches the asking node: a `BridgeError` with its code, anything else as `FLEET_FAILED`. */
export type Answerer<T> = (body: T, from: string) => unknown

/** Messages between nodes. Bodies are JSON and validated by the receiver; invalid ones are counted and dropped. */
export interface Exchange {
  /**
   * Asks another node. Rejects with `NODE_GONE` if no one listens there (at once), with `NODE_LATE` after `withinMs`, with
   * `FLEET_AWAY`, or with the error of the answering node.
   */
  ask(node: string, what: string, body: unknown, withinMs?: number): Promise<unknown>
  /** Answers the requests `what` to this node. One handler for each. */
  answer<T>(what: string, schema: z.ZodType<T>, handler: Answerer<T>): Disposable
  /** Tells all nodes that listen, at most once. Dropped while the fleet is unavailable. */
  tell(subject: string, body: unknown): void
  /** Receives what other nodes tell; not what this node tells itself. */
  hear<T>(subject: string, schema: z.ZodType<T>, listener: (body: T, from: string) => void): Disposable
}

/** An entry of a table with its revision, which changes with each write. */
export interface Entry<T> {
  readonly value: T
  readonly revision: number
}

/** Time for which a table keeps an entry after its last write. */
export type TableLife = 'day' | 'week' | 'year' | 'kept'

/** Replicated key-value table. Keys are digests of the original keys. All methods reject with `FLEET_AWAY`. */
export interface Table<T> {
  get(key: string): Promise<Entry<T> | undefined>
  /** Writes a new entry; returns undefined if there is one, otherwise its revision. */
  create(key: string, value: T): Promise<number | undefined>
  /** Writes unconditionally. */
  put(key: string, value: T): Promise<void>
  /** Writes over `revision`; returns undefined if the entry has changed since, otherwise the new revision. */
  replace(key: string, value: T, revision: number): Promise<number | undefined>
  delete(key: string): Promise<void>
  /** Keys with their values, for lists and clean-up; slow. */
  entries(): Promise<ReadonlyMap<string, Entry<T>>>
}

export interface QuotaTerms {
  /** Units that all nodes together can take in a period. */
  readonly limit: number
  /** Units that a node leases at a time. A node that ends without notice loses at most one and a half chunks. */
  readonly chunk: number
  /** Name of the current period, such as the day; a new name starts a new count. */
  readonly period: () => string
}

/** A limit of all nodes together, taken from a leased chunk without a round trip. */
export interface Quota extends AsyncDisposable {
  /** Resolves when the first chunk has been requested: until then, no units are available. Never rejects. */
  readonly ready: Promise<void>
  /** Takes `units`. Returns false if they are not leased. */
  take(units: number): boolean
  /** Returns unused units. */
  giveBack(units: number): void
  /** Units that this node can take at once. */
  readonly left: number
  /** Units taken by all nodes in this period, as far as is known here. */
  readonly used: number
}

/** A limit of how many of something exist at the same time on all nodes together. */
export interface Slots {
  /** Takes a slot; returns false if none is free. Slots of nodes that have ended are free. Rejects with `FLEET_AWAY`. */
  take(): Promise<boolean>
  /** Gives a slot back. Never rejects. */
  release(): Promise<void>
}

/** The nodes of a service, seen from one of them. */
export interface Fleet extends NodeIdentity, AsyncDisposable {
  readonly status: FleetStatus
  /** Known nodes, including this one. */
  readonly nodes: readonly FleetNode[]
  readonly registrar: Registrar
  readonly exchange: Exchange
  /** Announces this node to the others, which can send calls here from now on. Call it once the server listens. */
  join(report: () => NodeReport): void
  /** The table `name`; all callers with the same name share one. */
  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T>
  quota(scope: string, terms: QuotaTerms): Quota
  slots(scope: string, limit: number): Slots
  /** Returns whether the process of a node answers over HTTP, independently of the bus. `refused`: no process listens. */
  reach(node: string): Promise<'answers' | 'refused' | 'unknown'>
  /** Keyed digest of a text that must not appear on the bus: 27 characters of base64url, the same on all nodes. */
  digest(text: string): string
  /** Calls `listener` when `status` changes. */
  onStatus(listener: (status: FleetStatus) => void): Disposable
}
