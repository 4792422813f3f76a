import { z } from 'zod'
import { BoundedMap } from '../../../common/bounded-map.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import type { Fleet, Table } from '../../../core/model/fleet.ts'
import type { CallNote, CallRecord, CallStore } from './call-history.ts'

const recordSchema = z.object({
  changedAt: z.number(),
  attempt: z.int().min(0),
  started: z.int().min(0),
  ended: z.boolean(),
})

/** Maximum number of calls with notes that wait for the fleet. */
const MOST_PENDING = 10_000

/** Calls that this process, or all nodes of a fleet, know, under digests of their ids. Notes are written in the background. */
export class CallRecords implements CallStore, Disposable {
  readonly wallClock: WallClock
  readonly #fleet: Pick<Fleet, 'digest'>
  readonly #table: Table<CallRecord>
  readonly #pending = new BoundedMap<string, CallRecord>(MOST_PENDING)
  readonly #subscription: Disposable | undefined
  #writing = false

  constructor(
    fleet: Pick<Fleet, 'table' | 'digest'> & Partial<Pick<Fleet, 'onStatus'>>,
    wallClock: WallClock,
  ) {
    this.#fleet = fleet
    this.wallClock = wallClock
    this.#table = fleet.table('year', 'known calls', recordSchema)
    this.#subscription = fleet.onStatus?.(status => {
      if (status === 'up') void this.#write()
    })
  }

  async find(call: string): Promise<CallRecord | undefined> {
    const key = this.#fleet.digest(call)
    const stored = await this.#table.get(key)
    const pending = this.#pending.get(key)
    return pending ? noted(stored?.value, pending, pending.changedAt) : stored?.value
  }

  note(call: string, note: CallNote): void {
    const key = this.#fleet.digest(call)
    this.#pending.set(key, noted(this.#pending.get(key), note, this.wallClock()))
    void this.#write()
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]()
  }

  /** Writes what is pending, until the fleet is unavailable. Never rejects for that reason. */
  async #write(): Promise<void> {
    if (this.#writing) return
    this.#writing = true
    try {
      for (let next = first(this.#pending); next; next = first(this.#pending)) {
        const [key, record] = next
        if ((await this.#merge(key, record)) && this.#pending.get(key) === record) this.#pending.delete(key)
      }
    } catch (error) {
      // Again when the fleet is back, or with the next note.
      if (!(error instanceof BridgeError)) throw error
    } finally {
      this.#writing = false
    }
  }

  /** Returns false if another node has changed the record meanwhile. */
  async #merge(key: string, record: CallRecord): Promise<boolean> {
    const stored = await this.#table.get(key)
    if (!stored) return (await this.#table.create(key, record)) !== undefined
    const merged = noted(stored.value, record, record.changedAt)
    return (await this.#table.replace(key, merged, stored.revision)) !== undefined
  }
}

function first(pending: ReadonlyMap<string, CallRecord>): [string, CallRecord] | undefined {
  return pending.entries().next().value
}

/** Returns `record` with `note`, at `now` (ms since 1970). */
function noted(record: CallRecord | undefined, note: CallNote, now: number): CallRecord {
  const { attempt = 0, started = 0, ended = false } = record ?? {}
  return {
    changedAt: now,
    attempt: Math.max(attempt, note.attempt ?? 0),
    started: Math.max(started, note.started ?? 0),
    ended: ended || (note.ended ?? false),
  }
}
