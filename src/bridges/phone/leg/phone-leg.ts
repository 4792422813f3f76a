import { type Clock, setTimer } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import { describeEnd, type EndReason } from '../../../common/lifecycle.ts'
import type { Logger } from '../../../common/log.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'
import { type Leg, type LegUplink, MAX_KEYS_PER_SECOND } from '../../../core/model/leg.ts'
import { durationMs, FRAME_MS } from '../../../transcode/pcm.ts'
import { GuardedSocket, type LegTransport, type SocketListener } from '../../websocket/guarded-socket.ts'
import type { CarrierMessage, MediaDialect, Start, StreamMessages } from '../carrier.ts'
import type { StreamLimits } from '../limits.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import { LegCounters } from './leg-counters.ts'
import { bytesOf, LineDecoder, LineEncoder } from './line-audio.ts'
import { MarkRegistry } from './mark-registry.ts'
import { MediaSorter } from './media-sorter.ts'
import { MediaTimeline } from './media-timeline.ts'
import { StreamPacer } from './stream-pacer.ts'

/** Media messages over which bad payloads are counted (2 s), and the number of them that ends the stream. */
const PAYLOAD_WINDOW = 100
const MAX_BAD_PAYLOADS = 5
const HUNG_UP: EndReason = { kind: 'hangup', by: 'remote' }

export interface PhoneLegOptions {
  /** Name of the carrier: the legs’ channel. */
  readonly carrier: string
  readonly media: MediaDialect
  readonly clock: Clock
  readonly log: Logger
  readonly limits: StreamLimits
  /** Checks token, call and audio format of `start`; returns the cause for rejecting the stream, or undefined. */
  readonly check: (start: Start) => CloseCause | undefined
  /** Counts a stream that never became a leg. */
  readonly refused: (cause: CloseCause) => void
  /** Returns a name for the next leg, unique in this process. */
  readonly nextId: () => string
  /** Returns whether the call of a stopped stream continues. Absent: it cannot be checked. Must not reject. */
  readonly continues?: ((callId: string) => Promise<boolean>) | undefined
}

/** A media socket, whose holder closes it. */
export type StreamSocket = GuardedSocket<CloseCause, LegCounters>

/**
 * A phone participant, connected through a carrier’s media stream. Exists from `start` to the end of the stream. This file
 * follows a call: accept, message, hear, play, mark and flush, watch, close.
 */
export class PhoneLeg implements Leg, SocketListener<CloseCause> {
  readonly id: string
  readonly channel: string
  readonly narrowband: boolean
  readonly messageMs = 80
  readonly comfortNoise = true
  readonly callId: string
  readonly streamId: string
  readonly counters: LegCounters
  readonly #options: PhoneLegOptions
  readonly #socket: StreamSocket
  readonly #messages: StreamMessages
  readonly #timeline: MediaTimeline
  readonly #decoder: LineDecoder
  readonly #encoder: LineEncoder
  readonly #marks = new MarkRegistry()
  /** For carriers that deliver media in any order. */
  readonly #reorder: MediaSorter | undefined
  /** For carriers without a queue. */
  readonly #pacer: StreamPacer | undefined
  readonly #keyRate: TokenBucket
  readonly #ended = Promise.withResolvers<EndReason>()
  #uplink: LegUplink | undefined
  #alive = true
  /** The carrier stopped the stream: the participant hung up, or the call received other instructions and may return. */
  #stopped = false
  #wait: Disposable | undefined
  #windowMedia = 0
  #windowBad = 0

  /**
   * Waits on `connection`, whose upgrade was verified, for a `start` accepted by `options.check`, then hands over the leg in
   * the same tick, so that no media is lost; the receiver owns it from then on. The socket fails if `start` is rejected or
   * comes too late. Media before it is dropped: a busy Asterisk sends `MEDIA_START` more than a second late (asterisk#1712),
   * and until it is known whose audio this is, nothing is kept.
   */
  static accept(
    connection: LegTransport,
    options: PhoneLegOptions,
    handOver: (leg: PhoneLeg) => void,
  ): StreamSocket {
    const { clock, log, limits, media, check, refused } = options
    const frames = { maxBytes: limits.maxMessageBytes, isAudio: true }
    const socket: StreamSocket = new GuardedSocket<CloseCause, LegCounters>(connection, {
      clock,
      limits,
      counters: new LegCounters(),
      codes: CLOSE_CODES,
      text: media.frames === 'binary' ? 'binary' : frames,
      binary: media.frames === 'text' ? 'binary' : frames,
      peer: 'carrier',
    })
    const deadline = setTimer(clock, limits.startWithinMs, () => socket.fail('no-start'))
    socket.attach({
      message: (data, isBinary, now) => {
        const message = media.parse(data, isBinary)
        if (message.kind === 'invalid') return message.fault
        if (message.kind !== 'start') return undefined
        const cause = check(message)
        if (cause !== undefined) {
          socket.fail(cause)
          return undefined
        }
        deadline[Symbol.dispose]()
        const leg = new PhoneLeg(socket, message, options, now)
        socket.attach(leg)
        socket.trust()
        handOver(leg)
        return undefined
      },
      closed: (reason, cause) => {
        deadline[Symbol.dispose]()
        if (cause === undefined) {
          log.info({ reason: reason.kind }, 'stream closed before start')
          return
        }
        refused(cause)
        log.warn({ cause, code: CLOSE_CODES[cause].code }, 'stream rejected')
      },
      // Logged once, on rejection.
      fault: () => {},
    })
    return socket
  }

  private constructor(socket: StreamSocket, start: Start, options: PhoneLegOptions, now: number) {
    const { limits, media, carrier, nextId } = options
    const { counters } = socket
    this.id = nextId()
    this.channel = carrier
    this.narrowband = media.format.rate === 8_000
    this.callId = start.callId
    this.streamId = start.streamId
    this.counters = counters
    this.#options = options
    this.#socket = socket
    this.#messages = media.messages(start)
    this.#timeline = new MediaTimeline(counters, limits, media.format.rate, now)
    this.#decoder = new LineDecoder(media.format, this.#timeline.drift, counters)
    this.#encoder = new LineEncoder(media.format, this.#timeline.drift)
    this.#reorder = media.order === 'any' ? new MediaSorter(counters) : undefined
    this.#pacer = media.queue === 'none' ? new StreamPacer() : undefined
    this.#keyRate = new TokenBucket(MAX_KEYS_PER_SECOND, MAX_KEYS_PER_SECOND, now)
  }

  /** All streams of a call belong to the same participant. */
  get call(): string {
    return this.callId
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
    this.#decoder.uplink = uplink
  }

  message(data: Buffer, isBinary: boolean, now: number): string | undefined {
    const message = this.#options.media.parse(data, isBinary)
    switch (message.kind) {
      case 'media':
        if (message.track === 'outbound' || this.#foreign(message.streamId)) this.counters.ignored++
        else if (this.#reorder) this.#sort(this.#reorder, message, now)
        else this.#hear(message.timestampMs, message.payload, now)
        return undefined
      case 'mark':
        this.#played(this.#marks.heard(message.name))
        return undefined
      case 'dtmf':
        this.#press(message.digit, now)
        return undefined
      case 'stop':
        if (this.#foreign(message.streamId)) this.counters.ignored++
        else this.#stop()
        return undefined
      case 'unknown':
        this.#socket.note('unknown event')
        this.counters.ignored++
        return undefined
      case 'start':
        this.counters.ignored++
        return undefined
      case 'connected':
        return undefined
      default:
        return message.fault
    }
  }

  #foreign(streamId: string): boolean {
    return streamId !== '' && streamId !== this.streamId
  }

  #press(digit: string, now: number): void {
    if (this.#keyRate.take(now) < 0) {
      this.counters.dtmfDropped++
      return
    }
    this.#uplink?.dtmf(digit)
    this.counters.dtmf++
  }

  #sort(reorder: MediaSorter, message: Extract<CarrierMessage, { kind: 'media' }>, now: number): void {
    const { sequence = Number.NaN, timestampMs, payload } = message
    reorder.push({ sequence, timestampMs, payload }, now)
    this.#hearSorted(reorder, now)
  }

  #hearSorted(reorder: MediaSorter, now: number): void {
    for (let next = reorder.next(now); next; next = reorder.next(now))
      this.#hear(next.timestampMs, next.payload, now)
  }

  /** Passes on the audio of one message, after silence in place of what is missing before it. */
  #hear(timestampMs: number, payload: string | Buffer, now: number): void {
    // Some carriers send messages without audio.
    if (payload.length === 0) return
    this.#count()
    const timeline = this.#timeline
    const decoder = this.#decoder
    const bytes = bytesOf(payload)
    const samples = bytes ? Math.floor(bytes.length / decoder.bytesPerSample) : decoder.blockSamples
    if (!timeline.place(timestampMs, samples, now)) return
    decoder.silence(timeline.fill)
    if (bytes) decoder.decode(bytes, timeline.skip)
    else {
      decoder.silence(samples - timeline.skip)
      this.#countBad()
    }
  }

  #count(): void {
    this.counters.mediaIn++
    if (++this.#windowMedia <= PAYLOAD_WINDOW) return
    this.#windowMedia = 1
    this.#windowBad = 0
  }

  #countBad(): void {
    this.counters.badPayloads++
    this.#socket.note('bad payload')
    if (++this.#windowBad > MAX_BAD_PAYLOADS) this.#socket.fail('bad-media')
  }

  /** Gaps in the media clock, messages without audio, and late audio. */
  get lostMs(): number {
    const { gapsFilledMs, badPayloads, backlogDroppedMs } = this.counters
    return gapsFilledMs + badPayloads * FRAME_MS + backlogDroppedMs
  }

  /** Sends one message of any whole number of frames. Sends nothing once the stream has ended. */
  play(frames: Int16Array): void {
    if (!this.#open) return
    this.counters.sentMs += durationMs(frames.length)
    const pcm = this.#encoder.correct(frames)
    if (this.#pacer) this.#pacer.play(pcm)
    else this.#send(pcm)
  }

  /** Sends the audio that is due to a carrier without a queue; called every 20 ms. */
  pace(now: number): void {
    const pacer = this.#pacer
    if (!pacer || !this.#open) return
    const { rate } = this.#timeline.drift
    for (let frame = pacer.next(now, rate); frame; frame = pacer.next(now, rate)) this.#send(frame)
    for (const name of pacer.played(now)) this.#played(name)
  }

  #send(frames: Int16Array): void {
    this.#socket.send(this.#messages.media(this.#encoder.encode(frames)))
    this.counters.mediaOut++
  }

  mark(name: string): void {
    if (!this.#open) return
    this.counters.marksSent++
    if (this.#pacer) {
      this.#pacer.mark(name)
      return
    }
    const padding = this.#messages.padding?.()
    if (padding !== undefined) this.#socket.send(padding)
    this.#socket.send(this.#messages.mark(this.#marks.send(name)))
  }

  /** The carrier played all audio before mark `name`; undefined for a mark that was flushed or never sent. */
  #played(name: string | undefined): void {
    if (name === undefined) {
      this.counters.marksStale++
      return
    }
    this.counters.marksHeard++
    this.#uplink?.marked(name)
  }

  flush(): void {
    if (!this.#open) return
    this.counters.clears++
    if (this.#pacer) {
      this.#pacer.flush()
      return
    }
    this.#marks.flush()
    this.#socket.send(this.#messages.clear())
  }

  get congested(): boolean {
    return this.#stopped || this.#socket.congested
  }

  /** Supervises a quiet stream: passes on what waits, and silence. Called several times a second. */
  watch(now: number): void {
    if (this.#reorder && this.#open) this.#hearSorted(this.#reorder, now)
    this.#socket.watch(now)
    if (this.#alive) this.#decoder.silence(this.#timeline.silence(now))
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

  /** True while the carrier accepts audio. */
  get #open(): boolean {
    return this.#alive && !this.#stopped
  }

  /** The carrier stopped the stream, and it is not known yet whether the call continues. */
  get stopped(): boolean {
    return this.#stopped && this.#alive
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
    if (await this.#options.continues?.(this.callId)) this.callContinues()
    else this.#end(HUNG_UP)
  }

  /** Reports that the call of a stopped stream continues: the leg is lost, and another may follow. */
  callContinues(): void {
    if (this.stopped) this.#endRetryable('stopped')
  }

  /**
   * Releases the stream so that the call resumes, possibly on another server. Returns false if there is nothing to
   * resume.
   */
  handOver(): boolean {
    if (!this.#open) return false
    this.#endRetryable('handed over')
    void this.#socket.close('restart')
    return true
  }

  /** Closes the stream because the call continues at another node; the participant leaves at once. */
  leave(): void {
    this.#end({ kind: 'parent-closed' })
    void this.#socket.close('restart')
  }

  get ended(): Promise<EndReason> {
    return this.#ended.promise
  }

  /**
   * Settles `ended` at once. The returned promise waits for the socket, which is terminated if it does not close in
   * time.
   */
  close(reason: EndReason): Promise<void> {
    this.#end(reason)
    return this.#socket.close(causeOf(reason))
  }

  #endRetryable(text: string): void {
    this.#end({ kind: 'failed', error: new BridgeError('LEG_LOST', text, { retryable: true }) })
  }

  /** Ends the leg, unless it has ended. */
  #end(reason: EndReason): void {
    this.#wait?.[Symbol.dispose]()
    if (!this.#alive) return
    this.#alive = false
    this.#socket.detach()
    const about = { legId: this.id, callId: this.callId, reason: describeEnd(reason) }
    this.#options.log.info({ ...about, ...this.counters }, 'stream ended')
    this.#ended.resolve(reason)
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
