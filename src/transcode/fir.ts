import { firCode } from './fir-code.ts'

/**
 * One memory for all resamplers of the process, and the code that works in it. It holds the weights of every pair of
 * rates in use; the samples of a block pass through. All calls are synchronous, so one place for them is enough.
 */

/** What is used here of a global that the compiler's own library describes only for browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
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
   * Makes outputs from `position` on, `down` apart, while they are below `end`; returns where the next one would be.
   * A position is counted in steps of one `up`th of an input sample. The sum at position `p` begins with the sample
   * `p / up` of the floats at `x` and takes as many as a row of weights has, row `p % up` of those at `weights`, each
   * of `row` bytes (a multiple of 32). The sums go to `out` as 16-bit samples, clamped.
   */
  run(
    x: number,
    weights: number,
    up: number,
    down: number,
    row: number,
    position: number,
    end: number,
    out: number,
  ): number
}

const PAGE = 65_536
/** Floats of room for a block with its history, and samples of room for what it becomes. */
const BLOCK_FLOATS = 3072
const OUT_SAMPLES = 2048
const OUT_AT = BLOCK_FLOATS * 4
const WEIGHTS_AT = OUT_AT + OUT_SAMPLES * 2

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(firCode(1)))
const { memory, run } = exports as unknown as FirExports

let used = WEIGHTS_AT
/** Where a block goes, its history first. Changes when the memory grows: read it anew after {@link keepWeights}. */
export let block = new Float32Array(memory.buffer, 0, BLOCK_FLOATS)
/** Where its outputs are. As `block`, not to be kept. */
export let made = new Int16Array(memory.buffer, OUT_AT, OUT_SAMPLES)

/** Copies `weights` into the memory for good; returns where they are. Their number must be a multiple of eight. */
export function keepWeights(weights: Float32Array): number {
  if (weights.length % 8 !== 0) throw new RangeError(`weights come in eights, got ${weights.length}`)
  const at = used
  used += weights.byteLength
  const missing = used - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE))
  new Float32Array(memory.buffer, at, weights.length).set(weights)
  block = new Float32Array(memory.buffer, 0, BLOCK_FLOATS)
  made = new Int16Array(memory.buffer, OUT_AT, OUT_SAMPLES)
  return at
}

/** Makes the outputs of the samples in `block` into `made`; arguments and result as of {@link FirExports.run}. */
export function runFir(
  weights: number,
  up: number,
  down: number,
  taps: number,
  position: number,
  end: number,
): number {
  return run(0, weights, up, down, taps * 4, position, end, OUT_AT)
}
