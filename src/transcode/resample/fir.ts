import { FIR_BINARY } from './fir-binary.ts'

/**
 * One memory for all resamplers of the process, and the code that works in it (`assembly/fir.ts`). It holds the weights of
 * every pair of rates in use; the samples of a block pass through. All calls are synchronous, so one memory is enough.
 * The whole bridge needs 1.37 times the CPU with the same loop in TypeScript.
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

type Run = (...[samples, floats, weights, up, down, row, position, end, out]: readonly number[]) => number

/** Capacity for a block with its history, and for its outputs (samples). */
export const SAMPLES = 2304
export const OUTPUTS = 2048
const OUT_AT = SAMPLES * 2
const FLOATS_AT = OUT_AT + OUTPUTS * 2
const WEIGHTS_AT = FLOATS_AT + SAMPLES * 4

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(FIR_BINARY))
const { memory, run } = exports as { memory: WebAssembly.Memory; run: Run }

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

/** Computes the outputs of {@link samples} from `position` on; returns the position of the next one. */
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
