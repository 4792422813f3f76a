import type { Clock } from '../../../common/clock.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { ImaEncoder } from '../../../transcode/adpcm.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../../transcode/pcm.ts'
import { AUDIENCE_FRAMES, encodeAudience } from './audience-packet.ts'

const PACKET_SAMPLES = AUDIENCE_FRAMES * FRAME_SAMPLES
/** Samples per millisecond. */
const PER_MS = 16
/** Audio that continues after a longer gap is no longer contiguous (ms): a live voice arrives unevenly. */
const GAP_MS = 100
/** Longest useful piece of audio that is known in advance (ms): two messages. */
const MESSAGE_MS = 80

/** The people who hear a leg. */
export interface AudienceOutput {
  /** Their number, including those who only read. */
  readonly listeners: number
  /** False: nobody hears, so that nothing is encoded. */
  readonly isHeard: boolean
  /** Sends one message of audio to all who hear. */
  send(packet: Buffer): void
  /** Drops audio that was sent, but not played yet. */
  flush(): void
}

/**
 * The output of a room to everyone who listens in one language. It is mixed and encoded once, in messages of 100 ms, and the
 * same bytes go to all. Marks are confirmed by the clock: nobody waits for one of many listeners.
 */
export class AudienceLeg implements Leg {
  readonly id: string
  readonly channel = 'listen'
  readonly messageMs = MESSAGE_MS
  /** Slow listeners miss audio without effect on others. */
  readonly congested = false
  readonly #output: AudienceOutput
  readonly #clock: Clock
  readonly #encoder = new ImaEncoder()
  readonly #ended = Promise.withResolvers<EndReason>()
  readonly #frames = new Int16Array(PACKET_SAMPLES)
  /** Samples that wait for a full message, and since when (clock ms). */
  #filled = 0
  #filledAt = 0
  #sequence = 0
  #begin: number | undefined
  /** End of all audio so far, relative to the first message (samples). */
  #playedUntil = 0
  readonly #marks: { readonly name: string; readonly at: number }[] = []
  #uplink: LegUplink | undefined
  #over = false

  constructor(id: string, output: AudienceOutput, clock: Clock) {
    this.id = id
    this.#output = output
    this.#clock = clock
  }

  get listeners(): number {
    return this.#output.listeners
  }

  get ended(): Promise<EndReason> {
    return this.#ended.promise
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
  }

  play(frames: Int16Array): void {
    if (this.#over) return
    const now = this.#clock.now()
    this.#begin ??= now
    const here = Math.round((now - this.#begin) * PER_MS)
    // After a pause, a message starts with the audio that follows.
    if (here - this.#playedUntil > GAP_MS * PER_MS) {
      this.#send()
      this.#playedUntil = here
    }
    for (let at = 0; at < frames.length; at += FRAME_SAMPLES) {
      if (this.#filled === 0) this.#filledAt = now
      this.#frames.set(frames.subarray(at, at + FRAME_SAMPLES), this.#filled)
      this.#filled += FRAME_SAMPLES
      this.#playedUntil += FRAME_SAMPLES
      if (this.#filled === PACKET_SAMPLES) this.#send()
    }
  }

  mark(name: string): void {
    if (!this.#over) this.#marks.push({ name, at: (this.#begin ?? 0) + this.#playedUntil / PER_MS })
  }

  flush(): void {
    this.#filled = 0
    this.#marks.length = 0
    if (this.#begin !== undefined) this.#playedUntil = Math.round((this.#clock.now() - this.#begin) * PER_MS)
    this.#output.flush()
  }

  /** Sends what waits for too long, and confirms marks. Call it a few times a second. */
  watch(now: number): void {
    if (this.#filled > 0 && now - this.#filledAt >= AUDIENCE_FRAMES * FRAME_MS) this.#send()
    while (this.#marks[0] !== undefined && this.#marks[0].at <= now)
      this.#uplink?.marked(this.#marks.shift()!.name)
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#send()
    this.#marks.length = 0
    this.#ended.resolve(reason)
  }

  #send(): void {
    const frames = this.#frames.subarray(0, this.#filled)
    this.#filled = 0
    if (frames.length === 0 || !this.#output.isHeard) return
    const at = this.#playedUntil - frames.length
    const packet = encodeAudience(this.#encoder, frames, this.#sequence++, at)
    this.#output.send(Buffer.from(packet.buffer))
  }
}
