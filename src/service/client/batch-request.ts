import { BATCH_MODES, type BatchMode } from '../contract.ts'
import { encodedAudio, replyBytes } from './audio-value.ts'
import type { ResultPaths } from './result-paths.ts'
import { readResult } from './result-reader.ts'
import type { WantedAudio } from './session-query.ts'

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

/** One file or text to process in one request. */
export interface BatchRequest {
  readonly mode: BatchMode
  /** A whole audio file (wav, mp3, ogg or WebM, as the service supports), or text for `translator` and `tts`. */
  readonly file: AudioData | string
  /** Name of the file part. Default `file.wav`, `file.txt` for text. */
  readonly fileName?: string
  readonly languageIdSource?: string
  readonly languageIdTarget?: string
  readonly receiveAudio?: WantedAudio
  /** Extra form fields for servers that require more than the interface. */
  readonly more?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Result of a batch request; it has only the fields of its mode. */
export interface BatchReply {
  readonly text?: string
  readonly translation?: string
  /** mp3. */
  readonly audio?: Uint8Array
  /** The whole reply, unchanged. */
  readonly payload: unknown
}

/**
 * Builds the request as form data. Rejects with `RangeError` for an unknown mode, with `TypeError` if the file is
 * neither bytes nor text.
 */
export async function batchForm(request: BatchRequest): Promise<FormData> {
  const { mode, file, languageIdSource, languageIdTarget, receiveAudio, more = {} } = request
  if (!BATCH_MODES.includes(mode))
    throw new RangeError(`the mode is "${mode}", allowed: ${BATCH_MODES.join(', ')}`)
  const form = new FormData()
  form.set('mode', mode)
  if (languageIdSource !== undefined) form.set('languageIdSource', languageIdSource)
  if (languageIdTarget !== undefined) form.set('languageIdTarget', languageIdTarget)
  if (receiveAudio !== undefined) form.set('receiveAudio', JSON.stringify(receiveAudio))
  for (const [name, value] of Object.entries(more)) form.set(name, value)
  const text = typeof file === 'string'
  const name = request.fileName ?? (text ? 'file.txt' : 'file.wav')
  const type = text ? 'text/plain' : 'application/octet-stream'
  form.set('file', new Blob([text ? file : Uint8Array.from(await audioBytes(file))], { type }), name)
  return form
}

/** Reads the reply at the documented paths; bytes in any JSON encoding. */
export function readBatchReply(payload: unknown, places: ResultPaths): BatchReply {
  const { text, translation } = readResult(payload, '', places)
  return { text, translation, audio: bytesAt(payload, places.audio), payload }
}

const DATA = ['file.data', 'audio.data']

function bytesAt(payload: unknown, places: readonly string[]): Uint8Array | undefined {
  for (const place of places) {
    let value = payload
    for (const name of place.split('.')) {
      const inside = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      value = inside ? (value as Record<string, unknown>)[name] : undefined
    }
    // The interface defines these as binary data; elsewhere a word could be mistaken for base64.
    const bytes = DATA.includes(place) ? replyBytes(value) : encodedAudio(value, true, false)
    if (bytes) return bytes
  }
  return undefined
}
