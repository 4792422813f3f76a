/**
 * Audio in which every frame of 20 ms carries its number: 16 bits, each as one of two adjacent tones, sixteen tones at
 * a time. All are multiples of 100 Hz from 300 to 3400 Hz, so any 10 ms within a frame contain its number, regardless
 * of alignment. It survives µ-law, phone band, resampling and some noise.
 */

/** Milliseconds of a frame, and of the window in it that contains its number. */
const FRAME_MS = 20
const WINDOW_MS = 10
const STEP_HZ = 100
const FIRST_HZ = 300
/** Bits of a frame number; later frames start again at 0. */
const BITS = 16
/** Peak of one tone; the sum of sixteen is about −14 dBFS. */
const TONE_PEAK = 1_600
/** A bit is decided if its tone is this much stronger than its neighbor (power). */
const CLEAR = 4
/** Mean power per sample below which audio is silence. */
const SILENT_POWER = 100 ** 2

/** Cosine and sine tables of one window, by rate. */
const tables = new Map<number, { cos: Float64Array[]; sin: Float64Array[] }>()

function tablesOf(rate: number): { cos: Float64Array[]; sin: Float64Array[] } {
  const known = tables.get(rate)
  if (known) return known
  const length = windowSamples(rate)
  const made = { cos: [] as Float64Array[], sin: [] as Float64Array[] }
  for (let tone = 0; tone < 2 * BITS; tone++) {
    const step = (2 * Math.PI * (FIRST_HZ + tone * STEP_HZ)) / rate
    made.cos.push(Float64Array.from({ length }, (_, at) => Math.cos(step * at)))
    made.sin.push(Float64Array.from({ length }, (_, at) => Math.sin(step * at)))
  }
  tables.set(rate, made)
  return made
}

function windowSamples(rate: number): number {
  return (rate * WINDOW_MS) / 1_000
}

function checkRate(rate: number): void {
  if (!(rate >= 8_000) || rate % 100 !== 0)
    throw new RangeError(`numbered frames need a rate of 8000 or more in hundreds, got ${rate}`)
}

/** Returns the frame of number `index` (modulo 2^16) at `rate` Hz: 20 ms, about −14 dBFS. */
function numberedFrame(index: number, rate = 16_000): Int16Array {
  checkRate(rate)
  const { sin } = tablesOf(rate)
  const period = windowSamples(rate)
  const frame = new Int16Array(2 * period)
  for (let at = 0; at < period; at++) {
    let sum = 0
    for (let bit = 0; bit < BITS; bit++) {
      // Different phases keep the peak low.
      const phase = (at + ((bit * bit * period) >> 5)) % period
      sum += sin[2 * bit + ((index >> bit) & 1)]![phase]!
    }
    frame[at] = Math.round(sum * TONE_PEAK)
    frame[at + period] = frame[at]!
  }
  return frame
}

/** Returns frames `from` to before `to`, one after the other. */
export function numberedFrames(from: number, to: number, rate = 16_000): Int16Array {
  checkRate(rate)
  const samples = (rate * FRAME_MS) / 1_000
  const all = new Int16Array(Math.max(0, to - from) * samples)
  for (let index = from; index < to; index++) all.set(numberedFrame(index, rate), (index - from) * samples)
  return all
}

/** Returns the number in the 10 ms from `at` on; undefined for none, or if two are mixed. */
function frameNumberAt(pcm: Int16Array, at: number, rate = 16_000): number | undefined {
  const { cos, sin } = tablesOf(rate)
  const length = windowSamples(rate)
  if (at < 0 || at + length > pcm.length) return undefined
  let power = 0
  for (let n = 0; n < length; n++) power += pcm[at + n]! ** 2
  if (power / length < SILENT_POWER) return undefined
  let index = 0
  for (let bit = 0; bit < BITS; bit++) {
    const zero = tonePower(pcm, at, cos[2 * bit]!, sin[2 * bit]!)
    const one = tonePower(pcm, at, cos[2 * bit + 1]!, sin[2 * bit + 1]!)
    if (Math.max(zero, one) < CLEAR * Math.min(zero, one)) return undefined
    if (one > zero) index |= 1 << bit
  }
  return index
}

function tonePower(pcm: Int16Array, at: number, cos: Float64Array, sin: Float64Array): number {
  let real = 0
  let imaginary = 0
  for (let n = 0; n < cos.length; n++) {
    real += pcm[at + n]! * cos[n]!
    imaginary += pcm[at + n]! * sin[n]!
  }
  return real * real + imaginary * imaginary
}

/** Samplings within 20 ms: enough to find each frame more than once, few enough to be quick. */
const LOOKS_A_FRAME = 8

/** A stretch that contains one frame. */
export interface HeardFrame {
  readonly index: number
  /** First sample of the first sampling that found it. */
  readonly at: number
  /** Number of consecutive repetitions: 2 for a doubled frame. */
  readonly times: number
}

/**
 * Returns the frame numbers in `pcm`, in the order heard, at any alignment: after delays, fades and cuts. A frame that
 * is heard twice in a row is one entry with `times` 2.
 */
export function framesIn(pcm: Int16Array, rate = 16_000): HeardFrame[] {
  const step = Math.max(1, Math.round((rate * 20) / 1_000 / LOOKS_A_FRAME))
  const runs: { index: number; at: number; last: number }[] = []
  for (let at = 0; at + (rate * 10) / 1_000 <= pcm.length; at += step) {
    const index = frameNumberAt(pcm, at, rate)
    if (index === undefined) continue
    const run = runs.at(-1)
    if (run && run.index === index && at - run.last <= (rate * 20) / 1_000) run.last = at
    else runs.push({ index, at, last: at })
  }
  // 10 of a frame's 20 ms can start a sampling; every repetition adds 20.
  return runs.map(({ index, at, last }) => ({
    index,
    at,
    times: Math.max(1, Math.round(((last - at) / rate) * 50 + 0.5)),
  }))
}

/** Result of comparing received frames with the ones sent. */
export interface FrameCount {
  /** Sent frames that are missing. */
  readonly lost: readonly number[]
  /** Number of repetitions. */
  readonly repeated: number
  /** Number of frames first heard after a later one. */
  readonly late: number
  /** Frames that were never sent. */
  readonly foreign: readonly number[]
}

/** Compares `heard` with frames `from` to before `to`, each sent once. */
export function countFrames(heard: Iterable<number>, from: number, to: number): FrameCount {
  const seen = new Set<number>()
  const foreign: number[] = []
  let repeated = 0
  let late = 0
  let newest = -1
  for (const index of heard) {
    if (index < from || index >= to) foreign.push(index)
    else if (seen.has(index)) repeated++
    else {
      if (index < newest) late++
      newest = Math.max(newest, index)
      seen.add(index)
    }
  }
  const lost = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n).filter(n => !seen.has(n))
  return { lost, repeated, late, foreign }
}
