import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { Samples } from '../stats.ts'

/** An answer that arrives this soon after the sound of the one before (ms) cannot be distinguished from it. */
const APART_MS = 60
/**
 * Threshold of sound, above the ends of a fade: mean of the µ-law magnitudes (0–127) of a message; 20 is about 0.5 % of
 * full scale.
 */
export const LOUD = 20
/** Shorter silence is not a gap (ms). */
const GAP_MS = 1
/**
 * Time after the end of playback at the phone in which its echo is still possible (ms), with a margin: until then, frames
 * without clear speech wait up to 300 ms at the echo gate.
 */
const ECHO_MS = 1_400
/** Mean magnitude below which a frame is silence (−32 dBFS), and silence that shows a recognizer the end of speech (frames). */
const QUIET = 800
const END_FRAMES = 25
/** Speech before it (frames). */
const SPOKEN_FRAMES = 10

/** Measurements of all legs in one window. */
export class WindowSamples {
  /** While nothing plays at the phone: the latency of the bridge. */
  readonly uplink = new Samples()
  /** While a translation plays: with the time that frames wait at the echo gate. */
  readonly uplinkOverPlayback = new Samples()
  /** From the 500th millisecond of silence after speech to its arrival. */
  readonly speechEnd = new Samples()
  readonly downlink = new Samples()
  readonly lateness = new Samples()
  readonly sender = new Samples()
  gaps = 0
  longestGapMs = 0
  messages = 0
  /** Audio that reached the phones (ms). */
  soundMs = 0
}

/**
 * Follows one leg through phone and service, which share a clock: when each frame was due and when it arrived, when
 * each answer was sent and when it started to play, and whether the phone ever ran dry in between.
 */
export class LegProbe {
  /** Lowest uplink latency since `calm`: each whole frame of it is a missing frame. */
  leastUplinkMs = Number.POSITIVE_INFINITY
  /** Media messages that reached the phone. */
  messages = 0
  readonly #window: WindowSamples
  /** Counted only while true. */
  readonly #open: () => boolean
  #firstDue = Number.NaN
  #answeredAt: number | undefined
  #lastLoudAt = Number.NEGATIVE_INFINITY
  /** Time when the phone has played everything, and when it has played everything audible. */
  #dryAt = Number.POSITIVE_INFINITY
  #audibleUntil = Number.NEGATIVE_INFINITY
  #loudFrames = 0
  #quietFrames = 0

  constructor(window: WindowSamples, open: () => boolean) {
    this.#window = window
    this.#open = open
  }

  /** The phone sends its frame number `frame` (from 0), which was due at `due`. */
  spoke(frame: number, due: number, now: number): void {
    if (frame === 0) this.#firstDue = due
    if (this.#open()) this.#window.sender.add(now - due)
  }

  /** The service has received `samples` of this leg in total, the latest of which are `pcm`. */
  arrived(samples: number, pcm: Int16Array, now: number): void {
    const newest = Math.floor(samples / FRAME_SAMPLES) - 1
    const due = this.#firstDue + newest * FRAME_MS
    this.#findEnd(pcm, due, now)
    this.leastUplinkMs = Math.min(this.leastUplinkMs, now - due)
    if (!this.#open()) return
    const { uplink, uplinkOverPlayback } = this.#window
    ;(this.#echoPossible(due) ? uplinkOverPlayback : uplink).add(now - due)
  }

  /** The service answers. */
  answered(now: number): void {
    // From here on something plays, or is about to.
    this.#audibleUntil = Math.max(this.#audibleUntil, now)
    this.#answeredAt = now - this.#lastLoudAt < APART_MS ? undefined : now
  }

  /** `ms` of media reach the phone, of this `level` (see `LOUD`; 0: silence). */
  heard(level: number, ms: number, now: number): void {
    const open = this.#open()
    const lateMs = now - this.#dryAt
    if (level > 0) this.messages++
    // Silence is expected without an answer; after the start of an answer it is a gap.
    if (open && level > 0 && (lateMs <= 0 || this.#answeredAt === undefined)) {
      this.#window.messages++
      this.#window.lateness.add(Math.max(0, lateMs))
      if (lateMs > GAP_MS) {
        this.#window.gaps++
        this.#window.longestGapMs = Math.max(this.#window.longestGapMs, lateMs)
      }
    }
    if (open) this.#window.soundMs += ms
    const dryAt = Number.isFinite(this.#dryAt) ? Math.max(now, this.#dryAt) : now
    this.#dryAt = dryAt + ms
    if (level > 0) this.#audibleUntil = this.#dryAt
    if (level < LOUD) return
    this.#lastLoudAt = now
    if (this.#answeredAt === undefined) return
    if (open) this.#window.downlink.add(now - this.#answeredAt)
    this.#answeredAt = undefined
  }

  /** Recognizes the end of speech in `pcm`, whose last frame was due at `due`. */
  #findEnd(pcm: Int16Array, due: number, now: number): void {
    for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
      if (magnitude(pcm, at) >= QUIET) {
        this.#loudFrames++
        this.#quietFrames = 0
      } else if (++this.#quietFrames === END_FRAMES) {
        const frameDue = due - ((pcm.length - at) / FRAME_SAMPLES - 1) * FRAME_MS
        if (this.#open() && this.#loudFrames >= SPOKEN_FRAMES && !this.#echoPossible(frameDue))
          this.#window.speechEnd.add(now - frameDue)
        this.#loudFrames = 0
      }
    }
  }

  /** True if audio sent to the phone is audible in its frame due at `due`. */
  #echoPossible(due: number): boolean {
    return due < this.#audibleUntil + ECHO_MS
  }
}

/** Returns the mean magnitude of the frame that starts at sample `from`. */
function magnitude(pcm: Int16Array, from: number): number {
  let sum = 0
  for (let at = from; at < from + FRAME_SAMPLES; at++) sum += Math.abs(pcm[at]!)
  return sum / FRAME_SAMPLES
}

/** Returns the level of a message of µ-law: the mean of the magnitudes. */
export function levelOf(mulaw: Uint8Array): number {
  let sum = 0
  for (const byte of mulaw) sum += ~byte & 0x7f
  return sum / Math.max(1, mulaw.length)
}
