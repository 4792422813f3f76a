import { LEVELS_BYTES, POWERS_BYTES } from '../../transcode/echo/band-levels.ts'
import { echoModule, UNITS_PER_DB } from '../../transcode/echo/echo-module.ts'
import type { EchoReference } from '../playout/echo-reference.ts'

/** Shortest delay of an echo (slots of 20 ms): below 0, because our estimate of the playback time can be late. */
const EARLIEST = -2
/** Slots kept of played and of received audio: at least the longest delay and the slots over which shapes are compared. */
const PLAYED = 128
const HEARD = 32
/** Slots before the newest one to which the reference can still add. */
const LATE = 5
/** Time after the last played sound in which its echo is possible (slots: 1.2 s). */
export const AFTER = 60
/** Number of slots over which shapes are compared. */
export const SHAPE_SLOTS = 20

/** Band levels, and powers, of the latest 32 frames from a participant's microphone. */
export class ReceivedLevels {
  readonly #levels = echoModule().allocate(this, HEARD * LEVELS_BYTES)
  readonly #powers = echoModule().allocate(this, HEARD * POWERS_BYTES)

  /** Address of the levels of all frames. */
  get levels(): number {
    return this.#levels
  }

  /** Returns the address of the levels of frame `number`. */
  levelsOf(number: number): number {
    return this.#levels + (number % HEARD) * LEVELS_BYTES
  }

  /** Returns the address of the powers of frame `number`. */
  powersOf(number: number): number {
    return this.#powers + (number % HEARD) * POWERS_BYTES
  }
}

/** Returns the share of the power in frame `number` that cannot be echo of any of `paths` (0 to 1). */
export function foreign(paths: readonly EchoPath[], received: ReceivedLevels, number: number): number {
  const { call } = echoModule()
  call.begin()
  for (let n = 0; n < paths.length; n++) paths[n]!.expect(number)
  const all = call.weigh(received.levelsOf(number), received.powersOf(number))
  let least = call.unexpected()
  for (let n = 0; n < paths.length && least > 0; n++) least = paths[n]!.least(number, least)
  return least / all
}

/**
 * The acoustic path from a participant's loudspeaker back into their microphone, learned from band levels only. Each delay
 * has a gain per band: an upper bound of the echo, because other sounds only add to it. A gain that is too high falls
 * quickly when less audio is received than expected, so without echo none is expected; a gain that is too low rises
 * slowly. No waveform is needed, so the method tolerates codecs, jitter and room acoustics. The comparison itself is
 * `assembly/echo-path.ts`.
 */
export class EchoPath {
  readonly #call = echoModule().call
  /** Address of the levels played, gains, and amount of audio learned. */
  readonly #path = echoModule().allocate(this, this.#call.pathBytes())
  readonly #reference: EchoReference
  readonly #received: ReceivedLevels
  #head = -1
  /** The last slot of the reference that was complete, and its number of cuts. */
  #newest = Number.NEGATIVE_INFINITY
  #cuts = 0
  /** Slot that corresponds to frame 0. */
  #shift = 0

  constructor(reference: EchoReference, received: ReceivedLevels) {
    this.#reference = reference
    this.#received = received
    this.#call.createPath(this.#path, reference.strongestDb * UNITS_PER_DB)
  }

  /** Discards everything learned. */
  reset(): void {
    this.#call.forget(this.#path, this.#reference.strongestDb * UNITS_PER_DB)
  }

  /** Updates the played levels for frame `number`, received in `slot`, including late additions to the reference. */
  follow(number: number, slot: number): void {
    this.#shift = slot - number
    const last = slot - EARLIEST
    for (let at = Math.max(this.#firstChanged(), last - PLAYED + 1, 0); at <= last; at++)
      this.#call.play(this.#path, at % PLAYED, this.#reference.levelsOf(at), at > this.#head)
    if (last > this.#head) this.#head = last
  }

  /** Returns the first slot to update: usually a new one, because playback is known before it can be received. */
  #firstChanged(): number {
    const { newest, cuts } = this.#reference
    const first = cuts === this.#cuts ? Math.min(this.#newest, this.#head) + 1 : 0
    this.#newest = newest
    this.#cuts = cuts
    return Math.max(first, this.#head - LATE)
  }

  /** Learns from frame `number`. Gains rise only if `alone`, when no speech is detected. */
  learn(number: number, alone: boolean): void {
    this.#call.learn(this.#path, this.#received.levelsOf(number), this.#latest(number), number & 3, alone)
  }

  /** Raises the expected echo of the frame being judged to the echo through known delays in frame `number`. */
  expect(number: number): void {
    this.#call.expect(this.#path, this.#latest(number))
  }

  /** Returns the minimum power, at most `most`, that remains unexplained after adding one delay that is not yet known. */
  least(number: number, most: number): number {
    return this.#call.least(this.#path, this.#latest(number), most)
  }

  /**
   * Returns true if the frames up to `number` have the shape of the played audio although they are louder than expected.
   * The path has changed in that case and is learned again.
   */
  reshaped(number: number): boolean {
    const { levels } = this.#received
    return this.#call.reshape(this.#path, levels, number & (HEARD - 1), this.#latest(number)) !== 0
  }

  /** Returns the place of the slot that is received in frame `number` after the shortest delay. */
  #latest(number: number): number {
    return (number + this.#shift - EARLIEST) & (PLAYED - 1)
  }
}
