import { MP3_FRAME_SAMPLES, type Mp3Header } from './header.ts'

/** The last few peaks and their distribution. */
export class PeakHistory {
  /** Ring buffer in order of arrival, starting at `#next`. */
  readonly #ring: Uint16Array
  /** The same values in ascending order. */
  readonly #sorted: Uint16Array
  #next = 0
  #count = 0

  /** Keeps `size` peaks. */
  constructor(size: number) {
    this.#ring = new Uint16Array(size)
    this.#sorted = new Uint16Array(size)
  }

  /** Adds a peak, and drops the oldest one when full. */
  add(peak: number): void {
    const { length } = this.#ring
    if (this.#count === length) this.#remove(this.#ring[this.#next]!)
    // Stored as integers, so that the same value is found again.
    this.#ring[this.#next] = peak
    this.#insert(this.#ring[this.#next]!)
    this.#next = (this.#next + 1) % length
  }

  /** Returns the peak that at most one in `every` exceeds; 0 without peaks. */
  exceededByOneIn(every: number): number {
    return this.#sorted[this.#count - 1 - Math.floor(this.#count / every)] ?? 0
  }

  clear(): void {
    this.#count = 0
    this.#next = 0
  }

  #insert(peak: number): void {
    let at = this.#count++
    for (; at > 0 && this.#sorted[at - 1]! > peak; at--) this.#sorted[at] = this.#sorted[at - 1]!
    this.#sorted[at] = peak
  }

  #remove(peak: number): void {
    const at = this.#sorted.indexOf(peak)
    this.#sorted.copyWithin(at, at + 1, this.#count--)
  }
}

/**
 * Maximum peak of an intact frame, relative to full scale: encoders exceed it slightly, damage by factors of thousands.
 */
const DAMAGED = 1.4
/** Minimum peak of a frame that counts as speech, for measuring the volume of the voice (−30 dBFS). */
const VOICE = 1_024
/** Number of speech frames remembered: 2.3 s at 16 kHz. */
const REMEMBERED = 64
/** The volume of the voice is a peak that one in this many frames exceeds; undetected damage is among these. */
const LOUDER = 8
/** Amount of speech after which the volume is known (ms). */
const KNOWN_MS = 500
/**
 * Maximum rise of a frame above the volume: 12 dB. No frame exceeds it in 370 recordings and synthetic voices, many of
 * which start softly.
 */
const RISE = 4
/** Maximum rise near damage: 6 dB. */
const RISE_NEAR_DAMAGE = 2
/** Maximum contribution of a louder frame to the volume: 6 dB. */
const LEARNED = 2
/** Excess of too loud speech over normal speech after which the voice counts as louder (ms). */
const FOLLOWED_MS = 500
/** Maximum peak near damage while the volume is unknown: −12 dBFS. */
const UNKNOWN_NEAR_DAMAGE = 8_192
/** Number of frames that can refer to damaged bytes, or overlap with them. */
const NEAR = 6
/** Number of samples over which a step at a gain change is smoothed. */
const SMOOTH = 64

// Shared by all guards: holds the samples of one frame until the next.
const replacement = new Int16Array(MP3_FRAME_SAMPLES)

/**
 * Suppresses bursts caused by damaged mp3 frames. A frame does not indicate that its bits are wrong, and the decoder
 * does not notice: a few wrong bits can produce the loudest possible sound.
 *
 * Frames that exceed 1.4 × full scale, or cannot be decoded, become silence. After 0.5 s of speech, a frame that rises
 * more than 12 dB above it (6 dB near damage) is attenuated to that limit; if this continues for half a second, it
 * counts as the voice. All other samples stay unchanged.
 */
export class DamageGuard {
  /** Number of frames attenuated or silenced. */
  changed = 0
  /** Of speech frames. */
  readonly #peaks = new PeakHistory(REMEMBERED)
  /** Duration of the frames measured (ms). */
  #voicedMs = 0
  /** Excess of too loud frames over normal ones (ms). */
  #pressedMs = 0
  /** Remaining frames near damage. */
  #near = 0
  #gain = 1
  #last = 0

  /** Reports damage just before the next frame. */
  warn(): void {
    this.#near = NEAR
  }

  /**
   * Processes one frame, undefined if it could not be decoded; `reach` is its peak before clamping (1 is full scale).
   * Returns `pcm` itself, or a replacement that is valid until the next call of any guard.
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

  /** Returns the gain for a frame of `peak`, and updates the volume of the voice. */
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
    // Limit the contribution of slightly louder damage.
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

  /** Maximum peak of the next frame. */
  #most(): number {
    if (!this.#known) return this.#near > 0 ? UNKNOWN_NEAR_DAMAGE : Infinity
    return this.#loudness * (this.#near > 0 ? RISE_NEAR_DAMAGE : RISE)
  }

  /** Volume of the voice. */
  get #loudness(): number {
    return this.#peaks.exceededByOneIn(LOUDER)
  }

  /** Returns the frame times `gain`, without a step after the previous frame. */
  #scaled(pcm: Int16Array | undefined, gain: number, count: number): Int16Array {
    const out = count === MP3_FRAME_SAMPLES ? replacement : replacement.subarray(0, count)
    const step = this.#last - (pcm ? pcm[0]! * gain : 0)
    const most = gain < 1 ? Math.max(this.#most(), Math.abs(this.#last)) : Infinity
    for (let i = 0; i < count; i++) {
      const sample = (pcm ? pcm[i]! * gain : 0) + (i < SMOOTH ? step * (1 - i / SMOOTH) : 0)
      out[i] = Math.max(-32_768, -most, Math.min(32_767, most, sample))
    }
    return out
  }
}
