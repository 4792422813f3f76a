import { BridgeError } from '../../common/errors.ts'
import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import type { Leg, LegUplink } from '../../core/model/leg.ts'
import { durationMs } from '../../transcode/pcm.ts'

/** Maximum rate of key presses that are forwarded. */
const MAX_KEYS_PER_SECOND = 20

/** The socket, as far as every leg needs it. */
export interface LegConnection<C extends string> {
  readonly heardAt: number
  readonly unsentBytes: number
  quietMs(now: number): number
  ping(): void
  close(cause: C): Promise<void>
  terminate(): void
  detach(): void
}

/** Counters of every leg. */
export interface SocketLegCounters {
  sentMs: number
  marksSent: number
  marksHeard: number
  marksStale: number
}

export interface SocketLegLimits {
  /** Quiet time after which the peer is pinged, and after which the leg is lost (ms). */
  readonly pingAfterMs: number
  readonly lostAfterMs: number
  /** Bytes waiting to be sent above which the leg is congested, and lost. */
  readonly congestedBytes: number
  readonly maxUnsentBytes: number
}

export interface SocketLegOptions<C extends string, N extends SocketLegCounters> {
  readonly id: string
  readonly connection: LegConnection<C>
  readonly counters: N
  readonly limits: SocketLegLimits
  readonly log: Logger
  /** Kind of the peer, for errors: `carrier` or `page`. */
  readonly peer: string
  /** The close code for the end of the leg. */
  readonly causeOf: (reason: EndReason) => C
  /** Message and fields of the log entry about the end. */
  readonly endEntry: { readonly message: string; readonly fields?: Readonly<Record<string, unknown>> }
}

/** Converts the participant’s audio. */
interface LegAudioIn {
  attach(sink: LegUplink): void
  /** Feeds silence while no audio arrives. */
  watch(now: number): void
}

/**
 * A participant on a WebSocket: the part that all channels share. It ends once, for one reason; it is lost when the peer
 * is quiet or does not read. Subclasses convert audio and write the messages.
 */
export abstract class SocketLeg<C extends string, N extends SocketLegCounters> implements Leg {
  readonly id: string
  readonly counters: N
  readonly ended: Promise<EndReason>
  abstract readonly channel: string
  protected abstract readonly uplink: LegAudioIn
  protected sink: LegUplink | undefined
  readonly #options: SocketLegOptions<C, N>
  readonly #keyRate: TokenBucket
  readonly #settle: (reason: EndReason) => void
  #reason: EndReason | undefined
  #closing: Promise<void> | undefined
  #pingedAt: number

  constructor(options: SocketLegOptions<C, N>) {
    const { id, counters, connection } = options
    this.id = id
    this.counters = counters
    this.#options = options
    this.#keyRate = new TokenBucket(MAX_KEYS_PER_SECOND, MAX_KEYS_PER_SECOND, connection.heardAt)
    this.#pingedAt = connection.heardAt
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /** Sends the message with `frames`. */
  protected abstract sendAudio(frames: Int16Array): void
  protected abstract sendMark(name: string): void
  /** Asks the peer to drop the audio that it has not played, and forgets the marks in it. */
  protected abstract sendFlush(): void

  /** True until the leg has ended. */
  protected get alive(): boolean {
    return this.#reason === undefined
  }

  /** True while the peer accepts audio. */
  protected get open(): boolean {
    return this.alive
  }

  attach(uplink: LegUplink): void {
    this.sink = uplink
    this.uplink.attach(uplink)
  }

  /** Sends one message of any whole number of frames. Sends nothing once the leg has ended. */
  play(frames: Int16Array): void {
    if (!this.open) return
    this.sendAudio(frames)
    this.counters.sentMs += durationMs(frames.length)
    const { connection, limits, peer } = this.#options
    if (connection.unsentBytes > limits.maxUnsentBytes) this.#lose('LEG_LOST', `the ${peer} does not read`)
  }

  mark(name: string): void {
    if (!this.open) return
    this.counters.marksSent++
    this.sendMark(name)
  }

  flush(): void {
    if (this.open) this.sendFlush()
  }

  get congested(): boolean {
    const { connection, limits } = this.#options
    return connection.unsentBytes > limits.congestedBytes
  }

  /**
   * Settles `ended` at once. The returned promise waits for the socket, which is terminated if it does not close in
   * time.
   */
  close(reason: EndReason): Promise<void> {
    this.end(reason)
    return this.shut(this.#options.causeOf(reason))
  }

  /**
   * Supervises a quiet connection: feeds silence, pings, ends the leg. The owner’s timer calls it several times a
   * second.
   */
  watch(now: number): void {
    if (!this.alive) return
    if (this.open && !this.#answers(now)) return
    this.uplink.watch(now)
  }

  closed(reason: EndReason): void {
    this.end(reason)
  }

  /** Closes the socket. Idempotent: every call waits for the first. */
  protected shut(cause: C): Promise<void> {
    this.#closing ??= this.#options.connection.close(cause)
    return this.#closing
  }

  /** Ends the leg, unless it has ended. */
  protected end(reason: EndReason): void {
    if (!this.alive) return
    this.#reason = reason
    const { connection, log, endEntry } = this.#options
    connection.detach()
    const about = { legId: this.id, ...endEntry.fields, reason: describeEnd(reason) }
    log.info({ ...about, ...this.counters }, endEntry.message)
    this.#settle(reason)
  }

  /** Ends the leg; the participant can reconnect with another. */
  protected endRetryable(code: 'LEG_SILENT' | 'LEG_LOST', text: string): void {
    this.end({ kind: 'failed', error: new BridgeError(code, text, { retryable: true }) })
  }

  /** Passes a key press on; returns false if there are too many. */
  protected pressed(digit: string, now: number): boolean {
    if (this.#keyRate.take(now) < 0) return false
    this.sink?.dtmf(digit)
    return true
  }

  /** The peer played all audio before mark `name`; undefined for a mark that was flushed or never sent. */
  protected played(name: string | undefined): void {
    if (name === undefined) {
      this.counters.marksStale++
      return
    }
    this.counters.marksHeard++
    this.sink?.marked(name)
  }

  /** Pings a quiet peer. Returns false if it has been quiet for too long. */
  #answers(now: number): boolean {
    const { connection, limits } = this.#options
    const quietMs = connection.quietMs(now)
    if (quietMs >= limits.lostAfterMs) {
      this.#lose('LEG_SILENT', `no data received for ${Math.round(quietMs / 1_000)} s`)
      return false
    }
    if (quietMs >= limits.pingAfterMs && now - this.#pingedAt >= limits.pingAfterMs) {
      this.#pingedAt = now
      connection.ping()
    }
    return true
  }

  #lose(code: 'LEG_SILENT' | 'LEG_LOST', text: string): void {
    this.endRetryable(code, text)
    this.#options.connection.terminate()
  }
}
