import type { Mp3Backend, Mp3Decoder } from './decoder.ts'
import { Mp3Samples } from './decoder.ts'
import { MP3_FRAME_BYTES, MP3_FRAME_SAMPLES, type Mp3Header } from './header.ts'

/**
 * The system's libmpg123 (Debian: `libmpg123-0`), called through koffi. For 16 kHz mp3 it takes half the CPU of the
 * WebAssembly version, 0.20 instead of 0.48 ms per second of audio, and about the same memory (`bench/transcode.ts`).
 * It works in the memory of the process, though: a bug of the library triggered by malicious bytes is a fault of the
 * process. So it receives one frame at a time, each with a header validated here, and of one format between resets.
 */

const NAMES = ['libmpg123.so.0', 'libmpg123.0.dylib', 'libmpg123-0.dll']

// mpg123.h: enum mpg123_parms, mpg123_param_flags, mpg123_errors.
const FLAGS = 1
const INDEX_SIZE = 15
const MONO_MIX = 0x4
const QUIET = 0x20
/** Only floats show how far damage exceeds full scale. */
const FORCE_FLOAT = 0x400
const IGNORE_INFO_FRAME = 0x4000
/** Without it, a frame is decoded only after the next one has arrived. */
const NO_READAHEAD = 0x40_0000
/** A format change without a reset is an error. */
const NO_FRANKENSTEIN = 0x100_0000
const NEED_MORE = -10
const NEW_FORMAT = -11

/** Address of a decoder of the library. */
type Handle = bigint

interface Library {
  create(decoder: null, error: Int32Array): Handle | null
  param(handle: Handle, type: number, value: number, float: number): number
  openFeed(handle: Handle): number
  decode(
    handle: Handle,
    input: Uint8Array | null,
    inputBytes: number,
    output: Float32Array,
    outputBytes: number,
    bytesMade: Uint32Array,
  ): number
  format(handle: Handle, rate: Int32Array, channels: Int32Array, encoding: Int32Array): number
  destroy(handle: Handle): void
}

// Buffers for the current frame, shared by all decoders. The room for a second frame reveals an unexpected one.
const input = new Uint8Array(MP3_FRAME_BYTES)
const output = new Float32Array(2 * MP3_FRAME_SAMPLES)
const samples = new Mp3Samples()
/** A size_t, of which only the lower half is needed. */
const bytesMade = new Uint32Array(2)
// Each a long or an int.
const rate = new Int32Array(2)
const channels = new Int32Array(2)
const encoding = new Int32Array(2)

/** mp3 decoding by the installed libmpg123: half the CPU of WebAssembly. */
export class Mp3Native implements Mp3Backend {
  readonly name = 'native'
  readonly room = Number.POSITIVE_INFINITY
  #library: Library

  private constructor(library: Library) {
    this.#library = library
  }

  /** Loads the library; undefined if it, or koffi, is missing or unusable. */
  static async open(): Promise<Mp3Native | undefined> {
    try {
      const { default: koffi } = await import('koffi')
      for (const name of NAMES) {
        try {
          return new Mp3Native(bind(koffi.load(name)))
        } catch {
          // The next name belongs to another system.
        }
      }
    } catch {
      // koffi is not available on this machine.
    }
    return undefined
  }

  async grow(): Promise<void> {}

  create(): Mp3Decoder {
    return new NativeDecoder(this.#library)
  }
}

function bind(library: import('koffi').LibraryHandle): Library {
  library.func('int mpg123_init()')()
  return {
    create: library.func('void *mpg123_new(const char *decoder, int *error)'),
    param: library.func('int mpg123_param(void *handle, int type, long value, double float)'),
    openFeed: library.func('int mpg123_open_feed(void *handle)'),
    decode: library.func(
      'int mpg123_decode(void *handle, const uint8_t *in, size_t bytes, float *out, size_t room, uint32_t *made)',
    ),
    format: library.func(
      'int mpg123_getformat(void *handle, int32_t *rate, int32_t *channels, int32_t *encoding)',
    ),
    destroy: library.func('void mpg123_delete(void *handle)'),
  }
}

class NativeDecoder implements Mp3Decoder {
  #library: Library
  #handle: Handle
  #format: Mp3Header | undefined
  #freed = false

  constructor(library: Library) {
    this.#library = library
    const error = new Int32Array(1)
    const handle = library.create(null, error)
    if (!handle) throw new RangeError(`a decoder could not be made: libmpg123 says ${error[0]}`)
    this.#handle = handle
    const flags = MONO_MIX | QUIET | FORCE_FLOAT | IGNORE_INFO_FRAME | NO_READAHEAD | NO_FRANKENSTEIN
    library.param(handle, FLAGS, flags, 0)
    library.param(handle, INDEX_SIZE, 0, 0)
    library.openFeed(handle)
  }

  get peak(): number {
    return samples.peak
  }

  decode(bytes: Uint8Array, at: number, header: Mp3Header): Int16Array | undefined {
    for (let i = 0; i < header.bytes; i++) input[i] = bytes[at + i]!
    let result = this.#read(input, header.bytes)
    // A new format is reported without samples; a second call returns them.
    if (result === NEW_FORMAT) result = bytesMade[0] === 0 ? this.#read(null, 0) : NEED_MORE
    const whole =
      (result === NEED_MORE || result === 0) && bytesMade[0] === header.samples * output.BYTES_PER_ELEMENT
    if (whole && this.#hasRate(header)) return samples.take(output, header.samples, 0)
    this.reset()
    return undefined
  }

  reset(): void {
    this.#format = undefined
    this.#library.openFeed(this.#handle)
  }

  free(): void {
    if (this.#freed) return
    this.#freed = true
    this.#library.destroy(this.#handle)
  }

  #read(bytes: Uint8Array | null, length: number): number {
    return this.#library.decode(this.#handle, bytes, length, output, output.byteLength, bytesMade)
  }

  /** True if the library reports the rate of the header; checked once per format. */
  #hasRate(header: Mp3Header): boolean {
    if (this.#format?.rate === header.rate) return true
    this.#library.format(this.#handle, rate, channels, encoding)
    this.#format = header
    return rate[0] === header.rate && channels[0] === 1
  }
}
