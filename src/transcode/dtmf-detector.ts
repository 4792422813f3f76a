import { SAMPLE_RATE } from './pcm.ts'

/** DTMF frequencies of rows and columns (ITU-T Q.23, Hz). */
const ROWS_HZ = [697, 770, 852, 941]
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633]
/**
 * Every fourth sample is enough for all of them, as they are below 2 kHz: a quick check, which sounds above 2 kHz can
 * fool.
 */
const STEP = 4
/** Minimum share of the energy in the two tones together, and in the weaker one alone. */
const TOGETHER = 0.8
const EACH = 0.06
/** Minimum level (mean square: −46 dBFS); recognizers do not mistake weaker tones for words. */
const LEAST_SQUARE = 160 ** 2

interface Four {
  readonly hz: readonly number[]
  /** Goertzel coefficients for every `STEP`th sample. */
  readonly quick: readonly number[]
}

const ROWS: Four = { hz: ROWS_HZ, quick: ROWS_HZ.map(hz => coefficient(hz, STEP)) }
const COLUMNS: Four = { hz: COLUMNS_HZ, quick: COLUMNS_HZ.map(hz => coefficient(hz, STEP)) }

/** Result of `strongest`; shared, as the module runs on one thread, and a frame is finished before the next. */
const found = { power: 0, hz: 0 }

/**
 * Returns true if a frame (20 ms, 16 kHz) is a DTMF tone with little else. Speech is never that pure. Frames at the
 * edge of a tone, or with speech over a tone, do not count.
 */
export function isDtmfTone(frame: Int16Array): boolean {
  const energy = energyOf(frame, STEP)
  if (energy < LEAST_SQUARE) return false
  strongest(frame, ROWS)
  const { power: row, hz: rowHz } = found
  if (row < EACH * energy) return false
  strongest(frame, COLUMNS)
  const { power: column, hz: columnHz } = found
  return (
    isPure(row, column, energy) && isPure(power(frame, rowHz), power(frame, columnHz), energyOf(frame, 1))
  )
}

function isPure(row: number, column: number, energy: number): boolean {
  return row >= EACH * energy && column >= EACH * energy && row + column >= TOGETHER * energy
}

/** Mean square of every `step`th sample. */
function energyOf(frame: Int16Array, step: number): number {
  let sum = 0
  for (let n = 0; n < frame.length; n += step) sum += frame[n]! * frame[n]!
  return (sum * step) / frame.length
}

/**
 * Finds the strongest of four frequencies in every `STEP`th sample (Goertzel). All four share one loop, as they do not
 * depend on each other.
 */
function strongest(frame: Int16Array, four: Four): void {
  const { hz, quick } = four
  const c0 = quick[0]!
  const c1 = quick[1]!
  const c2 = quick[2]!
  const c3 = quick[3]!
  let l0 = 0
  let b0 = 0
  let l1 = 0
  let b1 = 0
  let l2 = 0
  let b2 = 0
  let l3 = 0
  let b3 = 0
  for (let n = 0; n < frame.length; n += STEP) {
    const x = frame[n]!
    const n0 = x + c0 * l0 - b0
    const n1 = x + c1 * l1 - b1
    const n2 = x + c2 * l2 - b2
    const n3 = x + c3 * l3 - b3
    b0 = l0
    b1 = l1
    b2 = l2
    b3 = l3
    l0 = n0
    l1 = n1
    l2 = n2
    l3 = n3
  }
  const count = frame.length / STEP
  found.power = 0
  keep(hz[0]!, meanSquare(l0, b0, c0, count))
  keep(hz[1]!, meanSquare(l1, b1, c1, count))
  keep(hz[2]!, meanSquare(l2, b2, c2, count))
  keep(hz[3]!, meanSquare(l3, b3, c3, count))
}

function keep(hz: number, power: number): void {
  if (power <= found.power) return
  found.power = power
  found.hz = hz
}

/** Returns the mean square of one frequency in the whole frame. */
function power(frame: Int16Array, hz: number): number {
  const c = coefficient(hz, 1)
  let last = 0
  let before = 0
  for (let n = 0; n < frame.length; n++) {
    const next = frame[n]! + c * last - before
    before = last
    last = next
  }
  return meanSquare(last, before, c, frame.length)
}

function meanSquare(last: number, before: number, c: number, count: number): number {
  return (2 * (last * last + before * before - c * last * before)) / (count * count)
}

function coefficient(hz: number, step: number): number {
  return 2 * Math.cos((2 * Math.PI * hz * step) / SAMPLE_RATE)
}
