import { jittered } from '../../common/backoff.ts'
import { BoundedMap } from '../../common/bounded-map.ts'
import { type Clock, setTimer } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import {
  type SealedEvent,
  type Send,
  SIGNATURE_HEADER,
  sealed,
  signatureOf,
  standardHeaders,
  type WebhookEvent,
} from './event.ts'
import type { WebhookSettings } from './settings.ts'

/** An event on its way to a receiver. */
export interface Job {
  readonly event: SealedEvent
  /** Attempts that failed. */
  failures: number
}

interface RoomQueue {
  readonly jobs: Job[]
  /** True while its first job is being sent or waits for a retry. */
  held: boolean
}

/**
 * Queued events of one receiver: one queue per room, each in order and one event at a time, so that rooms do not block
 * each other. Above `most` events, the room served longest ago loses its oldest event.
 */
export class DeliveryQueues {
  readonly #most: number
  /** The room that was served longest ago is first. */
  readonly #queues = new Map<string, RoomQueue>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Number of events queued or being sent. */
  get size(): number {
    return this.#size
  }

  /** Adds an event; returns the event dropped for it, if any. */
  push(event: SealedEvent): SealedEvent | undefined {
    const dropped = this.#size >= this.#most ? this.#dropOldest() : undefined
    // All events are held, so the new one is dropped.
    if (this.#size >= this.#most) return event
    const queue = this.#queues.get(event.room) ?? { jobs: [], held: false }
    this.#queues.set(event.room, queue)
    queue.jobs.push({ event, failures: 0 })
    this.#size++
    return dropped
  }

  /** Returns the next event to send; it is held until `done` or `release`. */
  take(): Job | undefined {
    for (const [room, queue] of this.#queues) {
      if (queue.held) continue
      queue.held = true
      this.#queues.delete(room)
      this.#queues.set(room, queue)
      return queue.jobs[0]
    }
    return undefined
  }

  /** The event of `job` needs no further attempt. */
  done({ event: { room } }: Job): void {
    const queue = this.#queues.get(room)
    if (!queue) return
    queue.jobs.shift()
    queue.held = false
    this.#size--
    if (queue.jobs.length === 0) this.#queues.delete(room)
  }

  /** Makes `job` available to `take` again. */
  release({ event: { room } }: Job): void {
    const queue = this.#queues.get(room)
    if (queue) queue.held = false
  }

  #dropOldest(): SealedEvent | undefined {
    for (const [room, queue] of this.#queues) {
      const [dropped] = queue.jobs.splice(queue.held ? 1 : 0, 1)
      if (!dropped) continue
      this.#size--
      if (queue.jobs.length === 0) this.#queues.delete(room)
      return dropped.event
    }
    return undefined
  }
}

/** Delays before retries (ms), each varied by up to a fifth: over two hours in total. */
export const RETRY_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** Timeout of an attempt (ms). */
const TIMEOUT_MS = 10_000
/** Maximum number of concurrent attempts, one per room. */
const MOST_SENDING = 4
/** Maximum number of rooms whose events are counted. */
const MOST_ROOMS = 10_000
/** Maximum number of queued events. */
const MOST_WAITING = 1_000
/** Time limit for the last events on shutdown (ms). */
const GRACE_MS = 3_000

export interface ReceiverStats {
  readonly name: string
  /** Number of events queued or being sent. */
  waiting: number
  delivered: number
  /** Attempts that failed. */
  failures: number
  /** Events dropped after the last attempt. */
  givenUp: number
  /** Events dropped because the queue was full. */
  dropped: number
}

export interface ReceiverOptions {
  readonly clock: Clock
  readonly wall: WallClock
  readonly log: Logger
  readonly send: Send
  /** In [0, 1). */
  readonly random: () => number
}

/** A webhook receiver: delivers events in the order of each room, with retries. */
export class Receiver {
  readonly #name: string
  readonly #settings: WebhookSettings
  readonly #options: ReceiverOptions
  readonly #queues = new DeliveryQueues(MOST_WAITING)
  /** Events sealed so far, by room. */
  readonly #sequences = new BoundedMap<string, number>(MOST_ROOMS)
  readonly #retries = new Map<Job, Disposable>()
  readonly #sending = new Set<AbortController>()
  readonly #counts = { delivered: 0, failures: 0, givenUp: 0, dropped: 0 }
  #failing = false
  #closing = false
  #idle: (() => void) | undefined

  constructor(name: string, settings: WebhookSettings, options: ReceiverOptions) {
    this.#name = name
    this.#settings = settings
    this.#options = options
  }

  get stats(): ReceiverStats {
    return { name: this.#name, waiting: this.#queues.size, ...this.#counts }
  }

  /** Queues `event` if the receiver wants it. */
  push(event: WebhookEvent): void {
    const { events, includeTexts: texts } = this.#settings
    if (this.#closing || !events.includes(event.type)) return
    if (this.#queues.push(sealed(event, this.#sequence(event), texts))) this.#counts.dropped++
    this.#pump()
  }

  /** Queued events get one more attempt, for a few seconds in total. Idempotent. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    for (const [job, timer] of this.#retries) {
      timer[Symbol.dispose]()
      this.#queues.release(job)
    }
    this.#retries.clear()
    this.#pump()
    if (this.#queues.size === 0) return
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve
    })
    using _ = setTimer(this.#options.clock, GRACE_MS, () => {
      this.#idle?.()
      for (const attempt of this.#sending) attempt.abort()
    })
    await idle
  }

  /** Counts from 1 in each life of a room. */
  #sequence({ room, type }: WebhookEvent): number {
    const sequence = (this.#sequences.get(room) ?? 0) + 1
    // Rooms without participants never close, so the number of rooms is limited.
    if (type === 'room.closed') this.#sequences.delete(room)
    else this.#sequences.set(room, sequence)
    return sequence
  }

  #pump(): void {
    while (this.#sending.size < MOST_SENDING) {
      const job = this.#queues.take()
      if (!job) break
      void this.#attempt(job)
    }
    if (this.#queues.size === 0) this.#idle?.()
  }

  async #attempt(job: Job): Promise<void> {
    const attempt = new AbortController()
    this.#sending.add(attempt)
    let outcome: number | string
    {
      using _ = setTimer(this.#options.clock, TIMEOUT_MS, () => attempt.abort())
      outcome = await this.#send(job, attempt.signal)
    }
    this.#sending.delete(attempt)
    if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) this.#delivered(job)
    else this.#failed(job, outcome)
    this.#pump()
  }

  /** Resolves to the status, or the reason of the failure. */
  async #send({ event: { id, type, body } }: Job, signal: AbortSignal): Promise<number | string> {
    const { url, secret, allowPrivateAddresses: local } = this.#settings
    const now = this.#options.wall()
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Dragoman',
      'dragoman-event': type,
      'dragoman-delivery': id,
      [SIGNATURE_HEADER]: signatureOf(secret, now, body),
      ...standardHeaders(secret, id, now, body),
    }
    try {
      return await this.#options.send({ url, local, headers, body }, signal)
    } catch (error) {
      if (signal.aborted) return 'no response'
      const { code } = error as { code?: unknown }
      return typeof code === 'string' ? code : 'no connection'
    }
  }

  #delivered(job: Job): void {
    this.#counts.delivered++
    this.#queues.done(job)
    if (this.#failing) this.#options.log.info({ webhook: this.#name }, 'webhook delivery recovered')
    this.#failing = false
  }

  #failed(job: Job, outcome: number | string): void {
    this.#counts.failures++
    if (!this.#failing) this.#options.log.warn({ webhook: this.#name, outcome }, 'webhook delivery failed')
    this.#failing = true
    const waitMs = this.#closing ? undefined : RETRY_MS[job.failures++]
    if (waitMs === undefined) {
      this.#counts.givenUp++
      this.#queues.done(job)
      return
    }
    const { clock, random } = this.#options
    const again = () => {
      this.#retries.delete(job)
      this.#queues.release(job)
      this.#pump()
    }
    this.#retries.set(job, setTimer(clock, jittered(waitMs * 1.2, 1 / 3, random()), again))
  }
}
