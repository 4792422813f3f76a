/**
 * Writes small ONNX models: the part of `onnx.proto3` (github.com/onnx/onnx) that they need, as bytes. Field numbers are
 * those of that file.
 */

/** Element types of `TensorProto`. */
export const FLOAT = 1
export const INT32 = 6
export const INT64 = 7
type ElementType = typeof FLOAT | typeof INT32 | typeof INT64

/** Kinds of `AttributeProto`. */
const ATTRIBUTE = { float: 1, int: 2, ints: 7 }

type Bytes = Buffer<ArrayBuffer>

function varint(value: number): Bytes {
  const bytes: number[] = []
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest < 0x80n) return Buffer.from([...bytes, low])
    bytes.push(low | 0x80)
  }
}

function integer(field: number, value: number): Bytes {
  return Buffer.concat([varint(field << 3), varint(value)])
}

function content(field: number, value: string | Uint8Array): Bytes {
  const data = Buffer.from(value)
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data])
}

function float(field: number, value: number): Bytes {
  const data = Buffer.alloc(4)
  data.writeFloatLE(value)
  return Buffer.concat([varint((field << 3) | 5), data])
}

/** A constant of the graph, in row-major order. */
export function tensor(
  name: string,
  dims: readonly number[],
  values: ArrayLike<number>,
  type: ElementType = FLOAT,
): Bytes {
  const raw =
    type === FLOAT
      ? Float32Array.from(values)
      : type === INT32
        ? Int32Array.from(values)
        : BigInt64Array.from(Array.from(values), BigInt)
  return Buffer.concat([
    ...dims.map(dim => integer(1, dim)),
    integer(2, type),
    content(8, name),
    content(9, new Uint8Array(raw.buffer)),
  ])
}

/** A list of whole numbers as a constant: shapes, axes. */
export function integers(name: string, values: readonly number[]): Bytes {
  return tensor(name, [values.length], values, INT64)
}

/** One operation of the graph. An attribute is a whole number, a list of them, or `{ float }`. */
export function node(
  operation: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | readonly number[] | { readonly float: number }>> = {},
): Bytes {
  const encoded = Object.entries(attributes).map(([name, value]) => {
    if (typeof value === 'number') return [content(1, name), integer(3, value), integer(20, ATTRIBUTE.int)]
    if ('float' in value) return [content(1, name), float(2, value.float), integer(20, ATTRIBUTE.float)]
    return [content(1, name), ...value.map(each => integer(8, each)), integer(20, ATTRIBUTE.ints)]
  })
  return Buffer.concat([
    ...inputs.map(name => content(1, name)),
    ...outputs.map(name => content(2, name)),
    content(4, operation),
    ...encoded.map(fields => content(5, Buffer.concat(fields))),
  ])
}

/** An input or output of the graph; a dimension without a number can have any size. */
export function value(name: string, dims: readonly (number | string)[], type: ElementType = FLOAT): Bytes {
  const shape = dims.map(dim => content(1, typeof dim === 'number' ? integer(1, dim) : content(2, dim)))
  const tensorType = Buffer.concat([integer(1, type), content(2, Buffer.concat(shape))])
  return Buffer.concat([content(1, name), content(2, content(1, tensorType))])
}

export interface OnnxGraph {
  readonly inputs: readonly Bytes[]
  readonly outputs: readonly Bytes[]
  readonly constants?: readonly Bytes[]
  readonly nodes: readonly Bytes[]
  readonly metadata?: Readonly<Record<string, string | number>>
}

/** Encodes a model (IR version 8, operator set 13). */
export function onnxModel({ inputs, outputs, constants = [], nodes, metadata = {} }: OnnxGraph): Bytes {
  const graph = [
    ...nodes.map(each => content(1, each)),
    content(2, 'graph'),
    ...constants.map(each => content(5, each)),
    ...inputs.map(each => content(11, each)),
    ...outputs.map(each => content(12, each)),
  ]
  const entries = Object.entries(metadata).map(([key, text]) =>
    content(14, Buffer.concat([content(1, key), content(2, String(text))])),
  )
  return Buffer.concat([
    integer(1, 8),
    content(7, Buffer.concat(graph)),
    content(8, Buffer.concat([content(1, ''), integer(2, 13)])),
    ...entries,
  ])
}
