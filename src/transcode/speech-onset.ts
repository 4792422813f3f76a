/** Below this level no recognizer hears speech (RMS of a linear16 frame, −56 dBFS). */
const AUDIBLE = 52
/** Above this level it is not line noise (−36 dBFS). */
const LOUD = 500
/** A frame stands out if it is this many times as loud as the noise floor (6 dB). */
const OVER_FLOOR = 2
/** The noise floor is the quietest frame of the last blocks (1 to 1.5 s): speech has pauses, noise has none. */
const BLOCK_FRAMES = 25
const BLOCKS = 3
/** Evidence per frame of probable speech, and of sound that could be faint speech. Other frames reduce it by 1. */
const SPEECH = 3
const FAINT = 1
/** Evidence of a voice: 80 ms of probable speech, or 240 ms of faint sound. */
const ENOUGH = 12

/**
 * Detects that somebody has begun to speak, when a missed word is worse than a mistake: quiet speech counts, while steady
 * noise and clicks do not. It answers up to 240 ms late, so the caller keeps the audio before.
 */
export class SpeechOnset {
  /** The quietest frames of the current block and of those before. */
  readonly #quietest: number[] = [Number.POSITIVE_INFINITY]
  #frames = 0
  #evidence = 0

  /** Adds one frame's RMS level; `loud`: it is speech by its level (`VoiceActivity`). Returns true while somebody speaks. */
  frame(level: number, loud: boolean): boolean {
    const floor = this.#follow(level)
    const probable = level >= LOUD || loud
    const standsOut = level >= LOUD || level >= Math.max(AUDIBLE, floor * OVER_FLOOR)
    const evidence = standsOut ? (probable ? SPEECH : FAINT) : -1
    this.#evidence = Math.max(0, Math.min(2 * ENOUGH, this.#evidence + evidence))
    return this.#evidence >= ENOUGH
  }

  /** Updates the noise floor and returns it. */
  #follow(level: number): number {
    if (++this.#frames % BLOCK_FRAMES === 0) {
      this.#quietest.unshift(Number.POSITIVE_INFINITY)
      if (this.#quietest.length > BLOCKS) this.#quietest.pop()
    }
    if (level < this.#quietest[0]!) this.#quietest[0] = level
    let floor = Number.POSITIVE_INFINITY
    for (const quietest of this.#quietest) floor = Math.min(floor, quietest)
    return floor
  }
}
