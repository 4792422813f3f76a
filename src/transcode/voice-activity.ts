/** Loud enough to be speech on any line (RMS of a linear16 frame). */
const FLOOR_LEAST = 8
const SPEECH_LEAST = 120
const SPEECH_OVER_FLOOR = 3.2
/** Below this fraction of the recent peak, sound is breath, not speech (−24 dB). */
const SPEECH_UNDER_PEAK = 0.063
const PEAK_DECAY = 0.998
/** Quiet this long ends a speech interval. */
const HANG_MS = 200

/**
 * Separates speech from line noise by level alone. This is accurate enough to tell *when* speech ended (latency is
 * measured from there) and which audio replays can omit. It does not affect playback.
 */
export class VoiceActivity {
  #floor = 60
  #peak = 0
  #lastLoudAt = Number.NEGATIVE_INFINITY
  #endedAt = Number.NEGATIVE_INFINITY
  /** Start of the current speech interval, and of the last completed one. */
  #startedAt = Number.NEGATIVE_INFINITY
  #lastStartedAt = Number.NEGATIVE_INFINITY
  #speaking = false

  /** Adds one frame's RMS level at `now` (ms); returns true when the frame is loud. */
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

  /** Returns the end of the last completed speech interval, or of the current one during a short pause. */
  endedAt(now: number): number {
    return this.#speaking && now - this.#lastLoudAt >= HANG_MS / 2 ? this.#lastLoudAt : this.#endedAt
  }

  /**
   * Returns the speech interval that a text arriving at `now` covers: the last completed one, or, for a text that is
   * not `final`, the current one. Undefined before any speech.
   */
  stretch(now: number, final: boolean): { readonly fromMs: number; readonly toMs: number } | undefined {
    const ended = this.endedAt(now)
    const continues = this.#speaking && ended !== this.#lastLoudAt
    if (continues && (!final || !Number.isFinite(ended))) return { fromMs: this.#startedAt, toMs: now }
    if (!Number.isFinite(ended)) return undefined
    return { fromMs: ended === this.#endedAt ? this.#lastStartedAt : this.#startedAt, toMs: ended }
  }
}
