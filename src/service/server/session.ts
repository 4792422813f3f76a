import { after, type Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { type ConnectionParameters, EVENT } from '../contract.ts'
import type { Channel } from './channel.ts'
import type { Intake } from './intake.ts'
import type { Outlet } from './outlet.ts'
import type { ServiceSettings } from './service-config.ts'
import { ServiceError, told } from './service-error.ts'

/** Work that can wait does so while more than this waits for the client (bytes). */
const ROOM_BYTES = 256 * 1024

export interface SessionParts {
  readonly channel: Channel
  /** Echoed as `connected`. */
  readonly parameters: ConnectionParameters
  /** What is taken in; the session closes it. */
  readonly intake: (outlet: Outlet) => Intake
  /** The session ends when nothing is taken for this long. */
  readonly idleTimeoutMs: number
  readonly settings: ServiceSettings
  readonly clock: Clock
  /** Of this session alone. */
  readonly log: Log
}

/**
 * One client on one namespace: its life, its errors, its limits. What it sends is the intake's business.
 *
 *   opening ──intake open──▶ ready ──client gone, idle, broken──▶ ended
 */
export class Session implements Outlet {
  readonly #parts: SessionParts
  readonly #intake: Intake
  #state: 'opening' | 'ready' | 'ended' = 'opening'
  /** Errors that the log has seen. */
  readonly #said = new Set<string>()
  #idle: Disposable | undefined
  #lastTaken = 0
  #bad = 0
  #overfull = false
  #closing: Promise<void> | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#intake = parts.intake(this)
  }

  /** Says `connected`, gets ready, says `start`. Never rejects: a failure goes to the client. */
  async open(): Promise<void> {
    const { channel, parameters, clock, idleTimeoutMs, log } = this.#parts
    channel.emit(EVENT.connected, parameters)
    let start: boolean | string
    try {
      start = await this.#intake.open()
    } catch (error) {
      return this.fault(told(error))
    }
    if (this.#state === 'ended') return
    this.#state = 'ready'
    this.#lastTaken = clock.now()
    this.#watchIdle(idleTimeoutMs)
    log.info({}, 'session ready')
    channel.emit(EVENT.start, start)
  }

  /** Takes what the client sent. False: it failed, and the client was told why. */
  take(payload: unknown): boolean {
    try {
      if (this.#state !== 'ready') throw new ServiceError('before_start', 'data is taken after start only')
      this.#intake.take(payload)
    } catch (error) {
      this.refuse(told(error))
      return false
    }
    this.#bad = 0
    this.#overfull = false
    this.#lastTaken = this.#parts.clock.now()
    return true
  }

  /**
   * Tells the client that something it sent was not taken; many such in a row end the session. A full backlog is told
   * once, until something is taken again.
   */
  refuse(error: ServiceError): void {
    const again = error.specific === 'backlog_full' && this.#overfull
    this.#overfull ||= error.specific === 'backlog_full'
    if (!again) this.fault(error)
    if (error.specific === 'backlog_full') return
    const { maxBadFragments } = this.#parts.settings
    if (++this.#bad >= maxBadFragments)
      this.fault(new ServiceError('too_many_bad_fragments', `${this.#bad} in a row failed`))
  }

  emit(event: string, payload: unknown): void {
    if (this.#state === 'ended') return
    const { channel, settings } = this.#parts
    const { unreadBytes } = channel
    if (unreadBytes <= settings.maxUnreadBytes) {
      channel.emit(event, payload)
      return
    }
    this.fault(
      new ServiceError(
        'reader_too_slow',
        `${unreadBytes} bytes wait to be read, allowed are ${settings.maxUnreadBytes}`,
      ),
    )
  }

  fault(error: ServiceError): void {
    if (this.#state === 'ended') return
    const { channel, log } = this.#parts
    const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
    // The first of each kind is said; a client that goes on and on must not fill the log.
    if (!this.#said.has(error.specific))
      log.warn({ code: error.data.code, error: error.specific, ...cause }, 'session error')
    this.#said.add(error.specific)
    channel.emit(EVENT.error, error.data)
    if (!error.fatal) return
    void this.close(error.specific)
    channel.end()
  }

  async room(): Promise<void> {
    const { channel } = this.#parts
    while (this.#state !== 'ended' && channel.unreadBytes > ROOM_BYTES) await channel.drained()
  }

  /** Frees everything; the client is not told. Idempotent. */
  close(reason: string): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  async #shutDown(reason: string): Promise<void> {
    this.#state = 'ended'
    this.#idle?.[Symbol.dispose]()
    await this.#intake.close()
    this.#parts.log.info({ reason, ...this.#intake.totals() }, 'session ended')
  }

  /** Looks again when the time-out could be over at the earliest; no timer per fragment. */
  #watchIdle(ms: number): void {
    const { clock, idleTimeoutMs } = this.#parts
    this.#idle = after(clock, ms, () => {
      if (this.#intake.busy) this.#lastTaken = clock.now()
      const left = this.#lastTaken + idleTimeoutMs - clock.now()
      if (left > 0) this.#watchIdle(left)
      else this.fault(new ServiceError('session_idle', `nothing came for ${idleTimeoutMs} ms`))
    })
  }
}
