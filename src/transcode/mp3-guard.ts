import { MP3_FRAME_SAMPLES, type Mp3Header } from './mp3-header.ts'
import { RecentPeaks } from './recent-peaks.ts'

/** No encoder makes a sound that decodes to more than a little over full scale; damage makes thousands of it. */
const DAMAGED = 1.4
/** A frame that reaches this far (−30 dBFS) is voice, and tells how loud the voice is. */
const VOICE = 1_024
/** Frames of voice that are remembered: 2.3 s at 16 kHz. */
const REMEMBERED = 64
/** One frame of voice in so many is louder than the voice is taken to be: what damage slipped through is among these. */
const LOUDER = 8
/** It is known how loud the voice is after so much of it (ms). */
const KNOWN_MS = 500
/**
 * How far a frame may rise above that: 12 dB. In 370 recordings and synthetic voices, many beginning with a soft sound,
 * no frame does.
 */
const RISE = 4
/** The same while damage is near: 6 dB. */
const RISE_NEAR_DAMAGE = 2
/** What is learned from a frame that is louder than the voice was: 6 dB. */
const LEARNED = 2
/** Where so much more of the voice is too loud than is not, it has become louder (ms). */
const FOLLOWED_MS = 500
/** The most near damage while it is not known how loud the voice is: −12 dBFS. */
const UNKNOWN_NEAR_DAMAGE = 8_192
/** What refers back to damaged bytes, or overlaps with them, comes within so many frames. */
const NEAR = 6
/** Samples over which a step at a change of loudness is spread. */
const SMOOTH = 64

/**
 * Keeps damage within mp3 frames from being heard as bursts. Nothing in a frame says that its bits are wrong, and the
 * decoder does not notice: a few wrong bits can be the loudest sound there is.
 *
 * What decodes beyond 1.4 × full scale, or not at all, becomes silence. Once 0.5 s of voice were heard, a frame that
 * rises more than 12 dB above it (6 dB near damage) is made as soft as that; what goes on so for half a second is taken for
 * the voice. All else stays as it is, sample by sample.
 */
export class Mp3Guard {
  /** Frames that were made softer or silent. */
  changed = 0
  /** Of frames of voice. */
  readonly #peaks = new RecentPeaks(REMEMBERED)
  /** How long those were that were learned from. */
  #voicedMs = 0
  /** How much more of it was too loud than was not. */
  #pressedMs = 0
  /** Frames during which damage is near. */
  #near = 0
  readonly #out = new Int16Array(MP3_FRAME_SAMPLES)
  #gain = 1
  #last = 0

  /** There was damage just before the next frame. */
  warn(): void {
    this.#near = NEAR
  }

  /**
   * One frame, undefined if it could not be decoded; `reach` is how far it went before it was clamped (1 is full scale).
   * Answers `pcm` itself, or what is to be heard in its place until the next call.
   */
  pass(pcm: Int16Array | undefined, reach: number, { samples, rate }: Mp3Header): Int16Array {
    const gain =
      pcm && reach <= DAMAGED ? this.#gainFor(Math.min(1, reach) * 32_768, (samples * 1000) / rate) : 0
    if (gain === 0) this.#near = NEAR
    else if (this.#near > 0) this.#near--
    if (gain < 1) this.changed++
    const given = gain === 1 && this.#gain === 1 ? pcm! : this.#scaled(pcm, gain, samples)
    this.#gain = gain
    this.#last = given[samples - 1]!
    return given
  }

  /** What a frame of `peak` is multiplied with. Learns how loud the voice is. */
  #gainFor(peak: number, ms: number): number {
    const most = this.#most()
    if (peak > most) {
      this.#pressedMs += ms
      if (this.#pressedMs >= FOLLOWED_MS) this.#forget()
      return most / peak
    }
    if (peak < VOICE) return 1
    this.#pressedMs = Math.max(0, this.#pressedMs - ms)
    if (this.#near > 0) return 1
    // Of what damage made a little louder only so much is learned.
    this.#peaks.add(this.#known ? Math.min(peak, LEARNED * this.#loudness) : peak)
    this.#voicedMs += ms
    return 1
  }

  get #known(): boolean {
    return this.#voicedMs >= KNOWN_MS
  }

  #forget(): void {
    this.#peaks.clear()
    this.#voicedMs = 0
    this.#pressedMs = 0
    this.#near = 0
  }

  /** How far the next frame may reach. */
  #most(): number {
    if (!this.#known) return this.#near > 0 ? UNKNOWN_NEAR_DAMAGE : Infinity
    return this.#loudness * (this.#near > 0 ? RISE_NEAR_DAMAGE : RISE)
  }

  /** How loud the voice is. */
  get #loudness(): number {
    return this.#peaks.exceededByOneIn(LOUDER)
  }

  /** The frame times `gain`, without a step against what was given before. */
  #scaled(pcm: Int16Array | undefined, gain: number, count: number): Int16Array {
    const out = count === MP3_FRAME_SAMPLES ? this.#out : this.#out.subarray(0, count)
    const step = this.#last - (pcm ? pcm[0]! * gain : 0)
    const most = gain < 1 ? Math.max(this.#most(), Math.abs(this.#last)) : Infinity
    for (let i = 0; i < count; i++) {
      const sample = (pcm ? pcm[i]! * gain : 0) + (i < SMOOTH ? step * (1 - i / SMOOTH) : 0)
      out[i] = Math.max(-32_768, -most, Math.min(32_767, most, sample))
    }
    return out
  }
}
