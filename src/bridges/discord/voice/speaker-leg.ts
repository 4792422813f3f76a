import { BridgeError } from '../../../common/errors.ts'
import { describeEnd, type EndReason } from '../../../common/lifecycle.ts'
import { errorFields, type Logger } from '../../../common/log.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { OPUS_CLOCK_RATE, opusSamples } from '../../../transcode/opus-packet.ts'
import type { LinkCounters } from '../counters.ts'
import type { OutputPacer, Paced } from './channel-output.ts'
import { ReorderBuffer } from './reorder-buffer.ts'
import type { PacketSink, PacketSource } from './rtp-packet.ts'
import { SpeakerDecoder } from './speaker-decoder.ts'

/** Maximum wait for a missing packet when no more packets arrive (ms). */
const PATIENCE_MS = 60
/** Speech accepted per second (ms), with tolerance for the user's clock, and at once after a network stall. */
const FASTEST_MS = 1_050
const BURST_MS = 5_000
/** Maximum number of pending marks; older ones are dropped. */
const MARKS_MOST = 200

/** Silence sent after a turn, so that the service detects its end: Discord sends none (ms). */
const END_OF_TURN_SILENCE_MS = 800

export interface SpeakerLegOptions {
  /** Unique in this process. */
  readonly id: string
  readonly userId: string
  /** Listened to from `attach` until the end of the leg. The leg ends with it. */
  readonly source: PacketSource
  readonly pacer: OutputPacer
  readonly counters: LinkCounters
  readonly log: Logger
  /** Silence sent after a turn (ms). Default 800. */
  readonly endOfTurnSilenceMs?: number
}

/**
 * One user of a voice channel, who only speaks; audio played to this leg is discarded. Frames arrive while the user
 * talks and for `endOfTurnSilenceMs` longer. Discord sends nothing during silence, and neither does the leg.
 */
export class SpeakerLeg implements Leg, PacketSink, Paced {
  readonly id: string
  readonly channel = 'discord'
  readonly userId: string
  readonly ended: Promise<EndReason>
  readonly congested = false
  readonly #options: SpeakerLegOptions
  readonly #decoder: SpeakerDecoder
  readonly #reorderBuffer: ReorderBuffer
  readonly #allowance: TokenBucket
  readonly #settle: (reason: EndReason) => void
  #uplink: LegUplink | undefined
  #ssrc: number | undefined
  #packetAt = 0
  #marks: string[] = []
  #over = false

  constructor(options: SpeakerLegOptions) {
    const { id, userId, source, pacer, counters, endOfTurnSilenceMs = END_OF_TURN_SILENCE_MS } = options
    this.id = id
    this.userId = userId
    this.#options = options
    this.#decoder = new SpeakerDecoder(counters, endOfTurnSilenceMs, frame => this.#uplink?.write(frame))
    this.#reorderBuffer = new ReorderBuffer((...packet) => this.#decoder.packet(...packet), counters)
    this.#allowance = new TokenBucket(FASTEST_MS, BURST_MS, pacer.clock.now())
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
    void source.ended.then(() => this.close({ kind: 'hangup', by: 'remote' }))
  }

  get lostMs(): number {
    return this.#decoder.lostMs
  }

  attach(uplink: LegUplink): void {
    if (this.#over) return
    this.#uplink = uplink
    this.#options.pacer.add(this)
    this.#options.source.listen(this.userId, this)
  }

  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void {
    if (this.#over) return
    const now = this.#options.pacer.clock.now()
    const ms = (opusSamples(opus) * 1000) / OPUS_CLOCK_RATE
    if (this.#allowance.take(now, ms) < 0) {
      this.#options.counters.flooded++
      return
    }
    this.#packetAt = now
    try {
      if (ssrc !== this.#ssrc) this.#newStream(ssrc)
      this.#decoder.arrived(now)
      this.#reorderBuffer.push(sequence, timestamp, opus)
    } catch (cause) {
      this.#fail(cause)
    }
  }

  tick(now: number): void {
    try {
      if (this.#reorderBuffer.holding && now - this.#packetAt >= PATIENCE_MS) this.#reorderBuffer.flush()
      this.#decoder.tick(now)
      if (this.#marks.length > 0) this.#confirm()
    } catch (cause) {
      this.#fail(cause)
    }
  }

  /** Discards the audio. */
  play(): void {}

  /** Confirmed at the next tick, because no audio is played. */
  mark(name: string): void {
    if (this.#over) return
    if (this.#marks.length >= MARKS_MOST) this.#marks.shift()
    this.#marks.push(name)
  }

  flush(): void {
    this.#marks = []
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#over) return
    this.#over = true
    const { pacer, source, log } = this.#options
    source.unlisten(this.userId, this)
    pacer.remove(this)
    this.#uplink = undefined
    log.debug({ legId: this.id, reason: describeEnd(reason) }, 'speaker ended')
    this.#settle(reason)
  }

  #newStream(ssrc: number): void {
    if (this.#ssrc !== undefined) this.#options.counters.restarts++
    this.#ssrc = ssrc
    this.#reorderBuffer.reset()
  }

  #confirm(): void {
    const marks = this.#marks
    this.#marks = []
    for (const name of marks) this.#uplink?.marked(name)
  }

  /** Ends this speaker after an error. */
  #fail(cause: unknown): void {
    const error = new BridgeError('LEG_LOST', "the speaker's audio could not be processed", { cause })
    this.#options.log.error({ channel: this.channel, legId: this.id, ...errorFields(cause) }, 'leg failed')
    void this.close({ kind: 'failed', error })
  }
}
