import {
  ADD,
  ADD4,
  advance,
  BLOCK,
  bytes,
  constant,
  DIV,
  END_OF_BLOCK,
  FLOATS_OF_I32,
  get,
  LEAVE_IF,
  LESS,
  LOAD4_I16,
  LOOP,
  load4,
  MUL,
  MUL4,
  NARROW,
  NOT_LESS,
  REPEAT,
  REPEAT_IF,
  ROUND4,
  SHIFT,
  STORE_LANE_0,
  SUB,
  set,
  store4,
  type WasmFunction,
  ZERO4,
} from './wasm-assembler.ts'

/**
 * Inner loop of a resampler between any two rates, as WebAssembly with SIMD: four multiplications at once, which
 * JavaScript cannot do. Measured from 24, 44.1 and 48 kHz, it is four times as fast. It is written out below,
 * instruction by instruction, with pseudocode above each group.
 */

// Parameters and locals of `run`, by number. All are i32 except the sums, which are v128.
const [SAMPLES, X, WEIGHTS, UP, DOWN, ROW, POSITION, END, OUT] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const [FIRST, PHASE, SKIP, STEP, CARRY, SAMPLE, WEIGHT, STOP] = [9, 10, 11, 12, 13, 14, 15, 16]
const [SUM_A, SUM_B] = [17, 18]

/** Shuffle of a vector with itself: its bytes from `first` on, then the ones before. */
const rotated = (first: number) => bytes(Array.from({ length: 16 }, (_, i) => first + i))

/** sum += load4(sample + offset) * load4(weight + offset) */
const addProducts = (sum: number, offset: number) => [
  ...[...get(SAMPLE), ...load4(offset), ...get(WEIGHT), ...load4(offset), ...MUL4],
  ...[...get(sum), ...ADD4, ...set(sum)],
]

/** into = dividend / divisor; rest = dividend % divisor */
const divide = (dividend: number, divisor: number, into: number, rest: number) => [
  ...[...get(dividend), ...get(divisor), ...DIV, ...set(into)],
  ...[...get(dividend), ...get(into), ...get(divisor), ...MUL, ...SUB, ...set(rest)],
]

/** Does `{ x[] = samples[], four at a time; to += 16 } while (to < stop)` with the locals of these numbers. */
export const widen = (samples: number, to: number, stop: number) => [
  ...LOOP,
  ...[...get(to), ...get(samples), ...LOAD4_I16, ...FLOATS_OF_I32, ...store4(0)],
  ...[...advance(samples, 8), ...advance(to, 16)],
  ...[...get(to), ...get(stop), ...LESS, ...REPEAT_IF, ...END_OF_BLOCK],
]

const BODY = [
  // stop = x + end / up * 4 + row, which is beyond the last sample; the samples become floats at x
  ...[...get(END), ...get(UP), ...DIV, ...constant(2), ...SHIFT, ...get(X), ...ADD, ...get(ROW), ...ADD],
  ...[...set(STOP), ...get(X), ...set(SAMPLE), ...widen(SAMPLES, SAMPLE, STOP)],
  // first = x + position / up * 4, an address; phase = position % up
  ...divide(POSITION, UP, FIRST, PHASE),
  ...[...get(X), ...get(FIRST), ...constant(2), ...SHIFT, ...ADD, ...set(FIRST)],
  // Step from one output to the next: skip = down / up samples, and step = down % up phases. A division per output
  // would cost more than a short filter.
  ...divide(DOWN, UP, SKIP, STEP),
  ...[...BLOCK, ...LOOP],
  // leave if position >= end
  ...[...get(POSITION), ...get(END), ...NOT_LESS, ...LEAVE_IF],
  // sample = first; weight = weights + phase * row; stop = weight + row; both sums = 0
  ...[...get(FIRST), ...set(SAMPLE)],
  ...[...get(PHASE), ...get(ROW), ...MUL, ...get(WEIGHTS), ...ADD, ...set(WEIGHT)],
  ...[...get(WEIGHT), ...get(ROW), ...ADD, ...set(STOP)],
  ...[...ZERO4, ...set(SUM_A), ...ZERO4, ...set(SUM_B)],
  // do eight products while weight < stop
  ...LOOP,
  ...[...addProducts(SUM_A, 0), ...addProducts(SUM_B, 16)],
  ...[...advance(SAMPLE, 32), ...advance(WEIGHT, 32)],
  ...[...get(WEIGHT), ...get(STOP), ...LESS, ...REPEAT_IF, ...END_OF_BLOCK],
  // out[] = saturate(round(the eight sums together)); the address stays on the stack
  ...[...get(SUM_A), ...get(SUM_B), ...ADD4, ...set(SUM_A), ...get(OUT)],
  ...[...get(SUM_A), ...get(SUM_A), ...get(SUM_A), ...rotated(8), ...ADD4, ...set(SUM_A)],
  ...[...get(SUM_A), ...get(SUM_A), ...get(SUM_A), ...rotated(4), ...ADD4, ...ROUND4, ...set(SUM_A)],
  ...[...get(SUM_A), ...get(SUM_A), ...NARROW, ...STORE_LANE_0],
  // out += 2; position += down
  ...[...advance(OUT, 2), ...get(POSITION), ...get(DOWN), ...ADD, ...set(POSITION)],
  // phase += step; carry = phase >= up; phase -= carry * up; first += (skip + carry) * 4; repeat
  ...[...get(PHASE), ...get(STEP), ...ADD, ...set(PHASE)],
  ...[...get(PHASE), ...get(UP), ...NOT_LESS, ...set(CARRY)],
  ...[...get(PHASE), ...get(CARRY), ...get(UP), ...MUL, ...SUB, ...set(PHASE)],
  ...[...get(FIRST), ...get(SKIP), ...get(CARRY), ...ADD, ...constant(2), ...SHIFT, ...ADD, ...set(FIRST)],
  ...[...REPEAT, ...END_OF_BLOCK, ...END_OF_BLOCK, ...get(POSITION)],
]

/** See `run` in `fir.ts`. */
export const RUN: WasmFunction = {
  name: 'run',
  parameters: 9,
  returns: true,
  integers: 8,
  vectors: 2,
  body: BODY,
}
