// The comparison of received with played band levels: the arithmetic of `EchoPath` in src/core/room/echo-path.ts, for
// eight bands at a time. Levels and gains are 16-bit units.
import { BANDS, ROW, ROW_BYTES, SILENCE, UNITS } from './band-levels'

/** Delays of an echo, in slots of 20 ms. */
const DELAYS: i32 = 53
/** Slots kept of played and of received audio: powers of two. */
const PLAYED: i32 = 128
const HEARD: i32 = 32
/** Slots over which shapes are compared. */
const SHAPE_SLOTS: i32 = 20

// A path in memory: for each slot a row as played and a row with reverberation, the loudest band of each slot, a row of
// gains for each delay, and the amount of audio learned for each (slots, 32-bit floats).
const SLOT_BYTES: i32 = 2 * ROW_BYTES
const PEAKS: i32 = PLAYED * SLOT_BYTES
const GAINS: i32 = PEAKS + PLAYED * 2
const KNOWN: i32 = GAINS + DELAYS * ROW_BYTES
const PATH_BYTES: i32 = KNOWN + DELAYS * 4

/** Decay of room reverberation (units per slot): 2 dB, which reaches −60 dB after about half a second. */
const DECAY: i16 = (2 * UNITS) as i16
/** Excess of the reverberation over the played level from which that level does not show the gain (units). */
const REVERBERANT: i16 = (UNITS / 2) as i16
/** Strongest echo gain of a changed path (units). */
const STRONGEST: i32 = -3 * UNITS
/** Played level below which a band is not used for learning (units, −66 dBFS). */
const LEAST: i16 = (-66 * UNITS) as i16
/** Rates at which a gain falls (0.15) and rises (0.05) towards the measured value (1/32 768), and maximum rise (units). */
const FALL: i16 = 4915
const RISE: i16 = 1638
const MOST_RISE: i16 = (UNITS / 2) as i16
/** Amount of audio after which the gains of a delay count as known, and after which they hardly change (slots). */
const PROVEN: f32 = 40
const STEADY: f32 = 160
/** Tolerance above the expected echo, extra tolerance for a single band, and level treated as silence (units). */
const MARGIN: i16 = (7 * UNITS) as i16
const PEAK: i32 = 10 * UNITS
const NOTHING: i16 = (-75 * UNITS) as i16
/** Share of compared slots and bands that must contain played audio, and number of compared levels. */
const SHAPE_SHARE: f32 = 0.4
const MOST_CELLS: f32 = 240
/** Slots a band needs to be compared. */
const LEAST_SLOTS: f32 = 5
/** An echo differs from the played audio by a nearly constant gain: maximum standard deviation (units). */
const SHAPE: f32 = 5 * 256
/**
 * … and minimum ratio of the variance of the played audio to the variance of that gain. The gain between two steady sounds
 * is always constant, so they prove nothing.
 */
const SHAPE_CONTRAST: f32 = 2
/** Minimum variance of played audio for it to have a shape (units²). */
const LEAST_CONTRAST: f32 = 3 * 256 * (3 * 256)

/** Weights of the bands in sums of power, written once by the caller: a row of 32-bit floats. */
const WEIGHTS = memory.data(ROW * 4, 16)
// The frame being judged: expected echo, received levels, excess over the expected echo, and weighted powers.
const EXPECTED = memory.data(ROW_BYTES, 16)
const SOUNDING = memory.data(ROW_BYTES, 16)
const OVER = memory.data(ROW_BYTES, 16)
const WEIGHTED = memory.data(ROW * 4, 16)
const EXCESS = memory.data(ROW_BYTES, 16)

export function weights(): i32 {
  return WEIGHTS as i32
}

export function pathBytes(): i32 {
  return PATH_BYTES
}

/** Sets all levels of the path at `path` to silence, and forgets what was learned; see `forget`. */
export function createPath(path: usize, gain: i32): void {
  const silence = i16x8.splat(SILENCE as i16)
  for (let at: i32 = 0; at < GAINS; at += 16) v128.store(path + at, silence)
  forget(path, gain)
}

/** Sets all gains to `gain`, and all of them to unknown. */
export function forget(path: usize, gain: i32): void {
  const gains = i16x8.splat(gain as i16)
  for (let at: i32 = GAINS; at < KNOWN; at += 16) v128.store(path + at, gains)
  memory.fill(path + KNOWN, 0, DELAYS * 4)
}

/** Raises the played levels of the slot at place `place` to those at `levels` (0: none). `fresh` replaces what was there. */
export function play(path: usize, place: i32, levels: usize, fresh: bool): void {
  const row = path + place * SLOT_BYTES
  const before = path + ((place + PLAYED - 1) & (PLAYED - 1)) * SLOT_BYTES + ROW_BYTES
  const silence = i16x8.splat(SILENCE as i16)
  const decay = i16x8.splat(DECAY)
  let peak = silence
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
    let level = fresh ? silence : v128.load(row + at)
    if (levels !== 0) level = i16x8.max_s(level, v128.load(levels + at))
    v128.store(row + at, level)
    const lasting = i16x8.sub_sat_s(v128.load(before + at), decay)
    v128.store(row + ROW_BYTES + at, i16x8.max_s(level, i16x8.max_s(lasting, silence)))
    peak = i16x8.max_s(peak, level)
  }
  store<i16>(path + PEAKS + (place << 1), largest(peak))
}

/** The largest of eight values. */
function largest(v: v128): i16 {
  let max = i16x8.max_s(v, v128.shuffle<i16>(v, v, 4, 5, 6, 7, 0, 1, 2, 3))
  max = i16x8.max_s(max, v128.shuffle<i16>(max, max, 2, 3, 0, 1, 6, 7, 4, 5))
  max = i16x8.max_s(max, v128.shuffle<i16>(max, max, 1, 0, 3, 2, 5, 4, 7, 6))
  return i16x8.extract_lane_s(max, 0)
}

/** Place of the slot that is received after `delay`, if the one after the shortest delay is at `latest`. */
function placeOf(latest: i32, delay: i32): i32 {
  return (latest - delay) & (PLAYED - 1)
}

/**
 * Learns from the received levels at `heard`. `phase` is the number of the frame, of which the last two bits count. Gains
 * rise only if `alone`.
 */
export function learn(path: usize, heard: usize, latest: i32, phase: i32, alone: bool): void {
  const rising = alone ? i16x8.splat(MOST_RISE) : i16x8.splat(0)
  for (let delay: i32 = 0; delay < DELAYS; delay++) {
    const place = placeOf(latest, delay)
    if (load<i16>(path + PEAKS + (place << 1)) < LEAST) continue
    // Known gains change slowly: they need not be compared in every slot.
    const known = load<f32>(path + KNOWN + (delay << 2))
    const every = known < PROVEN ? 0 : known < STEADY ? 1 : 3
    if (((phase + delay) & every) !== 0) continue
    const row = path + place * SLOT_BYTES
    const gains = path + GAINS + delay * ROW_BYTES
    let bands: i32 = 0
    for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
      const level = v128.load(row + at)
      const lasting = v128.load(row + ROW_BYTES + at)
      // Reverberation does not show the gain.
      const counts = v128.and(
        i16x8.ge_s(level, i16x8.splat(LEAST)),
        i16x8.ge_s(level, i16x8.sub_sat_s(lasting, i16x8.splat(REVERBERANT))),
      )
      const gain = v128.load(gains + at)
      const off = i16x8.sub_sat_s(i16x8.sub_sat_s(v128.load(heard + at), level), gain)
      const fall = i16x8.min_s(i16x8.q15mulr_sat_s(off, i16x8.splat(FALL)), i16x8.splat(0))
      const rise = i16x8.max_s(i16x8.q15mulr_sat_s(off, i16x8.splat(RISE)), i16x8.splat(0))
      const change = i16x8.add(fall, i16x8.min_s(rise, rising))
      v128.store(gains + at, i16x8.add(gain, v128.and(change, counts)))
      bands += popcnt<i32>(i16x8.bitmask(counts))
    }
    if (known < STEADY) store<f32>(path + KNOWN + (delay << 2), known + (bands as f32) / (BANDS as f32))
  }
}

/** Starts judging a frame: no echo is expected yet. */
export function begin(): void {
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) v128.store(EXPECTED + at, i16x8.splat(SILENCE as i16))
}

/** Raises the expected echo to that through known delays. */
export function expect(path: usize, latest: i32): void {
  let first = v128.load(EXPECTED)
  let second = v128.load(EXPECTED, 16)
  let third = v128.load(EXPECTED, 32)
  for (let delay: i32 = 0; delay < DELAYS; delay++) {
    if (load<f32>(path + KNOWN + (delay << 2)) < PROVEN) continue
    const gains = path + GAINS + delay * ROW_BYTES
    const lasting = path + placeOf(latest, delay) * SLOT_BYTES + ROW_BYTES
    first = i16x8.max_s(first, i16x8.add_sat_s(v128.load(gains), v128.load(lasting)))
    second = i16x8.max_s(second, i16x8.add_sat_s(v128.load(gains, 16), v128.load(lasting, 16)))
    third = i16x8.max_s(third, i16x8.add_sat_s(v128.load(gains, 32), v128.load(lasting, 32)))
  }
  v128.store(EXPECTED, first)
  v128.store(EXPECTED, second, 16)
  v128.store(EXPECTED, third, 32)
}

/** Takes the frame with levels at `heard` and powers at `powers`. Returns its power, of which each band has its weight. */
export function weigh(heard: usize, powers: usize): f32 {
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
    const level = v128.load(heard + at)
    v128.store(SOUNDING + at, level)
    const excess = i16x8.sub_sat_s(i16x8.sub_sat_s(level, v128.load(EXPECTED + at)), i16x8.splat(MARGIN))
    const sounds = i16x8.gt_s(level, i16x8.splat(NOTHING))
    v128.store(OVER + at, v128.and(sounds, i16x8.max_s(excess, i16x8.splat(0))))
  }
  let all = f32x4.splat(0)
  for (let at: i32 = 0; at < ROW * 4; at += 16) {
    const power = f32x4.mul(v128.load(powers + at), v128.load(WEIGHTS + at))
    v128.store(WEIGHTED + at, power)
    all = f32x4.add(all, power)
  }
  return sumOf(all) + 1e-12
}

/** Returns the power that the expected echo alone leaves unexplained. */
export function unexpected(): f32 {
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) v128.store(EXCESS + at, v128.load(OVER + at))
  return unexplained()
}

/** Returns the minimum power, at most `most`, that remains unexplained after adding one delay that is not yet known. */
export function least(path: usize, latest: i32, most: f32): f32 {
  for (let delay: i32 = 0; delay < DELAYS && most > 0; delay++) {
    if (load<f32>(path + KNOWN + (delay << 2)) >= PROVEN) continue
    const gains = path + GAINS + delay * ROW_BYTES
    const lasting = path + placeOf(latest, delay) * SLOT_BYTES + ROW_BYTES
    for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
      const echo = i16x8.add_sat_s(v128.load(gains + at), v128.load(lasting + at))
      const more = i16x8.sub_sat_s(i16x8.sub_sat_s(v128.load(SOUNDING + at), echo), i16x8.splat(MARGIN))
      v128.store(EXCESS + at, i16x8.max_s(i16x8.min_s(more, v128.load(OVER + at)), i16x8.splat(0)))
    }
    const power = unexplained()
    if (power < most) most = power
  }
  return most
}

/**
 * Returns the power of the bands with an excess. A single band needs a larger one, because room resonances are narrower
 * than a band and a voice can coincide with one.
 */
function unexplained(): f32 {
  let sum = f32x4.splat(0)
  let most = f32x4.splat(0)
  let any = i16x8.splat(0)
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
    const excess = v128.load(EXCESS + at)
    any = v128.or(any, excess)
    const none = i16x8.eq(excess, i16x8.splat(0))
    const low = v128.andnot(v128.load(WEIGHTED + (at << 1)), i32x4.extend_low_i16x8_s(none))
    const high = v128.andnot(v128.load(WEIGHTED + (at << 1), 16), i32x4.extend_high_i16x8_s(none))
    sum = f32x4.add(sum, f32x4.add(low, high))
    most = f32x4.max(most, f32x4.max(low, high))
  }
  if (!v128.any_true(any)) return 0
  most = f32x4.max(most, v128.shuffle<f32>(most, most, 2, 3, 0, 1))
  most = f32x4.max(most, v128.shuffle<f32>(most, most, 1, 0, 3, 2))
  const all = sumOf(sum)
  const loudest = f32x4.extract_lane(most, 0)
  // The loudest of these bands, which is alone in almost all cases.
  let excess: i32 = 0
  for (let band: i32 = 0; band < BANDS && excess === 0; band++)
    if (load<f32>(WEIGHTED + (band << 2)) === loudest) excess = load<i16>(EXCESS + (band << 1)) as i32
  if (excess >= PEAK) return all
  return max<f32>(0, all - loudest * (1 - (excess as f32) / (PEAK as f32)))
}

function sumOf(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1)
}

/**
 * Returns true if the frames up to number `number`, of which the levels are kept at `received`, have the shape of the
 * played audio. The gains of the delay that fits best then rise to what was received.
 */
export function reshape(path: usize, received: usize, number: i32, latest: i32): bool {
  let best = SHAPE
  let found: i32 = -1
  for (let delay: i32 = 0; delay < DELAYS; delay++) {
    if (!sounded(path, latest, delay)) continue
    const off = spread(path, received, number, latest, delay, best)
    if (off >= best) continue
    best = off
    found = delay
  }
  if (found < 0) return false
  relearn(path, received, number, latest, found)
  return true
}

/** Returns true if enough of the compared slots contain audio played at `delay`. */
function sounded(path: usize, latest: i32, delay: i32): bool {
  let slots: i32 = 0
  for (let n: i32 = 0; n < SHAPE_SLOTS; n++)
    if (load<i16>(path + PEAKS + (placeOf(latest, delay + n) << 1)) >= LEAST) slots++
  return (slots as f32) >= (SHAPE_SLOTS as f32) * SHAPE_SHARE
}

/** Returns the standard deviation of the gain at `delay` over slots and every second band (units), if it is below `most`. */
function spread(path: usize, received: usize, number: i32, latest: i32, delay: i32, most: f32): f32 {
  const limit = most * most * MOST_CELLS
  let off: f32 = 0
  let contrast: f32 = 0
  let gains: f32 = 0
  let cells: f32 = 0
  // Four bands at a time: every second one of a vector.
  for (let at: i32 = 0; at < ROW_BYTES; at += 16) {
    let count = f32x4.splat(0)
    let sum = f32x4.splat(0)
    let squares = f32x4.splat(0)
    let sumPlayed = f32x4.splat(0)
    let squaresPlayed = f32x4.splat(0)
    for (let n: i32 = 0; n < SHAPE_SLOTS; n++) {
      const played = everySecond(v128.load(path + placeOf(latest, delay + n) * SLOT_BYTES + at))
      const counts = i32x4.ge_s(played, i32x4.splat(LEAST as i32))
      if (!v128.any_true(counts)) continue
      const heard = everySecond(v128.load(received + ((number - n) & (HEARD - 1)) * ROW_BYTES + at))
      const gain = v128.and(f32x4.convert_i32x4_s(i32x4.sub(heard, played)), counts)
      const level = v128.and(f32x4.convert_i32x4_s(played), counts)
      count = f32x4.add(count, v128.and(f32x4.splat(1), counts))
      sum = f32x4.add(sum, gain)
      squares = f32x4.add(squares, f32x4.mul(gain, gain))
      sumPlayed = f32x4.add(sumPlayed, level)
      squaresPlayed = f32x4.add(squaresPlayed, f32x4.mul(level, level))
    }
    const enough = f32x4.ge(count, f32x4.splat(LEAST_SLOTS))
    const share = f32x4.div(f32x4.splat(1), f32x4.max(count, f32x4.splat(1)))
    off += sumOf(v128.and(enough, f32x4.sub(squares, f32x4.mul(f32x4.mul(sum, sum), share))))
    // The sum only grows, and the number of cells is limited: a few bands rule out most delays.
    if (off >= limit) return Infinity as f32
    const varied = f32x4.sub(squaresPlayed, f32x4.mul(f32x4.mul(sumPlayed, sumPlayed), share))
    contrast += sumOf(v128.and(enough, varied))
    gains += sumOf(v128.and(enough, sum))
    cells += sumOf(v128.and(enough, count))
  }
  // A person who repeats the words is as loud as the playback; an echo is not.
  if (gains >= cells * (STRONGEST as f32)) return Infinity as f32
  if (contrast < off * SHAPE_CONTRAST || contrast < cells * LEAST_CONTRAST) return Infinity as f32
  if (cells < ((SHAPE_SLOTS * BANDS) as f32) * 0.5 * SHAPE_SHARE) return Infinity as f32
  return sqrt<f32>(max<f32>(0, off) / cells)
}

/** The even ones of eight values, as 32-bit numbers. */
function everySecond(v: v128): v128 {
  return i32x4.shr_s(i32x4.shl(v, 16), 16)
}

function relearn(path: usize, received: usize, number: i32, latest: i32, delay: i32): void {
  for (let band: i32 = 0; band < BANDS; band++) {
    let count: i32 = 0
    let sum: i32 = 0
    for (let n: i32 = 0; n < SHAPE_SLOTS; n++) {
      const played = load<i16>(path + placeOf(latest, delay + n) * SLOT_BYTES + (band << 1))
      if (played < LEAST) continue
      const heard = load<i16>(received + ((number - n) & (HEARD - 1)) * ROW_BYTES + (band << 1))
      sum += (heard as i32) - (played as i32)
      count++
    }
    const gain = path + GAINS + delay * ROW_BYTES + (band << 1)
    if (count > 2) store<i16>(gain, max<i32>(load<i16>(gain) as i32, sum / count) as i16)
  }
}
