import { JetStreamApiError } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import { type Clock, pause } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { away, type Stored, type WatchedStore, WriteConflict } from '../key-value-store.ts'

/** Codes of JetStream for a write over another sequence. */
const WRONG_SEQUENCE = new Set([10_071, 10_164])

/** Pause before a watch that has failed is started again (ms). */
const WATCH_AGAIN_MS = 1_000

/** A bucket of JetStream as a store. `bucket` returns it, or throws `FLEET_AWAY`. */
export class NatsStore implements WatchedStore {
  readonly #bucket: () => KV
  readonly #clock: Clock

  constructor(bucket: () => KV, clock: Clock) {
    this.#bucket = bucket
    this.#clock = clock
  }

  async get(key: string): Promise<Stored | undefined> {
    const entry = await attempt(() => this.#bucket().get(key))
    return entry ? storedOf(entry) : undefined
  }

  async write(key: string, value: string, revision: number): Promise<number> {
    try {
      return await attempt(() => this.#bucket().put(key, value, { previousSeq: revision }))
    } catch (error) {
      throw isConflict(error) ? new WriteConflict(key, revision) : error
    }
  }

  put(key: string, value: string): Promise<number> {
    return attempt(() => this.#bucket().put(key, value))
  }

  async delete(key: string, revision?: number): Promise<void> {
    try {
      await attempt(() => this.#bucket().delete(key, revision === undefined ? {} : { previousSeq: revision }))
    } catch (error) {
      throw isConflict(error) ? new WriteConflict(key, revision ?? 0) : error
    }
  }

  async entries(prefix: string): Promise<ReadonlyMap<string, Stored>> {
    const found = new Map<string, Stored>()
    await attempt(async () => {
      const keys: string[] = []
      for await (const key of await this.#bucket().keys(`${prefix}>`)) keys.push(key)
      for (const key of keys) {
        const entry = await this.#bucket().get(key)
        if (entry?.operation === 'PUT') found.set(key, storedOf(entry))
      }
    })
    return found
  }

  watch(changed: (key: string, stored: Stored) => void): Disposable {
    let stop = () => {}
    let stopped = false
    const follow = async () => {
      const watch = await this.#bucket().watch()
      stop = () => watch.stop()
      if (stopped) stop()
      for await (const entry of watch) changed(entry.key, storedOf(entry))
    }
    const keepFollowing = async () => {
      while (!stopped) {
        // Fails without a leader, or when a busy server does not answer in time.
        await follow().catch(() => {})
        if (!stopped) await pause(this.#clock, WATCH_AGAIN_MS)
      }
    }
    void keepFollowing()
    return {
      [Symbol.dispose]: () => {
        stopped = true
        stop()
      },
    }
  }
}

function storedOf(entry: KvEntry): Stored {
  return { value: entry.operation === 'PUT' ? entry.string() : undefined, revision: entry.revision }
}

/** Turns every failure but a conflict into `FLEET_AWAY`: without a leader, there are time-outs and various errors. */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BridgeError || isConflict(error)) throw error
    throw away(error instanceof Error ? error.message : String(error), error)
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && WRONG_SEQUENCE.has(error.code)
}
