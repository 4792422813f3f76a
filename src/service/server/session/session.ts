import { type Clock, setTimer } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { type ConnectionParameters, EVENT } from '../../contract.ts'
import { ServiceError, toServiceError } from '../errors.ts'
import type { BoundSettings } from '../limits.ts'

/** Connection to one client, as a session uses it. */
export interface Channel {
  /** Approximate number of bytes sent that the client has not read yet. */
  readonly unreadBytes: number
  emit(event: string, payload: unknown): void
  /** Resolves when everything emitted has been sent, or when the client has disconnected. */
  drained(): Promise<void>
  /** Disconnects after everything emitted has been sent. */
  end(): void
}

/** Input of a session, and its processing. The session opens and closes it. */
export interface SessionInput {
  /** True while accepted input is being processed. */
  readonly busy: boolean
  /** Prepares the input; resolves to the payload of `start`. Throws a `ServiceError` on failure. */
  open(): Promise<boolean | string>
  /** Accepts one payload, or throws a `ServiceError` without using any of it. Only valid after `open`. */
  take(payload: unknown): void
  /** Frees all resources and drops pending work. Called once, possibly while `open` is pending. */
  close(): Promise<void>
  /** Figures for the log; never the content of speech or text. */
  totals(): object
}

/** Output of a session to its client. */
export interface SessionOutput {
  /** Sends an event. Does nothing once the session has ended; a client that does not read ends the session. */
  emit(event: string, payload: unknown): void
  /** Reports a failure to the client, and ends the session for errors that are fatal in the error table. */
  fault(error: ServiceError): void
  /** Waits until the client has read most of the data sent to it. For deferrable work; never rejects. */
  room(): Promise<void>
}

/** Deferrable work waits while more than this is unread by the client (bytes). */
const ROOM_BYTES = 256 * 1024

export interface SessionOptions {
  readonly channel: Channel
  /** Echoed as `connected`. */
  readonly parameters: ConnectionParameters
  /** Creates the input; the session closes it. */
  readonly intake: (outlet: SessionOutput) => SessionInput
  /** The session ends after this long without accepted input. */
  readonly idleTimeoutMs: number
  readonly settings: BoundSettings
  readonly clock: Clock
  /** Logger of this session. */
  readonly log: Logger
}

/**
 * One client on one namespace: its lifetime, errors and limits. The input handles the data the client sends.
 *
 *   opening ──intake open──▶ ready ──client gone, idle, broken──▶ ended
 */
export class Session implements SessionOutput {
  readonly #options: SessionOptions
  readonly #intake: SessionInput
  #state: 'opening' | 'ready' | 'ended' = 'opening'
  /** Errors that have been logged. */
  readonly #said = new Set<string>()
  #idle: Disposable | undefined
  #lastTaken = 0
  #bad = 0
  #overfull = false
  #closing: Promise<void> | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#intake = options.intake(this)
  }

  /** Sends `connected`, prepares the input, sends `start`. Never rejects: failures are sent to the client. */
  async open(): Promise<void> {
    const { channel, parameters, clock, idleTimeoutMs, log } = this.#options
    channel.emit(EVENT.connected, parameters)
    let start: boolean | string
    try {
      start = await this.#intake.open()
    } catch (error) {
      return this.fault(toServiceError(error))
    }
    if (this.#state === 'ended') return
    this.#state = 'ready'
    this.#lastTaken = clock.now()
    this.#watchIdle(idleTimeoutMs)
    log.info({}, 'session ready')
    channel.emit(EVENT.start, start)
  }

  /** Accepts a payload from the client. Returns false if it failed and the client was notified. */
  take(payload: unknown): boolean {
    try {
      if (this.#state !== 'ready') throw new ServiceError('before_start', 'data is accepted only after start')
      this.#intake.take(payload)
    } catch (error) {
      this.refuse(toServiceError(error))
      return false
    }
    this.#bad = 0
    this.#overfull = false
    this.#lastTaken = this.#options.clock.now()
    return true
  }

  /**
   * Notifies the client that a payload was rejected; too many consecutive ones end the session. A full backlog is
   * reported once, until a payload is accepted again.
   */
  refuse(error: ServiceError): void {
    const again = error.specific === 'backlog_full' && this.#overfull
    this.#overfull ||= error.specific === 'backlog_full'
    if (!again) this.fault(error)
    if (error.specific === 'backlog_full') return
    const { maxBadFragments } = this.#options.settings
    if (++this.#bad >= maxBadFragments)
      this.fault(new ServiceError('too_many_bad_fragments', `${this.#bad} consecutive payloads failed`))
  }

  emit(event: string, payload: unknown): void {
    if (this.#state === 'ended') return
    const { channel, settings } = this.#options
    const { unreadBytes } = channel
    if (unreadBytes <= settings.maxUnreadBytes) {
      channel.emit(event, payload)
      return
    }
    this.fault(
      new ServiceError(
        'reader_too_slow',
        `${unreadBytes} bytes are unread, at most ${settings.maxUnreadBytes} are allowed`,
      ),
    )
  }

  fault(error: ServiceError): void {
    if (this.#state === 'ended') return
    const { channel, log } = this.#options
    const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
    // Only the first error of each kind is logged, so that a persistent client cannot fill the log.
    if (!this.#said.has(error.specific))
      log.warn({ code: error.data.code, error: error.specific, ...cause }, 'session error')
    this.#said.add(error.specific)
    channel.emit(EVENT.error, error.data)
    if (!error.fatal) return
    void this.close(error.specific)
    channel.end()
  }

  async room(): Promise<void> {
    const { channel } = this.#options
    while (this.#state !== 'ended' && channel.unreadBytes > ROOM_BYTES) await channel.drained()
  }

  /** Frees all resources without notifying the client. Idempotent. */
  close(reason: string): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  async #shutDown(reason: string): Promise<void> {
    this.#state = 'ended'
    this.#idle?.[Symbol.dispose]()
    await this.#intake.close()
    this.#options.log.info({ reason, ...this.#intake.totals() }, 'session ended')
  }

  /** Re-arms for the earliest possible timeout, instead of one timer per fragment. */
  #watchIdle(ms: number): void {
    const { clock, idleTimeoutMs } = this.#options
    this.#idle = setTimer(clock, ms, () => {
      if (this.#intake.busy) this.#lastTaken = clock.now()
      const left = this.#lastTaken + idleTimeoutMs - clock.now()
      if (left > 0) this.#watchIdle(left)
      else this.fault(new ServiceError('session_idle', `no data arrived for ${idleTimeoutMs} ms`))
    })
  }
}
