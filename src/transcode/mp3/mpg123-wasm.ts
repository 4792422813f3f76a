import { MPEGDecoder } from 'mpg123-decoder'
import type { Mp3Backend, Mp3Decoder } from './decoder.ts'
import { Mp3Samples } from './decoder.ts'
import { MP3_FRAME_BYTES, MP3_FRAME_SAMPLES, type Mp3Header } from './header.ts'

/**
 * libmpg123 as WebAssembly, from the package `mpg123-decoder`: works everywhere. The functions below the package's own
 * class are used, because the class keeps one decoder in each 16 MiB of memory (and 8 GiB of address space), returns
 * three copies of each result, prints every error, and retries indefinitely after a permanent one. One memory has room
 * for 38 decoders, though, and they can be created and dropped at any time, which takes about 70 µs and also serves to
 * reset a decoder. A failed creation leaves the memory unusable, hence the margin.
 */

const DECODERS_PER_MEMORY = 32
/** Maximum number of read calls per frame: one for a new format, one for the samples, and two spare ones. */
const READS_PER_FRAME = 4

// Results of libmpg123 (mpg123.h, enum mpg123_errors).
const NEED_MORE = -10
const NEW_FORMAT = -11

/** The parts of `mpg123-decoder` used here; its version is pinned, and `open` checks that they exist. */
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

/** The last decoded frame, shared by all decoders. */
const samples = new Mp3Samples()

/** mp3 decoding by WebAssembly, on all platforms of Node.js. */
export class Mp3Wasm implements Mp3Backend {
  readonly name = 'wasm'
  #memories: Memory[] = []

  get room(): number {
    return this.#memories.reduce((room, memory) => room + DECODERS_PER_MEMORY - memory.decoders, 0)
  }

  async grow(): Promise<void> {
    this.#memories.push(await Memory.open())
  }

  create(): Mp3Decoder {
    const memory = this.#memories.find(each => each.decoders < DECODERS_PER_MEMORY)
    if (!memory)
      throw new RangeError(`all ${this.#memories.length} memories hold ${DECODERS_PER_MEMORY} decoders`)
    return new WasmDecoder(memory)
  }
}

/** One instance of the module, and the decoders in it. */
class Memory {
  decoders = 0
  #internals: Internals
  #handle: Cell

  private constructor(internals: Internals) {
    this.#internals = internals
    this.#handle = internals._common.allocateTypedArray(1, Uint32Array)
  }

  static async open(): Promise<Memory> {
    const internals = new MPEGDecoder({ enableGapless: false }) as unknown as Internals
    await internals.ready
    const usable =
      internals._input?.buf.length >= MP3_FRAME_BYTES &&
      internals._output?.len >= 2 * MP3_FRAME_SAMPLES &&
      typeof internals._common?.wasm?.mpeg_decoder_read === 'function'
    if (!usable) throw new TypeError('this version of mpg123-decoder is not supported, expected 1.0.3')
    return new Memory(internals)
  }

  open(): number {
    const error = this.#internals._common.wasm.mpeg_frame_decoder_create(this.#handle.ptr, 0)
    if (error !== 0) throw new RangeError(`a decoder could not be made: libmpg123 says ${error}`)
    return this.#handle.buf[0]!
  }

  close(decoder: number): void {
    this.#internals._common.wasm.mpeg_frame_decoder_destroy(decoder)
  }

  /** Feeds one frame and reads its samples; undefined if the result is not exactly one frame. */
  decode(decoder: number, bytes: Uint8Array, at: number, header: Mp3Header): Int16Array | undefined {
    const { _common, _input, _output, _samplesDecodedPtr, _sampleRatePtr, _errorStringPtr } = this.#internals
    const { wasm } = _common
    for (let i = 0; i < header.bytes; i++) _input.buf[i] = bytes[at + i]!
    const fed = wasm.mpeg_decoder_feed(decoder, _input.ptr, header.bytes)
    if (fed !== 0 && fed !== NEED_MORE) return undefined
    const made = _samplesDecodedPtr.buf
    for (let read = 0; read < READS_PER_FRAME; read++) {
      made[0] = 0
      const result = wasm.mpeg_decoder_read(
        decoder,
        _output.ptr,
        _output.len,
        _samplesDecodedPtr.ptr,
        _sampleRatePtr.ptr,
        _errorStringPtr.ptr,
      )
      if (result === NEW_FORMAT && made[0] === 0) continue
      if (result !== NEED_MORE && result !== 0) return undefined
      if (made[0] !== header.samples || _sampleRatePtr.buf[0] !== header.rate) return undefined
      return samples.take(_output.buf, header.samples, header.samples)
    }
    return undefined
  }
}

class WasmDecoder implements Mp3Decoder {
  #memory: Memory
  #decoder: number
  #freed = false

  constructor(memory: Memory) {
    this.#memory = memory
    this.#decoder = memory.open()
    memory.decoders++
  }

  get peak(): number {
    return samples.peak
  }

  decode(bytes: Uint8Array, at: number, header: Mp3Header): Int16Array | undefined {
    const pcm = this.#memory.decode(this.#decoder, bytes, at, header)
    if (!pcm) this.reset()
    return pcm
  }

  reset(): void {
    this.#memory.close(this.#decoder)
    this.#decoder = this.#memory.open()
  }

  free(): void {
    if (this.#freed) return
    this.#freed = true
    this.#memory.close(this.#decoder)
    this.#memory.decoders--
  }
}
