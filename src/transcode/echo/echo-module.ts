import { readFileSync } from 'node:fs'

interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** What is used of it: TypeScript has its types only together with those of browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory
  readonly Module: new (binary: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/**
 * Compiled from `assembly/` by `npm run assembly`; a test compares it with its source. Read at once: a process out of file
 * descriptors could not read it when the first voice plays.
 */
const BINARY = readFileSync(new URL('echo.wasm', import.meta.url))
/** WebAssembly memory grows by pages of 64 KiB, here up to 1 GiB: enough for 30 000 callers. */
const PAGE = 65_536
const MOST_PAGES = 16_384
/** Boundary of all blocks: the size of a vector (bytes). */
const ALIGN = 16
/** Samples of a transform. */
const SIZE = 256

/** Number of bands, and values in a row of levels or powers: the last value is unused. */
export const BANDS = 23
export const ROW = 24
/**
 * Levels are whole numbers, so that the memory of many calls fits into the caches of the processor: units per dB. Any level
 * and any difference of two levels fits into 16 bits.
 */
export const UNITS_PER_DB = 256

/** The functions of `assembly/`, where they are described. All addresses are bytes. */
interface EchoFunctions {
  free(): number
  input(): number
  tables(): number
  weights(): number
  measure(history: number, levels: number, powers: number): void
  pathBytes(): number
  createPath(path: number, gain: number): void
  forget(path: number, gain: number): void
  play(path: number, place: number, levels: number, fresh: boolean): void
  learn(path: number, heard: number, latest: number, phase: number, alone: boolean): void
  begin(): void
  expect(path: number, latest: number): void
  weigh(heard: number, powers: number): number
  unexpected(): number
  least(path: number, latest: number, most: number): number
  reshape(path: number, received: number, number: number, latest: number): number
}

interface Block {
  readonly at: number
  readonly bytes: number
}

/**
 * The WebAssembly module of echo suppression with its memory, one for the whole process: eight levels are compared with
 * one instruction. State of callers lies in blocks of this memory, which become free when the objects that own them are
 * collected.
 */
class EchoModule {
  readonly call: EchoFunctions
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES })
  readonly #released = new FinalizationRegistry<Block>(({ at, bytes }) => this.#blocks(bytes).push(at))
  /** Addresses of free blocks, by size. */
  readonly #free = new Map<number, number[]>()
  #end: number
  #i16 = new Int16Array(this.#memory.buffer)
  #f32 = new Float32Array(this.#memory.buffer)

  constructor(binary: Uint8Array) {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(binary), {
      env: { memory: this.#memory },
    })
    this.call = instance.exports as EchoFunctions
    this.#end = aligned(this.call.free())
  }

  /** The whole memory. Valid until the next allocation. */
  get i16(): Int16Array {
    return this.#i16
  }

  get f32(): Float32Array {
    return this.#f32
  }

  /**
   * Returns the address of a block of `bytes`, which has any content and is used until `owner` is collected. Throws a
   * `RangeError` if there is no more memory.
   */
  allocate(owner: object, bytes: number): number {
    const at = this.#blocks(bytes).pop() ?? this.#append(bytes)
    this.#released.register(owner, { at, bytes })
    return at
  }

  #append(bytes: number): number {
    const at = this.#end
    const end = aligned(at + bytes)
    const missing = Math.ceil((end - this.#memory.buffer.byteLength) / PAGE)
    if (missing > 0) {
      this.#memory.grow(missing)
      this.#i16 = new Int16Array(this.#memory.buffer)
      this.#f32 = new Float32Array(this.#memory.buffer)
    }
    this.#end = end
    return at
  }

  #blocks(bytes: number): number[] {
    const blocks = this.#free.get(bytes) ?? []
    this.#free.set(bytes, blocks)
    return blocks
  }
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGN) * ALIGN
}

let loaded: EchoModule | undefined

/** Returns the module; the first call loads it. */
export function echoModule(): EchoModule {
  loaded ??= create()
  return loaded
}

function create(): EchoModule {
  const module = new EchoModule(BINARY)
  module.f32.set(transformTables(), module.call.tables() / 4)
  module.f32.set(bandWeights(), module.call.weights() / 4)
  return module
}

/** Window, factors of the bins, and factors of the passes, in the order of `assembly/band-levels.ts`. */
function transformTables(): number[] {
  const angles = (count: number, step: number) =>
    Array.from({ length: count }, (_, n) => (2 * Math.PI * n * step) / SIZE)
  const both = (of: number[]) => [...of.map(Math.cos), ...of.map(Math.sin)]
  /** Factors of two steps at once, for transforms of `quarter` values. */
  const pass = (quarter: number) =>
    [1, 2, 3].flatMap(times => both(angles(quarter, (times * SIZE) / (4 * quarter))))
  return [
    ...angles(SIZE, 1).map(angle => 0.5 - 0.5 * Math.cos(angle)),
    ...both(angles(SIZE / 2, 1)),
    ...pass(4),
    ...pass(16),
    ...both(angles(SIZE / 4, 2)),
  ]
}

/** Weights of the bands: high ones carry the words, low ones most of the power. */
function bandWeights(): number[] {
  return Array.from({ length: BANDS }, (_, band) => Math.min(1, ((200 + band * 140) / 1_500) ** 1.2))
}
