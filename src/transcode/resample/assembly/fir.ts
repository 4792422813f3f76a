// The inner loop of a resampler between any two rates, with four multiplications at once, which JavaScript cannot do.

/**
 * Computes outputs from `position` on, `down` apart, while they are below `end`; returns the position of the next one.
 * Positions are counted in fractions 1/`up` of an input sample. The sum at position `p` starts with sample `p / up` of the
 * 16-bit ones at `samples` and uses as many as a row of weights has: row `p % up` of those at `weights`, each of `row`
 * bytes, a multiple of 32. The sums are written to `out` as 16-bit samples, clamped. `floats`: room for the samples as
 * 32-bit floats.
 */
export function run(
  samples: usize,
  floats: usize,
  weights: usize,
  up: i32,
  down: i32,
  row: i32,
  position: i32,
  end: i32,
  out: usize,
): i32 {
  widen(samples, floats, floats + ((end / up) << 2) + row)
  // The place of the next output, carried along: a division per output would cost more than a short filter.
  const skip = (down / up) << 2
  const step = down % up
  let first = floats + ((position / up) << 2)
  let phase = position % up
  while (position < end) {
    store<i16>(out, sum(first, weights + phase * row, row))
    out += 2
    position += down
    first += skip
    phase += step
    if (phase >= up) {
      phase -= up
      first += 4
    }
  }
  return position
}

/** Writes the 16-bit samples from `from` on to `to` as floats, up to `stop`, four at a time. */
// @ts-expect-error: a decorator of AssemblyScript
function widen(from: usize, to: usize, stop: usize): void {
  for (; to < stop; from += 8, to += 16) v128.store(to, f32x4.convert_i32x4_s(v128.load_ext<i16>(from)))
}

/** The products of `row` bytes of samples and weights, added up, rounded and clamped to 16 bits. */
// @ts-expect-error: a decorator of AssemblyScript
function sum(sample: usize, weight: usize, row: i32): i16 {
  const stop = weight + row
  let even = f32x4.splat(0)
  let odd = f32x4.splat(0)
  for (; weight < stop; sample += 32, weight += 32) {
    even = f32x4.add(even, f32x4.mul(v128.load(sample), v128.load(weight)))
    odd = f32x4.add(odd, f32x4.mul(v128.load(sample, 16), v128.load(weight, 16)))
  }
  const all = f32x4.add(even, odd)
  const halves = f32x4.add(all, i8x16.shuffle(all, all, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
  const total = f32x4.extract_lane(halves, 0) + f32x4.extract_lane(halves, 1)
  return max<i32>(min<i32>(i32(nearest(total)), i16.MAX_VALUE), i16.MIN_VALUE) as i16
}
