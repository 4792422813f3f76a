import { MPEGDecoder } from 'mpg123-decoder'
import { saturate } from '../pcm.ts'

/**
 * libmpg123 as WebAssembly (package `mpg123-decoder`). It finds frames, skips other bytes, and trims what the encoder added if
 * the LAME tag of the file declares it.
 *
 * The functions below the package's class are used, and its version is pinned. No other package with a streaming decoder is
 * maintained, and the class does not fit a server: each object takes 1.2 MiB and reserves 8 GiB of addresses, resetting it for
 * the next utterance takes 2.5 ms of the thread, as long as decoding five seconds of speech, and damaged input makes it
 * print to the console. Here a decoder takes 0.4 MiB of a memory that many share, and 70 µs to create.
 */

/** A memory has room for 38 decoders; a failed creation leaves it unusable, hence the margin. */
const DECODERS_PER_MEMORY = 32
/** Maximum number of memories: 2 560 decoders in 1.25 GiB. Further voices wait. */
const MOST_MEMORIES = 80
/** Room made in advance, so that few voices wait for it. */
const SPARE = 8
/** Calls in a row without sound after which a decoder is reset. */
const MOST_ERRORS = 16
/**
 * Bytes in a row without sound after which a decoder is reset (the longest frame has 1441). Otherwise libmpg123 keeps the bytes
 * in which it searches the second frame of a "free" bitrate, and searches them again with each slice: 0.5 s for 2 KiB.
 */
const MOST_SILENT_BYTES = 8_192

/** Result of libmpg123 (mpg123.h, enum mpg123_errors). */
const NEED_MORE = -10

/** The parts of `mpg123-decoder` used here; `open` checks that they exist. */
interface Internals {
  readonly ready: Promise<void>
  readonly _common: {
    readonly wasm: {
      mpeg_frame_decoder_create(handle: number, gapless: number): number
      mpeg_frame_decoder_destroy(decoder: number): void
      mpeg_decoder_feed(decoder: number, input: number, length: number): number
      mpeg_decoder_read(
        decoder: number,
        output: number,
        outputFloats: number,
        samplesMade: number,
        rate: number,
        errorText: number,
      ): number
    }
    allocateTypedArray(length: number, type: Uint32ArrayConstructor): Cell
  }
  readonly _input: { readonly ptr: number; readonly buf: Uint8Array }
  readonly _output: { readonly ptr: number; readonly len: number; readonly buf: Float32Array }
  readonly _samplesDecodedPtr: Cell
  readonly _sampleRatePtr: Cell
  readonly _errorStringPtr: Cell
}

/** One number inside the memory. */
interface Cell {
  readonly ptr: number
  readonly buf: Uint32Array
}

/** One instance of the module, and the decoders in it. */
class DecoderMemory {
  decoders = 0
  readonly #internals: Internals
  readonly #handle: Cell

  private constructor(internals: Internals) {
    this.#internals = internals
    this.#handle = internals._common.allocateTypedArray(1, Uint32Array)
  }

  static async open(): Promise<DecoderMemory> {
    const internals = new MPEGDecoder() as unknown as Internals
    await internals.ready
    if (typeof internals._common?.wasm?.mpeg_decoder_read !== 'function' || !internals._input?.buf.length)
      throw new TypeError('this version of mpg123-decoder is not supported, expected 1.0.3')
    return new DecoderMemory(internals)
  }

  create(): number {
    const error = this.#internals._common.wasm.mpeg_frame_decoder_create(this.#handle.ptr, 1)
    if (error !== 0) throw new RangeError(`a decoder could not be made: libmpg123 says ${error}`)
    return this.#handle.buf[0]!
  }

  destroy(decoder: number): void {
    this.#internals._common.wasm.mpeg_frame_decoder_destroy(decoder)
  }

  feed(decoder: number, bytes: Uint8Array): number {
    const { _common, _input } = this.#internals
    _input.buf.set(bytes)
    return _common.wasm.mpeg_decoder_feed(decoder, _input.ptr, bytes.length)
  }

  /** Reads what can be decoded; `result` is that of libmpg123. */
  read(decoder: number): { readonly result: number; readonly pcm: Int16Array; readonly rate: number } {
    const { _common, _output, _samplesDecodedPtr, _sampleRatePtr, _errorStringPtr } = this.#internals
    _samplesDecodedPtr.buf[0] = 0
    const result = _common.wasm.mpeg_decoder_read(
      decoder,
      _output.ptr,
      _output.len,
      _samplesDecodedPtr.ptr,
      _sampleRatePtr.ptr,
      _errorStringPtr.ptr,
    )
    return { result, pcm: mono(_output.buf, _samplesDecodedPtr.buf[0]!), rate: _sampleRatePtr.buf[0]! }
  }
}

let samples = new Int16Array(0)

/** Mixes `count` samples of both channels, the left ones first: valid until the next call. */
function mono(floats: Float32Array, count: number): Int16Array {
  if (samples.length < count) samples = new Int16Array(count)
  // Damage can produce NaN.
  for (let i = 0; i < count; i++) samples[i] = saturate((floats[i]! + floats[i + count]!) * 16_384 || 0)
  return samples.subarray(0, count)
}

const memories: DecoderMemory[] = []
let growing: Promise<void> | undefined
let freed = Promise.withResolvers<void>()

const room = () => memories.length * DECODERS_PER_MEMORY - mp3DecodersInUse()

function grow(): Promise<void> {
  growing ??= DecoderMemory.open()
    .then(memory => void memories.push(memory))
    .finally(() => {
      growing = undefined
    })
  return growing
}

/** Number of decoders that were created and not freed. */
export function mp3DecodersInUse(): number {
  return memories.reduce((sum, { decoders }) => sum + decoders, 0)
}

/** Resolves when a decoder can be created. Rejects if WebAssembly is not available, or no memory. */
export async function mp3Ready(): Promise<void> {
  while (room() === 0) await (memories.length < MOST_MEMORIES ? grow() : freed.promise)
}

/** Receives samples of `rate` Hz, mono, valid only during the call. */
export type OnMp3 = (pcm: Int16Array, rate: number) => void

/** Decodes one mp3 as it arrives; the sound does not depend on how its bytes are cut. */
export class Mp3Decoder {
  readonly #memory: DecoderMemory
  #decoder: number
  #silentBytes = 0
  #freed = false

  private constructor(memory: DecoderMemory) {
    this.#memory = memory
    this.#decoder = memory.create()
    memory.decoders++
  }

  /** Returns undefined if there is no room: await `mp3Ready`. The caller frees the decoder. */
  static create(): Mp3Decoder | undefined {
    const memory = memories.find(({ decoders }) => decoders < DECODERS_PER_MEMORY)
    // The next `mp3Ready` reports a failure.
    if (room() <= SPARE && memories.length < MOST_MEMORIES) grow().catch(() => {})
    return memory && new Mp3Decoder(memory)
  }

  /** Decodes at most 64 KiB: 2 KiB in less than half a millisecond. */
  decode(bytes: Uint8Array, onPcm: OnMp3): void {
    let result = this.#memory.feed(this.#decoder, bytes)
    this.#silentBytes += bytes.length
    for (let errors = 0; result !== NEED_MORE && errors <= MOST_ERRORS; ) {
      const made = this.#memory.read(this.#decoder)
      result = made.result
      errors = made.pcm.length > 0 ? 0 : errors + 1
      if (made.pcm.length === 0) continue
      this.#silentBytes = 0
      onPcm(made.pcm, made.rate)
      if (this.#freed) return
    }
    if (result !== NEED_MORE || this.#silentBytes >= MOST_SILENT_BYTES) this.reset()
  }

  /** Starts a new file. */
  reset(): void {
    this.#memory.destroy(this.#decoder)
    this.#decoder = this.#memory.create()
    this.#silentBytes = 0
  }

  /** Idempotent; the decoder must not be used afterwards. */
  free(): void {
    if (this.#freed) return
    this.#freed = true
    this.#memory.destroy(this.#decoder)
    this.#memory.decoders--
    // After a peak, memory is returned.
    if (this.#memory.decoders === 0 && room() > 2 * DECODERS_PER_MEMORY)
      memories.splice(memories.indexOf(this.#memory), 1)
    freed.resolve()
    freed = Promise.withResolvers()
  }
}
