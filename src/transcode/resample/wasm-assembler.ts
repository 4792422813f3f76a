/**
 * The WebAssembly instructions used by the filters, and the module around them. Source: "WebAssembly Core
 * Specification" 2.0, §5 (binary format).
 */

type Code = readonly number[]

const I32 = 0x7f
const V128 = 0x7b
const FUNCTION = 0x60
const NO_RESULT = 0x40

/** An exported function. All parameters are i32; locals are numbered after them, i32 first. */
export interface WasmFunction {
  readonly name: string
  readonly parameters: number
  /** True if it returns an i32, the value its body leaves on the stack. */
  readonly returns: boolean
  /** Locals of type i32, then those of type v128. */
  readonly integers: number
  readonly vectors: number
  readonly body: Code
}

export const get = (local: number) => [0x20, local]
export const set = (local: number) => [0x21, local]
export const constant = (value: number) => [0x41, ...signed(value)]

export const BLOCK = [0x02, NO_RESULT]
export const LOOP = [0x03, NO_RESULT]
export const END_OF_BLOCK = [0x0b]
export const REPEAT = [0x0c, 0]
export const REPEAT_IF = [0x0d, 0]
export const LEAVE_IF = [0x0d, 1]

export const ADD = [0x6a]
export const SUB = [0x6b]
export const MUL = [0x6c]
export const DIV = [0x6e]
export const SHIFT = [0x74]
export const LESS = [0x49]
export const NOT_LESS = [0x4f]

/** Four floats. All offsets are bytes, below 128. */
export const load4 = (offset: number) => [0xfd, 0x00, 0, offset]
/** Four i16, as four i32. */
export const LOAD4_I16 = [0xfd, 0x03, 0, 0]
/** One float, four times. */
export const LOAD_SPLAT = [0xfd, 0x09, 0, 0]
export const store4 = (offset: number) => [0xfd, 0x0b, 0, offset]
export const STORE_LANE_0 = [0xfd, 0x59, 1, 0, 0]
export const ZERO4 = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]
export const ADD4 = [0xfd, 0xe4, 0x01]
export const MUL4 = [0xfd, 0xe6, 0x01]
export const FLOATS_OF_I32 = [0xfd, 0xfa, 0x01]
export const SHIFT4_LEFT = [0xfd, 0xab, 0x01]
export const SHIFT4_RIGHT = [0xfd, 0xac, 0x01]
const SUB4_I32 = [0xfd, 0xb1, 0x01]
/** Two times four i32 to eight i16, saturating. */
export const NARROW = [0xfd, 0x85, 0x01]
/** Selects bytes by number from the 32 bytes of two vectors. */
export const bytes = (numbers: Code) => [0xfd, 0x0d, ...numbers]

/**
 * 1.5 * 2^23 as a float: adding a number of up to 22 bits rounds it to an integer in the lowest bits. Subtracting the
 * same bits as an integer leaves that number.
 */
const ROUNDING = [
  0xfd,
  0x0c,
  ...new Uint8Array(Float32Array.of(...new Array<number>(4).fill(1.5 * 2 ** 23)).buffer),
]
/** Four floats to the nearest i32. */
export const ROUND4 = [...ROUNDING, ...ADD4, ...ROUNDING, ...SUB4_I32]

/** local += constant */
export const advance = (local: number, by: number) => [...get(local), ...constant(by), ...ADD, ...set(local)]

/** Signed LEB128, of numbers from -2^13 to 2^13 - 1. */
function signed(value: number): Code {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, (value >> 7) & 127]
}

/** Unsigned LEB128, of numbers below 2^14. */
const size = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7])
const vector = (items: readonly Code[]) => [...size(items.length), ...items.flat()]
const sized = (code: Code) => [...size(code.length), ...code]
const section = (id: number, items: readonly Code[]) => [id, ...sized(vector(items))]
// Names here are ASCII; browser worklets have no encoder.
const text = (name: string) => sized(Array.from(name, letter => letter.charCodeAt(0)))

/** Builds a module of `functions` and one memory, exported as `memory`, of `pages` of 64 KiB. */
export function wasmModule(pages: number, functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const i32s = (count: number) => vector(new Array<number[]>(count).fill([I32]))
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      functions.map(each => [FUNCTION, ...i32s(each.parameters), ...i32s(each.returns ? 1 : 0)]),
    ),
    ...section(
      3,
      functions.map((_, i) => [i]),
    ),
    ...section(5, [[1, ...size(pages), ...size(pages)]]),
    ...section(7, [[...text('memory'), 2, 0], ...functions.map((each, i) => [...text(each.name), 0, i])]),
    ...section(
      10,
      functions.map(({ integers, vectors, body }) =>
        sized([
          ...vector([
            [integers, I32],
            [vectors, V128],
          ]),
          ...body,
          ...END_OF_BLOCK,
        ]),
      ),
    ),
  ])
}
