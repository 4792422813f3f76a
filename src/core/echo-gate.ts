import { BandLevels } from '../transcode/band-levels.ts'
import { FRAME_SAMPLES, SILENT_FRAME } from '../transcode/pcm.ts'
import { AFTER, EchoPath, foreign, HeardLevels, SHAPE_SLOTS } from './echo-path.ts'
import type { EchoReference } from './echo-reference.ts'
import type { RelayMetrics } from './metrics.ts'
import { SlotClock } from './slot-clock.ts'

/** Frames wait for so long while an echo may come (300 ms), and are judged when so many came behind them (frames). */
const HELD = 15
const LOOK = 5
const PLACES = HELD + 1
/** They are let through so long before the first that cannot be echo, and after the last (frames). */
const BEFORE = 9
const BEHIND = 20
/** What cannot be echo must be so much in so many frames that somebody speaks; half of it that they still do. */
const WINDOW = 5
const JUDGED = 8
const SPEAKS = 1.6
const STILL_SPEAKS = 0.96
/** Somebody who speaks is looked at again every so many frames: is it still not the shape of what is played? */
const AGAIN = 16
/** What was found to be echo by its shape stays echo for so long (frames). */
const SETTLED = 3
/** Softer than this a frame tells nothing (RMS: −62 dBFS), and a recogniser hears nothing (−56 dBFS). */
const TELLING = 26
const LOUD = 52
/** A voice that leaps ahead by more was away (slots). */
const MISSING = 5
/** So many frames of digital silence are a pause of the channel's making. */
const PAUSING = 10
/** What was heard is remembered by halves of a second, for so many of them (s/2). */
const MOMENT = 25
const MOMENTS = 64

/** Who gets the voice without its echo: `age` frames of 20 ms ago `frame` was said, or silence in its place. */
export type EchoGateOutlet = (frame: Int16Array, level: number, age: number, now: number) => void

/** How much was heard since some moment (frames that are loud). */
export interface HeardOfParty {
  /** Of the party itself. */
  own: number
  /** Of what it was played. */
  echo: number
}

/**
 * Keeps from the service what a party's microphone picks up of what the party is played, on a telephone on its speaker or
 * a computer without headphones: translated again, one sentence would go back and forth for ever. While something plays,
 * and as long as its echo may come, frames wait a little; those that the echo explains become silence, the others pass,
 * with what is around them. Otherwise frames pass as they come. Bounded; nothing is allocated for a frame.
 */
export class EchoGate {
  #references: readonly EchoReference[] = []
  readonly #metrics: RelayMetrics
  readonly #outlet: EchoGateOutlet
  readonly #time = new SlotClock()
  /** The ways of all that may come back, and of what may be heard now. Made when something is played for the first time. */
  readonly #paths = new Map<EchoReference, EchoPath>()
  readonly #audible: EchoPath[] = []
  readonly #hears = new HeardLevels()
  readonly #bands = new BandLevels()
  readonly #frames: Int16Array[] = []
  readonly #levels = new Float64Array(PLACES)
  readonly #foreign = new Float32Array(JUDGED)
  /** Frames so far; those of one stretch from `#since` on are judged. */
  #count = 0
  #since = 0
  #judging = false
  /** The slot of the last one. */
  #slot = 0
  #held = 0
  #openFrom = 0
  #openUntil = Number.NEGATIVE_INFINITY
  #closedUntil = Number.NEGATIVE_INFINITY
  #silent = 0
  readonly #heard: HeardOfParty = { own: 0, echo: 0 }
  /** What had been heard at moments before, and when they were. */
  readonly #moments = Array.from({ length: MOMENTS }, () => ({
    at: Number.POSITIVE_INFINITY,
    own: 0,
    echo: 0,
  }))

  constructor(metrics: RelayMetrics, outlet: EchoGateOutlet) {
    this.#metrics = metrics
    this.#outlet = outlet
  }

  /** Takes the next frame, of RMS `level`, at `now` (clock ms); it or another one comes out, none, or several. */
  write(frame: Int16Array, level: number, now: number): void {
    const before = this.#slot
    const slot = this.#time.next(now, this.#silent >= PAUSING)
    this.#slot = slot
    this.#silent = level === 0 ? this.#silent + 1 : 0
    if (this.#count++ % MOMENT === 0) this.#remember(now)
    this.#listen(slot)
    if (this.#audible.length > 0) this.#judge(frame, level, slot > before + MISSING, now)
    else {
      this.#letGo(now)
      this.#judging = false
      this.#pass(frame, level, 0, now)
    }
  }

  /** All that may come back. What is known of one that stays is kept. */
  set references(references: readonly EchoReference[]) {
    this.#references = references
    for (const reference of this.#paths.keys())
      if (!references.includes(reference)) this.#paths.delete(reference)
  }

  /** The slot of the last frame. */
  get slot(): number {
    return this.#slot
  }

  /** Loud frames that were echo so far. */
  get echoFrames(): number {
    return this.#heard.echo
  }

  /** What waits goes out now. */
  flush(now: number): void {
    this.#letGo(now)
    this.#judging = false
  }

  /** What waits is nothing that should be heard. */
  clear(): void {
    this.#held = 0
    this.#judging = false
  }

  /** The party has another leg: its echo is another one. */
  reset(): void {
    this.clear()
    for (const path of this.#paths.values()) path.reset()
  }

  /** Writes into `into` what was heard since `at` (clock ms; half a minute ago at most). */
  since(at: number, into: HeardOfParty): void {
    let from: HeardOfParty & { at: number } = this.#moments[0]!
    let found = Number.NEGATIVE_INFINITY
    let oldest = Number.POSITIVE_INFINITY
    for (const moment of this.#moments) {
      if (moment.at <= at ? moment.at > found : found === Number.NEGATIVE_INFINITY && moment.at < oldest)
        from = moment
      if (moment.at <= at) found = Math.max(found, moment.at)
      oldest = Math.min(oldest, moment.at)
    }
    into.own = this.#heard.own - from.own
    into.echo = this.#heard.echo - from.echo
  }

  /** Finds the ways by which something may be heard in `slot`. */
  #listen(slot: number): void {
    this.#audible.length = 0
    for (let n = 0; n < this.#references.length; n++) {
      const reference = this.#references[n]!
      if (slot > reference.loudUntil + AFTER) continue
      let path = this.#paths.get(reference)
      if (!path) {
        path = new EchoPath(reference, this.#hears)
        this.#paths.set(reference, path)
      }
      this.#audible.push(path)
    }
  }

  #judge(frame: Int16Array, level: number, missing: boolean, now: number): void {
    const number = this.#count
    const hears = this.#hears
    if (!this.#judging || missing) this.#begin(now)
    this.#bands.levels(frame, hears.levels, hears.place(number))
    const alone = number > this.#openUntil + LOOK
    for (let n = 0; n < this.#audible.length; n++) {
      this.#audible[n]!.follow(number, this.#slot)
      this.#audible[n]!.learn(number, alone)
    }
    this.#hold(frame, level, number)
    if (number - LOOK >= this.#since) this.#look(number - LOOK)
    // Who is known to speak waits no longer.
    while (this.#held > HELD || (this.#held > 0 && number - this.#held < this.#openUntil))
      this.#release(number, now)
  }

  /** Judges frame `number`, as some have come behind it. */
  #look(number: number): void {
    const telling = this.#levels[number % PLACES]! >= TELLING
    const share = telling ? foreign(this.#audible, this.#hears, this.#hears.place(number), number) : 0
    this.#foreign[number & (JUDGED - 1)] = share
    this.#decide(number)
  }

  /** What was heard until frame `number` has the shape of something that was played. */
  #reshaped(number: number): boolean {
    for (let n = 0; n < this.#audible.length; n++) if (this.#audible[n]!.reshaped(number)) return true
    return false
  }

  /** Another stretch: time is missing, or something can be heard again. */
  #begin(now: number): void {
    this.#letGo(now)
    this.#judging = true
    this.#since = this.#count
    this.#openUntil = Number.NEGATIVE_INFINITY
    this.#closedUntil = Number.NEGATIVE_INFINITY
    this.#foreign.fill(0)
    this.#bands.reset()
  }

  #hold(frame: Int16Array, level: number, number: number): void {
    const place = number % PLACES
    this.#frames[place] ??= new Int16Array(FRAME_SAMPLES)
    this.#frames[place].set(frame)
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

  /** What was let through before frame `judged` was echo after all. */
  #mistook(judged: number): void {
    this.#openUntil = Number.NEGATIVE_INFINITY
    const frames = Math.min(this.#heard.own, judged - this.#openFrom)
    this.#heard.own -= frames
    this.#heard.echo += frames
  }

  /** The frame that waited longest goes out; `newest` came last. */
  #release(newest: number, now: number): void {
    const age = --this.#held
    const number = newest - age
    const level = this.#levels[number % PLACES]!
    if (number >= this.#openFrom && number <= this.#openUntil) {
      this.#pass(this.#frames[number % PLACES]!, level, age, now)
      return
    }
    if (level >= LOUD) {
      this.#heard.echo++
      this.#metrics.echoFramesMasked++
    }
    this.#outlet(SILENT_FRAME, 0, age, now)
  }

  /** All that waits goes out, before the frame that has just come. */
  #letGo(now: number): void {
    while (this.#held > 0) this.#release(this.#count - 1, now)
  }

  #pass(frame: Int16Array, level: number, age: number, now: number): void {
    if (level >= LOUD) this.#heard.own++
    this.#outlet(frame, level, age, now)
  }

  #remember(now: number): void {
    const moment = this.#moments[(this.#count / MOMENT) & (MOMENTS - 1)]!
    moment.at = now
    moment.own = this.#heard.own
    moment.echo = this.#heard.echo
  }
}
