/** Loud enough to be speech on any line (RMS of a linear16 frame). */
const FLOOR_LEAST = 8
const SPEECH_LEAST = 120
const SPEECH_OVER_FLOOR = 3.2
/** Softer than this against the loudest of late is breath, not a word (−24 dB). */
const SPEECH_UNDER_PEAK = 0.063
const PEAK_DECAY = 0.998
/** Quiet this long ends a stretch of speech. */
const HANG_MS = 200

/**
 * Tells speech from the line's own noise by level alone: good enough to say *when* somebody stopped talking (latency
 * is measured from there) and which audio need not be kept for a replay. It decides nothing that is heard.
 */
export class VoiceActivity {
  #floor = 60
  #peak = 0
  #lastLoudAt = Number.NEGATIVE_INFINITY
  #endedAt = Number.NEGATIVE_INFINITY
  /** When the stretch that is going on began, and the last one that ended. */
  #startedAt = Number.NEGATIVE_INFINITY
  #lastStartedAt = Number.NEGATIVE_INFINITY
  #speaking = false

  /** Takes one frame's RMS level at `now` (ms); true when the frame is loud. */
  frame(level: number, now: number): boolean {
    this.#floor =
      level < this.#floor ? this.#floor * 0.8 + level * 0.2 : Math.min(this.#floor * 1.002 + 0.02, 1_000)
    if (this.#floor < FLOOR_LEAST) this.#floor = FLOOR_LEAST
    this.#peak = Math.max(level, this.#peak * PEAK_DECAY)
    const loud =
      level > Math.max(SPEECH_LEAST, this.#floor * SPEECH_OVER_FLOOR, this.#peak * SPEECH_UNDER_PEAK)
    if (loud) {
      this.#lastLoudAt = now
      if (!this.#speaking) this.#startedAt = now
      this.#speaking = true
    } else if (this.#speaking && now - this.#lastLoudAt >= HANG_MS) {
      this.#speaking = false
      this.#endedAt = this.#lastLoudAt
      this.#lastStartedAt = this.#startedAt
    }
    return loud
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** When the last finished stretch of speech ended; while a short pause may be just that, when it was last loud. */
  endedAt(now: number): number {
    return this.#speaking && now - this.#lastLoudAt >= HANG_MS / 2 ? this.#lastLoudAt : this.#endedAt
  }

  /**
   * The stretch of speech that a text is about which comes at `now`: the one that has ended, or while it may still grow
   * (not `final`) the one that is going on. Undefined before anybody spoke.
   */
  stretch(now: number, final: boolean): { readonly fromMs: number; readonly toMs: number } | undefined {
    const ended = this.endedAt(now)
    const goesOn = this.#speaking && ended !== this.#lastLoudAt
    if (goesOn && (!final || !Number.isFinite(ended))) return { fromMs: this.#startedAt, toMs: now }
    if (!Number.isFinite(ended)) return undefined
    return { fromMs: ended === this.#endedAt ? this.#lastStartedAt : this.#startedAt, toMs: ended }
  }
}
