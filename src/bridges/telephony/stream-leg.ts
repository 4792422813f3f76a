import { setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import type { Leg, LegUplink } from '../../core/model/leg.ts'
import { durationMs, FRAME_MS } from '../../transcode/pcm.ts'
import { MarkRegistry } from '../websocket/mark-registry.ts'
import type { Inbound, MediaDialect, Start, StreamMessages } from './ports/media-dialect.ts'
import { Downlink, Uplink } from './stream-audio.ts'
import type { CloseCause, LegCounters, MediaSocket, StreamListener } from './stream-socket.ts'
import { awaitStart, type HandshakeOptions } from './stream-socket.ts'

/** Maximum rate of key presses that are forwarded. */
const MAX_DTMF_PER_SECOND = 20
/** Media messages over which bad payloads are counted (2 s), and the number of them that ends the stream. */
const PAYLOAD_WINDOW = 100
const MAX_BAD_PAYLOADS = 5
const HUNG_UP: EndReason = { kind: 'hangup', by: 'remote' }

export interface LegOptions extends HandshakeOptions {
  /** Name of the carrier: the legs’ channel. */
  readonly carrier: string
  readonly media: MediaDialect
  /** Returns a name for the next leg, unique in this process. */
  readonly nextId: () => string
  /** Returns whether the call of a stopped stream continues. Absent: it cannot be checked. Must not reject. */
  readonly lives?: ((callId: string) => Promise<boolean>) | undefined
}

/** A phone participant, connected through a carrier’s media stream. Exists from `start` to the end of the stream. */
export class StreamLeg implements Leg, StreamListener {
  readonly id: string
  readonly channel: string
  readonly narrowband = true
  readonly messageMs = 80
  readonly callId: string
  readonly streamId: string
  readonly counters: LegCounters
  readonly ended: Promise<EndReason>
  readonly #socket: MediaSocket
  readonly #options: LegOptions
  readonly #uplink: Uplink
  readonly #messages: StreamMessages
  readonly #downlink: Downlink
  readonly #marks = new MarkRegistry()
  readonly #dtmfRate: TokenBucket
  readonly #settle: (reason: EndReason) => void
  #sink: LegUplink | undefined
  #reason: EndReason | undefined
  #closing: Promise<void> | undefined
  #pingedAt: number
  /** The carrier stopped the stream: the participant hung up, or the call received other instructions and may return. */
  #stopped = false
  #wait: Disposable | undefined
  #windowMedia = 0
  #windowBad = 0

  /**
   * Waits on `socket` for a `start` accepted by `options.check`, then hands over the leg in the same tick, so that no
   * media is lost. The receiver owns it from then on. Closes and logs a rejected socket.
   */
  static answer(socket: MediaSocket, options: LegOptions, handOver: (leg: StreamLeg) => void): void {
    awaitStart(socket, options, start => {
      const leg = new StreamLeg(socket, start, options)
      socket.attach(leg)
      socket.trust()
      handOver(leg)
    })
  }

  private constructor(socket: MediaSocket, start: Start, options: LegOptions) {
    const now = socket.heardAt
    this.id = options.nextId()
    this.channel = options.carrier
    this.callId = start.callId
    this.streamId = start.streamId
    this.counters = socket.counters
    this.#socket = socket
    this.#options = options
    this.#uplink = new Uplink(socket.counters, options.limits, now)
    this.#messages = options.media.messages(start)
    this.#downlink = new Downlink(this.#messages)
    this.#dtmfRate = new TokenBucket(MAX_DTMF_PER_SECOND, MAX_DTMF_PER_SECOND, now)
    this.#pingedAt = now
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /** Gaps in the media clock, messages without audio, and late audio. */
  get lostMs(): number {
    const { gapsFilledMs, badPayloads, backlogDroppedMs } = this.counters
    return gapsFilledMs + badPayloads * FRAME_MS + backlogDroppedMs
  }

  /** All streams of a call belong to the same participant. */
  get call(): string {
    return this.callId
  }

  attach(uplink: LegUplink): void {
    this.#sink = uplink
    this.#uplink.attach(uplink)
  }

  /** Sends one media message of any whole number of frames. Sends nothing once the leg has ended. */
  play(frames: Int16Array): void {
    if (this.#reason || this.#stopped) return
    this.#socket.send(this.#downlink.encode(frames))
    this.counters.mediaOut++
    this.counters.sentMs += durationMs(frames.length)
    if (this.#socket.unsentBytes > this.#options.limits.maxUnsentBytes)
      this.#cutOff('LEG_LOST', 'the carrier does not read')
  }

  mark(name: string): void {
    if (this.#reason || this.#stopped) return
    this.counters.marksSent++
    this.#socket.send(this.#messages.mark(this.#marks.send(name)))
  }

  flush(): void {
    if (this.#reason || this.#stopped) return
    this.counters.clears++
    this.#marks.flush()
    this.#socket.send(this.#messages.clear())
  }

  get congested(): boolean {
    return this.#stopped || this.#socket.unsentBytes > this.#options.limits.congestedBytes
  }

  /** The carrier stopped the stream, and it is not known yet whether the call continues. */
  get stopped(): boolean {
    return this.#stopped && this.#reason === undefined
  }

  /** Reports that the call of a stopped stream continues: the leg is lost, and another may follow. */
  callContinues(): void {
    if (this.stopped)
      this.#end({ kind: 'failed', error: new BridgeError('LEG_LOST', 'stopped', { retryable: true }) })
  }

  /**
   * Releases the stream so that the call resumes, possibly on another server. Returns false if there is nothing to
   * resume.
   */
  handOver(): boolean {
    if (this.#reason || this.#stopped) return false
    this.#end({ kind: 'failed', error: new BridgeError('LEG_LOST', 'handed over', { retryable: true }) })
    this.#closing ??= this.#socket.close('restart')
    return true
  }

  /**
   * Settles `ended` at once. The returned promise waits for the socket, which is terminated if it does not close in
   * time.
   */
  close(reason: EndReason): Promise<void> {
    this.#end(reason)
    this.#closing ??= this.#socket.close(causeOf(reason))
    return this.#closing
  }

  /**
   * Supervises a quiet stream: feeds silence, pings, ends the leg. The owner’s timer calls it several times a second.
   */
  watch(now: number): void {
    if (this.#reason) return
    if (this.#stopped) {
      this.#uplink.watch(now)
      return
    }
    const { pingAfterMs, lostAfterMs } = this.#options.limits
    const quietMs = this.#socket.quietMs(now)
    if (quietMs >= lostAfterMs) {
      this.#cutOff('LEG_SILENT', `no data received for ${Math.round(quietMs / 1000)} s`)
      return
    }
    if (quietMs >= pingAfterMs && now - this.#pingedAt >= pingAfterMs) {
      this.#pingedAt = now
      this.#socket.ping()
    }
    this.#uplink.watch(now)
  }

  message(message: Inbound, now: number): void {
    if (this.#stopped) return
    switch (message.kind) {
      case 'media':
        if (message.track === 'outbound' || this.#foreign(message.streamId)) this.counters.ignored++
        else this.#media(message.timestampMs, message.payload, now)
        break
      case 'mark':
        this.#heard(message.name)
        break
      case 'dtmf':
        this.#dtmf(message.digit, now)
        break
      case 'stop':
        if (this.#foreign(message.streamId)) this.counters.ignored++
        else this.#stop()
        break
      case 'unknown':
        this.#socket.note('unknown event')
        this.counters.ignored++
        break
      case 'start':
        this.counters.ignored++
        break
      case 'connected':
      case 'invalid':
        break
      default:
        message satisfies never
    }
  }

  closed(reason: EndReason): void {
    if (this.#stopped) return
    // Closed without `stop`: equivalent to `stop`.
    if (reason.kind === 'hangup') this.#stop()
    else this.#end(reason)
  }

  fault(fault: string, err?: unknown): void {
    const about = { channel: this.channel, legId: this.id, callId: this.callId }
    if (err === undefined) this.#options.log.warn({ ...about, fault }, 'leg protocol violation')
    else this.#options.log.error({ ...about, err }, 'leg failed')
  }

  #media(timestampMs: number, payload: string | Buffer, now: number): void {
    this.counters.mediaIn++
    if (++this.#windowMedia > PAYLOAD_WINDOW) {
      this.#windowMedia = 1
      this.#windowBad = 0
    }
    if (this.#uplink.write(timestampMs, payload, now)) return
    this.counters.badPayloads++
    this.#socket.note('bad payload')
    if (++this.#windowBad > MAX_BAD_PAYLOADS) this.#socket.fail('bad-media')
  }

  #heard(wireName: string): void {
    const name = this.#marks.heard(wireName)
    if (name === undefined) {
      this.counters.marksStale++
      return
    }
    this.counters.marksHeard++
    this.#sink?.marked(name)
  }

  #dtmf(digit: string, now: number): void {
    if (this.#dtmfRate.take(now) < 0) {
      this.counters.dtmfDropped++
      return
    }
    this.counters.dtmf++
    this.#sink?.dtmf(digit)
  }

  /**
   * The call may continue with other instructions, for example after a hold: a webhook shows this soon, or the carrier is
   * queried.
   */
  #stop(): void {
    this.#stopped = true
    void this.#socket.close('done')
    const { clock, limits } = this.#options
    if (limits.stoppedMs === 0) this.#end(HUNG_UP)
    else this.#wait = setTimer(clock, limits.stoppedMs, () => void this.#ask())
  }

  async #ask(): Promise<void> {
    if (await this.#options.lives?.(this.callId)) this.callContinues()
    else this.#end(HUNG_UP)
  }

  #foreign(streamId: string): boolean {
    return streamId !== '' && streamId !== this.streamId
  }

  #cutOff(code: 'LEG_SILENT' | 'LEG_LOST', text: string): void {
    this.#end({ kind: 'failed', error: new BridgeError(code, text, { retryable: true }) })
    this.#socket.terminate()
  }

  #end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    this.#wait?.[Symbol.dispose]()
    this.#socket.detach()
    const about = { legId: this.id, callId: this.callId, reason: describeEnd(reason) }
    this.#options.log.info({ ...about, ...this.counters }, 'stream ended')
    this.#settle(reason)
  }
}

function causeOf(reason: EndReason): CloseCause {
  switch (reason.kind) {
    case 'replaced':
      return 'replaced'
    case 'parent-closed':
      return 'going-away'
    case 'failed':
      return reason.error.code === 'CAPACITY' ? 'full' : 'failed'
    default:
      return 'done'
  }
}
