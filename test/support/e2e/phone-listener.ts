/** Searches a participant’s audio (8 kHz) for tones. */

const RATE = 8_000
const WINDOW = 800
const HOP = 160
/** Minimum audible level (dBFS of a sine’s peak). */
const FLOOR_DB = -50

/** Levels closer than this are equal (dB). */
export const NEAR_DB = 1.5
/** Level of the speakers’ tones (dBFS of the sine’s peak). */
export const SAID_DB = -12.2
/** Neighboring tones leak into each other by less than this. Breaks on a busy machine end nothing. */
export const LOUD = { floorDb: -26, bridgeMs: 700 }
/** Anything softer than this is only the edge of another tone. */
export const FAINT = { floorDb: -36, bridgeMs: 120 }
/** A shorter tone than this is a click, where a busy machine interrupted another tone (ms). */
const CLICK_MS = 150

/** A tone without a break. Times are milliseconds of the recording. */
export interface Sounding {
  readonly fromMs: number
  readonly toMs: number
  /**
   * Level where it is complete (dBFS of the sine’s peak): breaks on a busy machine can lower parts of it, but nothing
   * raises them.
   */
  readonly db: number
}

/** A window that detects one tone: its sine and cosine, faded at both ends. */
class Resonance {
  readonly #cos = new Float64Array(WINDOW)
  readonly #sin = new Float64Array(WINDOW)

  constructor(hz: number) {
    for (let n = 0; n < WINDOW; n++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW)
      this.#cos[n] = hann * Math.cos((2 * Math.PI * hz * n) / RATE)
      this.#sin[n] = hann * Math.sin((2 * Math.PI * hz * n) / RATE)
    }
  }

  /** Level of the tone in the window from `at` on (dBFS of its peak). */
  db(pcm: Int16Array, at: number): number {
    let [re, im] = [0, 0]
    for (let n = 0; n < WINDOW; n++) {
      const sample = pcm[at + n] ?? 0
      re += sample * this.#cos[n]!
      im += sample * this.#sin[n]!
    }
    return 20 * Math.log10(Math.max(1e-6, (4 * Math.hypot(re, im)) / WINDOW / 32_768))
  }
}

const resonances = new Map<number, Resonance>()

function resonanceOf(hz: number): Resonance {
  const known = resonances.get(hz) ?? new Resonance(hz)
  resonances.set(hz, known)
  return known
}

/** Intervals and levels of `hz` in `pcm`, ignoring breaks of up to `bridgeMs`. */
export function soundings(
  pcm: Int16Array,
  hz: number,
  { bridgeMs = 120, floorDb = FLOOR_DB } = {},
): Sounding[] {
  const resonance = resonanceOf(hz)
  const peaks = peaksOf(pcm)
  const audible = 32_768 * 10 ** (floorDb / 20)
  const found: { fromMs: number; toMs: number; levels: number[] }[] = []
  for (let at = 0; at + WINDOW <= pcm.length; at += HOP) {
    // No tone is louder than the samples: silence needs no search.
    if (2 * Math.max(...peaks.subarray(at / HOP, (at + WINDOW) / HOP)) < audible) continue
    const db = resonance.db(pcm, at)
    if (db < floorDb) continue
    const ms = ((at + WINDOW / 2) / RATE) * 1000
    const last = found.at(-1)
    if (last && ms - last.toMs <= bridgeMs) {
      last.toMs = ms
      last.levels.push(db)
    } else found.push({ fromMs: ms, toMs: ms, levels: [db] })
  }
  return found
    .filter(({ fromMs, toMs }) => toMs - fromMs >= 60)
    .map(({ fromMs, toMs, levels }) => ({ fromMs, toMs, db: upper(levels) }))
}

/** The largest sample of each hop. */
function peaksOf(pcm: Int16Array): Float64Array {
  const peaks = new Float64Array(Math.floor(pcm.length / HOP))
  for (let hop = 0; hop < peaks.length; hop++)
    for (let at = hop * HOP; at < (hop + 1) * HOP; at++)
      peaks[hop] = Math.max(peaks[hop]!, Math.abs(pcm[at]!))
  return peaks
}

/** Level of `hz` between two times (dBFS of the peak), the median of 20 ms steps. */
export function levelBetween(pcm: Int16Array, hz: number, fromMs: number, toMs: number): number {
  const levels: number[] = []
  for (let at = (fromMs * RATE) / 1000; at + WINDOW <= (toMs * RATE) / 1000; at += HOP)
    levels.push(resonanceOf(hz).db(pcm, Math.round(at)))
  return levels.length === 0 ? Number.NEGATIVE_INFINITY : middle(levels)
}

/** Number of clearly audible tones of `hz`. */
export function times(pcm: Int16Array, hz: number): number {
  return soundings(pcm, hz, LOUD).length
}

/** Returns true if `pcm` contains `hz` at any level. */
export function hears(pcm: Int16Array, hz: number): boolean {
  const found = soundings(pcm, hz, FAINT)
  return found.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) > CLICK_MS
}

/** The longest tone; with zero length and level without tones. */
export function longest(found: readonly Sounding[]): Sounding {
  const none = { fromMs: 0, toMs: 0, db: Number.NEGATIVE_INFINITY }
  return found.reduce((a, b) => (b.toMs - b.fromMs > a.toMs - a.fromMs ? b : a), none)
}

function upper(levels: readonly number[]): number {
  return [...levels].sort((a, b) => a - b)[Math.floor(levels.length * 0.75)] ?? Number.NEGATIVE_INFINITY
}

function middle(levels: readonly number[]): number {
  return [...levels].sort((a, b) => a - b)[levels.length >> 1] ?? Number.NEGATIVE_INFINITY
}
