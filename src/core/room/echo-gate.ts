import { BandLevels } from '../../transcode/echo/band-levels.ts'
import { FRAME_MS, FRAME_SAMPLES, SILENT_FRAME } from '../../transcode/pcm.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { EchoReference } from '../playout/echo-reference.ts'
import { AFTER, EchoPath, foreign, ReceivedLevels, SHAPE_SLOTS } from './echo-path.ts'

/** Tolerated drift of a participant's clock (ms per frame: 0.1 %). */
const DRIFT_MS = 0.02
/** A frame this late after silence marks a new start on a channel that does not send silence (ms). */
const PAUSE_MS = 100
/** Above this delay, frames are missing, with or without silence (ms). */
const GAP_MS = 2_000
/** A frame moves to another slot only if it is further than this from the center of the current one (ms). */
const FIRM_MS = 15

/**
 * Aligns the frames of a voice to the grid of 20 ms by counting them: networks deliver late and in bursts, never early,
 * so the earliest frames reveal the timing of all.
 */
class SlotClock {
  /** Estimated time of the next frame (clock ms), and its slot. */
  #due = Number.NaN
  #slot = 0

  /** Returns the slot of a frame that arrives at `now` (clock ms). `pausing`: the frames before it were silence. */
  next(now: number, pausing: boolean): number {
    const late = now - this.#due
    if (!(late <= GAP_MS) || late < 0 || (pausing && late > PAUSE_MS)) this.#due = now
    else this.#due += Math.min(late, DRIFT_MS)
    if (Math.abs(this.#due - this.#slot * FRAME_MS) > FIRM_MS) this.#slot = Math.round(this.#due / FRAME_MS)
    this.#due += FRAME_MS
    return this.#slot++
  }
}

/** While an echo is possible, frames are held (300 ms) and judged once `LOOK` later frames have arrived (frames). */
const HELD = 15
const LOOK = 5
const PLACES = HELD + 1
/** Frames that pass before the first frame that cannot be echo, and after the last one (frames). */
const BEFORE = 9
const BEHIND = 20
/** Speech is detected if the share that cannot be echo, summed over `WINDOW` frames, reaches `SPEAKS`; it ends below `STILL_SPEAKS`. */
const WINDOW = 5
const JUDGED = 8
const SPEAKS = 1.6
const STILL_SPEAKS = 0.96
/** Interval at which detected speech is compared again with the shape of the played audio (frames). */
const AGAIN = 16
/** Time for which audio recognized as echo by its shape remains classified as echo (frames). */
const SETTLED = 3
/** Level below which a frame is not evaluated (RMS, −62 dBFS), and level from which a recognizer can hear it (−56 dBFS). */
const TELLING = 26
const LOUD = 52
/** A gap longer than this means that audio is missing (slots). */
const MISSING = 5
/** This many frames of digital silence mean that the channel has paused. */
const PAUSING = 10
/** Interval of the snapshots of the counters (frames, 0.5 s), and number of snapshots. */
const MOMENT = 25
const MOMENTS = 64

/** Receives the voice without echo. `frame`, or silence instead, was spoken `age` frames of 20 ms ago. */
export type EchoGateOutlet = (frame: Int16Array, level: number, age: number, now: number) => void

/** Counts of loud frames since some time. */
export interface HeardFrames {
  /** The participant's own voice. */
  own: number
  /** Echo of the audio played to the participant. */
  echo: number
}

/** State for judging frames. */
class GateBuffers {
  readonly received = new ReceivedLevels()
  readonly bands = new BandLevels()
  /** The frames that wait. */
  readonly frames: readonly Int16Array[]

  constructor() {
    const all = new Int16Array(PLACES * FRAME_SAMPLES)
    this.frames = Array.from({ length: PLACES }, (_, n) =>
      all.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES),
    )
  }
}

/**
 * Removes the echo that a participant's microphone picks up from a phone on speaker or a computer without headphones.
 * Otherwise the echo would be translated again, and one sentence would go back and forth endlessly. While audio is playing
 * and its echo is possible, frames are held briefly. Frames explained by the echo become silence; the others pass, with
 * the frames around them. At other times, frames pass without delay. Memory is bounded, and most of it allocated when
 * something plays for the first time; frames cause no allocation.
 */
export class EchoGate {
  #references: readonly EchoReference[] = []
  /** Receives the voice unchanged, for others in the same place. */
  #record: EchoReference | undefined
  readonly #metrics: RelayCounters
  readonly #outlet: EchoGateOutlet
  readonly #time = new SlotClock()
  /** Echo paths of all references, and the currently audible ones. A path is created when its reference first plays. */
  readonly #paths = new Map<EchoReference, EchoPath>()
  readonly #audible: EchoPath[] = []
  /** Created with the first path. */
  #buffers: GateBuffers | undefined
  readonly #levels = new Float64Array(PLACES)
  readonly #foreign = new Float32Array(JUDGED)
  /** Number of frames so far, and the first frame of the stretch being judged. */
  #count = 0
  #since = 0
  #judging = false
  /** Slot of the last frame. */
  #slot = 0
  #held = 0
  #openFrom = 0
  #openUntil = Number.NEGATIVE_INFINITY
  #closedUntil = Number.NEGATIVE_INFINITY
  #silent = 0
  readonly #heard: HeardFrames = { own: 0, echo: 0 }
  /** Times of the snapshots of `#heard`, and their counts. */
  readonly #momentsAt = new Float64Array(MOMENTS).fill(Number.POSITIVE_INFINITY)
  readonly #momentsOwn = new Uint32Array(MOMENTS)
  readonly #momentsEcho = new Uint32Array(MOMENTS)

  constructor(metrics: RelayCounters, outlet: EchoGateOutlet) {
    this.#metrics = metrics
    this.#outlet = outlet
  }

  /** Takes the next frame, with RMS `level`, at `now` (clock ms). Emits any number of frames, not necessarily this one. */
  write(frame: Int16Array, level: number, now: number): void {
    const before = this.#slot
    const slot = this.#time.next(now, this.#silent >= PAUSING)
    this.#slot = slot
    this.#silent = level === 0 ? this.#silent + 1 : 0
    if (this.#count++ % MOMENT === 0) this.#remember(now)
    this.#listen(slot)
    if (this.#audible.length > 0) this.#judge(frame, level, slot > before + MISSING, now)
    else {
      this.#releaseAll(now)
      this.#judging = false
      this.#pass(frame, level, 0, now)
    }
    this.#record?.add(frame, slot * FRAME_MS)
  }

  /** Adds all following frames to `reference` as well. */
  record(reference: EchoReference): void {
    this.#record = reference
  }

  /** Sets all audio whose echo is possible. Paths of references that remain are kept. */
  set references(references: readonly EchoReference[]) {
    this.#references = references
    for (const reference of this.#paths.keys())
      if (!references.includes(reference)) this.#paths.delete(reference)
  }

  /** Slot of the last frame. */
  get slot(): number {
    return this.#slot
  }

  /** Number of loud frames classified as echo so far. */
  get echoFrames(): number {
    return this.#heard.echo
  }

  /** Emits all held frames. */
  flush(now: number): void {
    this.#releaseAll(now)
    this.#judging = false
  }

  /** Drops all held frames. */
  clear(): void {
    this.#held = 0
    this.#judging = false
  }

  /** Resets all echo paths, because the participant has a new leg. */
  reset(): void {
    this.clear()
    for (const path of this.#paths.values()) path.reset()
  }

  /** Writes into `into` the counts since `at` (clock ms, at most about 30 s ago). */
  since(at: number, into: HeardFrames): void {
    let from = 0
    let found = Number.NEGATIVE_INFINITY
    let oldest = Number.POSITIVE_INFINITY
    for (let n = 0; n < MOMENTS; n++) {
      const moment = this.#momentsAt[n]!
      if (moment <= at ? moment > found : found === Number.NEGATIVE_INFINITY && moment < oldest) from = n
      if (moment <= at) found = Math.max(found, moment)
      oldest = Math.min(oldest, moment)
    }
    into.own = this.#heard.own - this.#momentsOwn[from]!
    into.echo = this.#heard.echo - this.#momentsEcho[from]!
  }

  /** Selects the echo paths that can be audible in `slot`. */
  #listen(slot: number): void {
    this.#audible.length = 0
    for (let n = 0; n < this.#references.length; n++) {
      const reference = this.#references[n]!
      if (slot > reference.loudUntil + AFTER) continue
      let path = this.#paths.get(reference)
      if (!path) {
        this.#buffers ??= new GateBuffers()
        path = new EchoPath(reference, this.#buffers.received)
        this.#paths.set(reference, path)
      }
      this.#audible.push(path)
    }
  }

  #judge(frame: Int16Array, level: number, missing: boolean, now: number): void {
    const number = this.#count
    const { received, bands } = this.#buffers!
    if (!this.#judging || missing) this.#begin(now)
    bands.measure(frame, received.levelsOf(number), received.powersOf(number))
    const alone = number > this.#openUntil + LOOK
    for (let n = 0; n < this.#audible.length; n++) {
      this.#audible[n]!.follow(number, this.#slot)
      this.#audible[n]!.learn(number, alone)
    }
    this.#hold(frame, level, number)
    if (number - LOOK >= this.#since) this.#look(number - LOOK)
    // Detected speech passes without further delay.
    while (this.#held > HELD || (this.#held > 0 && number - this.#held < this.#openUntil))
      this.#release(number, now)
  }

  /** Judges frame `number`; the frames needed after it have arrived. */
  #look(number: number): void {
    this.#foreign[number & (JUDGED - 1)] = this.#shareOf(number)
    this.#decide(number)
  }

  #shareOf(number: number): number {
    const levels = this.#levels
    if (levels[number % PLACES]! < TELLING) return 0
    // In detected speech, every second frame is enough.
    if (number <= this.#openUntil && (number & 1) === 1 && levels[(number - 1) % PLACES]! >= TELLING)
      return this.#foreign[(number - 1) & (JUDGED - 1)]!
    return foreign(this.#audible, this.#buffers!.received, number)
  }

  /** Returns true if the audio up to frame `number` has the shape of played audio. */
  #reshaped(number: number): boolean {
    for (let n = 0; n < this.#audible.length; n++) if (this.#audible[n]!.reshaped(number)) return true
    return false
  }

  /** Starts a new stretch, after a gap or when an echo becomes possible again. */
  #begin(now: number): void {
    this.#releaseAll(now)
    this.#judging = true
    this.#since = this.#count
    this.#openUntil = Number.NEGATIVE_INFINITY
    this.#closedUntil = Number.NEGATIVE_INFINITY
    this.#foreign.fill(0)
    this.#buffers!.bands.reset()
  }

  #hold(frame: Int16Array, level: number, number: number): void {
    const place = number % PLACES
    this.#buffers!.frames[place]!.set(frame)
    this.#levels[place] = level
    this.#held++
  }

  #decide(judged: number): void {
    const open = judged <= this.#openUntil
    let sum = 0
    for (let n = 0; n < WINDOW; n++) sum += this.#foreign[(judged - n) & (JUDGED - 1)]!
    if (sum < (open ? STILL_SPEAKS : SPEAKS) || judged <= this.#closedUntil) return
    const looks =
      (!open || (judged - this.#openFrom) % AGAIN === 0) && judged + LOOK - this.#since >= SHAPE_SLOTS
    if (looks && this.#reshaped(judged + LOOK)) {
      this.#closedUntil = judged + SETTLED
      if (open) this.#mistook(judged)
      return
    }
    if (!open) this.#openFrom = Math.max(this.#since, judged - BEFORE)
    this.#openUntil = judged + BEHIND
  }

  /** Corrects the counters: frames that passed before frame `judged` were echo. */
  #mistook(judged: number): void {
    this.#openUntil = Number.NEGATIVE_INFINITY
    const frames = Math.min(this.#heard.own, judged - this.#openFrom)
    this.#heard.own -= frames
    this.#heard.echo += frames
  }

  /** Emits the oldest held frame; `newest` is the latest one. */
  #release(newest: number, now: number): void {
    const age = --this.#held
    const number = newest - age
    const level = this.#levels[number % PLACES]!
    if (number >= this.#openFrom && number <= this.#openUntil) {
      this.#pass(this.#buffers!.frames[number % PLACES]!, level, age, now)
      return
    }
    if (level >= LOUD) {
      this.#heard.echo++
      this.#metrics.echoFramesMasked++
    }
    this.#outlet(SILENT_FRAME, 0, age, now)
  }

  /** Emits all frames held before the current one. */
  #releaseAll(now: number): void {
    while (this.#held > 0) this.#release(this.#count - 1, now)
  }

  #pass(frame: Int16Array, level: number, age: number, now: number): void {
    if (level >= LOUD) this.#heard.own++
    this.#outlet(frame, level, age, now)
  }

  #remember(now: number): void {
    const n = (this.#count / MOMENT) & (MOMENTS - 1)
    this.#momentsAt[n] = now
    this.#momentsOwn[n] = this.#heard.own
    this.#momentsEcho[n] = this.#heard.echo
  }
}
