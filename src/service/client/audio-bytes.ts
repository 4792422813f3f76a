/** Audio data. Samples are linear16: a typed array of floats is rejected. */
export type AudioData = ArrayBuffer | ArrayBufferView | Blob

/**
 * Returns a copy of the bytes, so that the caller can reuse its buffer at once. Throws `TypeError` for other values.
 */
export async function audioBytes(data: AudioData): Promise<Buffer> {
  if (data instanceof Blob) return Buffer.from(await data.arrayBuffer())
  if (data instanceof ArrayBuffer) return Buffer.from(data.slice(0))
  if (!ArrayBuffer.isView(data))
    throw new TypeError(`audio is bytes: a Buffer, ArrayBuffer, typed array or Blob, got ${typeof data}`)
  if (data instanceof Float32Array || data instanceof Float64Array)
    throw new TypeError(`audio is linear16, got a ${data.constructor.name}`)
  return Buffer.from(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
}
