import { setTimer } from '../../../common/clock.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import { FRAME_MS } from '../../../transcode/pcm.ts'
import { MarkRegistry } from '../../websocket/mark-registry.ts'
import { SocketLeg } from '../../websocket/socket-leg.ts'
import type { Inbound, MediaDialect, Start, StreamMessages } from '../ports/media-dialect.ts'
import { ClockDrift } from './clock-drift.ts'
import { ReorderBuffer } from './reorder-buffer.ts'
import { Downlink, Uplink } from './stream-audio.ts'
import { StreamPacer } from './stream-pacer.ts'
import type { CloseCause, LegCounters, MediaSocket, StreamListener } from './stream-socket.ts'
import { awaitStart, type HandshakeOptions } from './stream-socket.ts'

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
export class StreamLeg extends SocketLeg<CloseCause, LegCounters> implements StreamListener {
  readonly channel: string
  readonly narrowband: boolean
  readonly messageMs = 80
  readonly callId: string
  readonly streamId: string
  protected readonly uplink: Uplink
  readonly #socket: MediaSocket
  readonly #options: LegOptions
  readonly #messages: StreamMessages
  readonly #drift = new ClockDrift()
  readonly #downlink: Downlink
  readonly #marks = new MarkRegistry()
  /** For carriers that deliver media in any order. */
  readonly #reorder: ReorderBuffer | undefined
  /** For carriers without a queue. */
  readonly #pacer: StreamPacer | undefined
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
    const { limits, log, media, carrier, nextId } = options
    const { callId, streamId } = start
    super({
      id: nextId(),
      connection: socket,
      counters: socket.counters,
      limits,
      log,
      peer: 'carrier',
      causeOf,
      endEntry: { message: 'stream ended', fields: { callId } },
    })
    this.channel = carrier
    this.callId = callId
    this.streamId = streamId
    this.#socket = socket
    this.#options = options
    this.narrowband = media.format.rate === 8_000
    this.uplink = new Uplink(socket.counters, limits, media.format, this.#drift, socket.heardAt)
    this.#reorder =
      media.order === 'kept'
        ? undefined
        : new ReorderBuffer((at, payload, now) => this.#media(at, payload, now))
    this.#messages = media.messages(start)
    this.#downlink = new Downlink(this.#messages, media.format, this.#drift)
    this.#pacer =
      media.queue === 'carrier'
        ? undefined
        : new StreamPacer({ frame: pcm => this.#sendMedia(pcm), played: name => this.played(name) })
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

  override get congested(): boolean {
    return this.#stopped || super.congested
  }

  /** The carrier stopped the stream, and it is not known yet whether the call continues. */
  get stopped(): boolean {
    return this.#stopped && this.alive
  }

  /** Reports that the call of a stopped stream continues: the leg is lost, and another may follow. */
  callContinues(): void {
    if (this.stopped) this.endRetryable('LEG_LOST', 'stopped')
  }

  /**
   * Releases the stream so that the call resumes, possibly on another server. Returns false if there is nothing to
   * resume.
   */
  handOver(): boolean {
    if (!this.open) return false
    this.endRetryable('LEG_LOST', 'handed over')
    void this.shut('restart')
    return true
  }

  /** Closes the stream because the call continues at another node; the participant leaves at once. */
  leave(): void {
    this.end({ kind: 'parent-closed' })
    void this.shut('restart')
  }

  message(message: Inbound, now: number): void {
    if (this.#stopped) return
    switch (message.kind) {
      case 'media':
        if (message.track === 'outbound' || this.#foreign(message.streamId)) this.counters.ignored++
        else if (this.#reorder) this.#sort(this.#reorder, message, now)
        else this.#media(message.timestampMs, message.payload, now)
        break
      case 'mark':
        this.played(this.#marks.heard(message.name))
        break
      case 'dtmf':
        if (this.pressed(message.digit, now)) this.counters.dtmf++
        else this.counters.dtmfDropped++
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

  override watch(now: number): void {
    if (this.open) this.#reorder?.release(now)
    super.watch(now)
  }

  override closed(reason: EndReason): void {
    if (this.#stopped) return
    // Closed without `stop`: equivalent to `stop`.
    if (reason.kind === 'hangup') this.#stop()
    else this.end(reason)
  }

  fault(fault: string, err?: unknown): void {
    const about = { channel: this.channel, legId: this.id, callId: this.callId }
    if (err === undefined) this.#options.log.warn({ ...about, fault }, 'leg protocol violation')
    else this.#options.log.error({ ...about, err }, 'leg failed')
  }

  protected override get open(): boolean {
    return this.alive && !this.#stopped
  }

  /** Sends the audio that is due to a carrier without a queue; called every 20 ms. */
  pace(now: number): void {
    if (this.open) this.#pacer?.tick(now, this.#drift.rate)
  }

  protected override sendAudio(frames: Int16Array): void {
    const pcm = this.#downlink.correct(frames)
    if (this.#pacer) this.#pacer.play(pcm)
    else this.#sendMedia(pcm)
  }

  protected override sendMark(name: string): void {
    if (this.#pacer) this.#pacer.mark(name)
    else {
      const padding = this.#messages.padding?.()
      if (padding !== undefined) this.#socket.send(padding)
      this.#socket.send(this.#messages.mark(this.#marks.send(name)))
    }
  }

  protected override sendFlush(): void {
    this.counters.clears++
    if (this.#pacer) {
      this.#pacer.flush()
      return
    }
    this.#marks.flush()
    this.#socket.send(this.#messages.clear())
  }

  protected override end(reason: EndReason): void {
    this.#wait?.[Symbol.dispose]()
    super.end(reason)
  }

  #sort(
    reorder: ReorderBuffer,
    { sequence = Number.NaN, timestampMs, payload }: Extract<Inbound, { kind: 'media' }>,
    now: number,
  ): void {
    reorder.push(sequence, timestampMs, payload, now)
    this.counters.reordered = reorder.reordered
    this.counters.late = reorder.late
  }

  #sendMedia(frames: Int16Array): void {
    this.#socket.send(this.#downlink.encode(frames))
    this.counters.mediaOut++
  }

  #media(timestampMs: number, payload: string | Buffer, now: number): void {
    // Some carriers send messages without audio.
    if (payload.length === 0) return
    this.counters.mediaIn++
    if (++this.#windowMedia > PAYLOAD_WINDOW) {
      this.#windowMedia = 1
      this.#windowBad = 0
    }
    if (this.uplink.write(timestampMs, payload, now)) return
    this.counters.badPayloads++
    this.#socket.note('bad payload')
    if (++this.#windowBad > MAX_BAD_PAYLOADS) this.#socket.fail('bad-media')
  }

  /**
   * The call may continue with other instructions, for example after a hold: a webhook shows this soon, or the carrier is
   * queried.
   */
  #stop(): void {
    this.#stopped = true
    void this.#socket.close('done')
    const { clock, limits } = this.#options
    if (limits.stoppedMs === 0) this.end(HUNG_UP)
    else this.#wait = setTimer(clock, limits.stoppedMs, () => void this.#ask())
  }

  async #ask(): Promise<void> {
    if (await this.#options.lives?.(this.callId)) this.callContinues()
    else this.end(HUNG_UP)
  }

  #foreign(streamId: string): boolean {
    return streamId !== '' && streamId !== this.streamId
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
