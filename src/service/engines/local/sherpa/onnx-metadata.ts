import { type FileHandle, open } from 'node:fs/promises'

/** Maximum size of one entry; tables of normalization constants are the longest known (40 kB). */
const MAX_ENTRY = 1024 * 1024
/** Maximum number of fields outside the graph. */
const MAX_FIELDS = 10_000

/** `metadata_props` of `ModelProto`, and `key` and `value` of `StringStringEntryProto` (onnx.proto3). */
const METADATA_PROPS = 14
const KEY = 1
const VALUE = 2

/**
 * Reads the metadata of an ONNX model, without the graph: a model of hundreds of megabytes takes some small reads.
 * Rejects with a `RangeError` if the file is not an ONNX model, with the error of the file system if it cannot be read.
 */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const found = new Map<string, string>()
    let fields = 0
    for (let at = 0; at < size; ) {
      const { field, start, end } = await nextField(file, at, size)
      if (++fields > MAX_FIELDS) throw notOnnx(path)
      if (field === METADATA_PROPS && end - start <= MAX_ENTRY) {
        const [key, value] = entryOf(await bytesAt(file, start, end - start))
        found.set(key, value)
      }
      at = end
    }
    if (fields === 0) throw notOnnx(path)
    return found
  } catch (error) {
    if (error instanceof ProtobufError) throw notOnnx(path)
    throw error
  } finally {
    await file.close()
  }
}

/** A byte sequence that is not valid Protocol Buffers. */
class ProtobufError extends Error {}

function notOnnx(path: string): RangeError {
  return new RangeError(`${path} is not an ONNX model`)
}

/** A field of a message: its number, and the range of its content. */
interface Field {
  readonly field: number
  readonly start: number
  readonly end: number
}

async function nextField(file: FileHandle, at: number, size: number): Promise<Field> {
  // Tag and length have at most ten bytes each.
  const { field, start, end } = fieldAt(await bytesAt(file, at, Math.min(20, size - at)), 0)
  if (field < 1 || field > 100 || at + end > size) throw new ProtobufError()
  return { field, start: at + start, end: at + end }
}

/** Reads the field header at `at`; only the header has to be within `bytes`. */
function fieldAt(bytes: Uint8Array, at: number): Field {
  const tag = varint(bytes, at)
  const field = Math.floor(tag.value / 8)
  switch (tag.value % 8) {
    case 0:
      return { field, start: tag.end, end: varint(bytes, tag.end).end }
    case 1:
      return { field, start: tag.end, end: tag.end + 8 }
    case 2: {
      const length = varint(bytes, tag.end)
      return { field, start: length.end, end: length.end + length.value }
    }
    case 5:
      return { field, start: tag.end, end: tag.end + 4 }
    default:
      throw new ProtobufError()
  }
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let n = 0; n < 10; n++) {
    const byte = bytes[at + n]
    if (byte === undefined) break
    value += (byte & 0x7f) * 2 ** (7 * n)
    if (byte < 0x80) return { value, end: at + n + 1 }
  }
  throw new ProtobufError()
}

function entryOf(bytes: Uint8Array): [key: string, value: string] {
  const texts = ['', '']
  for (let at = 0; at < bytes.length; ) {
    const { field, start, end } = fieldAt(bytes, at)
    if (field === KEY || field === VALUE)
      texts[field - KEY] = new TextDecoder().decode(bytes.subarray(start, end))
    at = end
  }
  return [texts[0]!, texts[1]!]
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
  if (bytesRead < length) throw new ProtobufError()
  return buffer
}
