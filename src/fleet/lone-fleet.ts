import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { BridgeError } from '../common/errors.ts'
import type {
  Claim,
  Exchange,
  Fleet,
  FleetNode,
  NodeIdentity,
  Quota,
  QuotaTerms,
  Registrar,
  Slots,
  Table,
  TableLife,
} from '../core/model/fleet.ts'
import { MemoryTables } from '../core/model/shared-state.ts'

const NODE = 'alone'
const NOTHING: Disposable = { [Symbol.dispose]() {} }

/** The fleet of a single process: home to every name, never away, without any dependency. */
export class LoneFleet implements Fleet {
  readonly node = NODE
  readonly incarnation = randomBytes(6).toString('base64url')
  readonly status = 'alone'
  readonly registrar: Registrar = new LoneRegistrar()
  readonly exchange: Exchange = new LoneExchange()
  readonly #tables: Pick<Fleet, 'table' | 'digest'>
  readonly #quotas = new Map<string, Map<string, number>>()
  readonly #slots = new Map<string, { taken: number }>()

  /** Default of `tables`: in memory. The caller keeps ownership. */
  constructor(tables: Pick<Fleet, 'table' | 'digest'> = new MemoryTables()) {
    this.#tables = tables
  }

  get nodes(): readonly FleetNode[] {
    const { node, incarnation } = this
    const load = { legs: 0, rooms: 0, draining: false, silentMs: 0, skewMs: 0 }
    return [{ node, incarnation, address: '', version: '', ...load }]
  }

  join(): void {}

  table<T>(life: TableLife, name: string, schema: z.ZodType<T>): Table<T> {
    return this.#tables.table(life, name, schema)
  }

  quota(scope: string, terms: QuotaTerms): Quota {
    const used = this.#quotas.get(scope) ?? new Map<string, number>()
    this.#quotas.set(scope, used)
    return new LoneQuota(terms, used)
  }

  slots(scope: string, limit: number): Slots {
    const count = this.#slots.get(scope) ?? { taken: 0 }
    this.#slots.set(scope, count)
    return {
      take: async () => count.taken < limit && ++count.taken > 0,
      release: async () => {
        count.taken = Math.max(0, count.taken - 1)
      },
    }
  }

  async reach(): Promise<'unknown'> {
    return 'unknown'
  }

  digest(text: string): string {
    return this.#tables.digest(text)
  }

  onStatus(): Disposable {
    return NOTHING
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class LoneRegistrar implements Registrar {
  readonly held = new Map<string, number>()
  #epoch = 0

  async claim(name: string): Promise<Claim> {
    const epoch = this.held.get(name) ?? ++this.#epoch
    this.held.set(name, epoch)
    return { kind: 'home', epoch }
  }

  async confirm(name: string, epoch: number): Promise<boolean> {
    return this.held.get(name) === epoch
  }

  async move(): Promise<boolean> {
    return false
  }

  async release(name: string, epoch: number): Promise<void> {
    if (this.held.get(name) === epoch) this.held.delete(name)
  }

  homeOf(_name: string): NodeIdentity | undefined {
    return undefined
  }

  onLost(): Disposable {
    return NOTHING
  }
}

/** There are no other nodes. */
class LoneExchange implements Exchange {
  readonly #answered = new Set<string>()

  async ask(node: string, what: string): Promise<unknown> {
    throw new BridgeError('NODE_GONE', `no node ${node} answers ${what}`, { retryable: true })
  }

  answer(what: string): Disposable {
    if (this.#answered.has(what)) throw new BridgeError('STATE', `${what} has a handler already`)
    this.#answered.add(what)
    return { [Symbol.dispose]: () => void this.#answered.delete(what) }
  }

  tell(): void {}

  hear(): Disposable {
    return NOTHING
  }
}

class LoneQuota implements Quota {
  readonly ready = Promise.resolve()
  readonly #terms: QuotaTerms
  readonly #used: Map<string, number>

  constructor(terms: QuotaTerms, used: Map<string, number>) {
    this.#terms = terms
    this.#used = used
  }

  get used(): number {
    return this.#used.get(this.#terms.period()) ?? 0
  }

  get left(): number {
    return Math.max(0, this.#terms.limit - this.used)
  }

  take(units: number): boolean {
    if (units > this.left) return false
    this.#set(this.used + units)
    return true
  }

  giveBack(units: number): void {
    this.#set(Math.max(0, this.used - units))
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #set(used: number): void {
    // Only the current period is ever asked for.
    this.#used.clear()
    this.#used.set(this.#terms.period(), used)
  }
}
