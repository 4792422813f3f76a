import { RUN } from './fir-kernel.ts'
import { DOUBLE, HALVE } from './halfband-kernel.ts'
import { wasmModule } from './wasm-assembler.ts'

/**
 * One memory for all resamplers of the process, and the code that works in it. It holds the weights of every pair of
 * rates in use; the samples of a block pass through. All calls are synchronous, so one memory is enough.
 */

/** The used part of a global that TypeScript's library declares only for browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  class Module {
    constructor(code: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module)
    readonly exports: object
  }
}

interface FirExports {
  readonly memory: WebAssembly.Memory
  /**
   * Computes outputs from `position` on, `down` apart, while they are below `end`; returns the position of the next
   * one. Positions are counted in fractions 1/`up` of an input sample. The sum at position `p` starts with sample `p /
   * up` of the 16-bit ones at `samples` and uses as many as a row of weights has, row `p % up` of those at `weights`,
   * each of `row` bytes (a multiple of 32). The sums are written to `out` as 16-bit samples, clamped. `floats` is
   * scratch space for the samples as floats.
   */
  run(
    samples: number,
    floats: number,
    weights: number,
    up: number,
    down: number,
    row: number,
    position: number,
    end: number,
    out: number,
  ): number
  /**
   * Computes two outputs for each of `count` samples, at least one: the sample in the middle of a sum, or just before
   * it, times the weight stored after the others; and the sum. `weights` holds half of the weights of the sum, `row`
   * bytes, as the other half mirrors it; the first sum starts with the first of `samples`. `out` receives whole blocks
   * of 16 pairs.
   */
  double(...block: HalfbandBlock): void
  /**
   * Computes `count` outputs, at least one, two samples apart: the sum of every second sample from the second on, and
   * the one in the middle. Otherwise like `double`; `odds` is scratch space for half of the floats. `out` receives
   * whole blocks of 16.
   */
  halve(...block: HalfbandBlock): void
}

type HalfbandBlock = [
  samples: number,
  floats: number,
  odds: number,
  weights: number,
  row: number,
  count: number,
  out: number,
]

/** Capacity for a block with its history, and for its outputs (samples). */
const SAMPLES = 2304
const OUTPUTS = 2048
const OUT_AT = SAMPLES * 2
const FLOATS_AT = OUT_AT + OUTPUTS * 2
const ODDS_AT = FLOATS_AT + SAMPLES * 4
const WEIGHTS_AT = ODDS_AT + SAMPLES * 4
/** 1 MiB: enough for the weights of all pairs of rates. Untouched pages take no memory. */
const PAGES = 16

const code = wasmModule(PAGES, [RUN, DOUBLE, HALVE])
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
const { memory, run, double, halve } = exports as unknown as FirExports

let used = WEIGHTS_AT
const views: Int16Array[] = []

/** Input of a block, its history first. */
export const samples: Int16Array = new Int16Array(memory.buffer, 0, SAMPLES)

/** Returns the first `count` outputs of a block: a view, the same one each time. */
export function outputs(count: number): Int16Array {
  views[count] ??= new Int16Array(memory.buffer, OUT_AT, count)
  return views[count]
}

/** Copies `weights` into the memory permanently; returns their address. */
export function keepWeights(weights: Float32Array): number {
  const at = used
  used += Math.ceil(weights.byteLength / 32) * 32
  new Float32Array(memory.buffer, at, weights.length).set(weights)
  return at
}

/**
 * Computes the outputs of {@link samples} from `position` on; arguments and result as for `run` in {@link FirExports}.
 */
export function runFir(
  weights: number,
  up: number,
  down: number,
  taps: number,
  position: number,
  end: number,
): number {
  return run(0, FLOATS_AT, weights, up, down, taps * 4, position, end, OUT_AT)
}

/** Computes two outputs for each of `count` samples, as `double` in {@link FirExports} with `pairs` weights. */
export function runDouble(weights: number, pairs: number, count: number): void {
  if (count > 0) double(0, FLOATS_AT, 0, weights, pairs * 4, count, OUT_AT)
}

/**
 * Computes `count` outputs, the first sum from sample `first` on, as `halve` in {@link FirExports} with `pairs`
 * weights.
 */
export function runHalve(weights: number, pairs: number, first: number, count: number): void {
  if (count > 0) halve(first * 2, FLOATS_AT, ODDS_AT, weights, pairs * 4, count, OUT_AT)
}
