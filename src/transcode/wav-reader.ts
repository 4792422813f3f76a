import {
  chunkId,
  FORMAT_BYTES,
  isWav,
  mayBeWav,
  rawFormat,
  WAV_START_BYTES,
  WavError,
  type WavFormat,
  wavFormat,
} from './wav-format.ts'

/** Audio in one format, encoded, in the bytes just pushed. */
export interface WavAudio {
  readonly format: WavFormat
  readonly view: DataView
  /** Offset of its first byte in `view`. */
  readonly at: number
  /** Number of bytes. */
  readonly bytes: number
}

const HEADER_BYTES = 8
/** Sizes from here on are placeholders for an unknown one: 0xFFFFFFFF, or the largest signed number, or nearly. */
const UNKNOWN_SIZE = 0x7fff_0000
const LONG_SIZE = 0xffff_ffff
/** Bytes of the chunk `ds64` up to the end of the size of the audio. */
const LONG_SIZES_BYTES = 16
/** Missing audio that is accepted (s): some writers count their header. */
const TOLERANCE_S = 0.1
/**
 * Maximum number of chunks, and of bytes of audio that allow another one. Ordinary files have fewer than twenty; millions
 * of empty ones only cost time.
 */
const MAX_CHUNKS = 1_000
const BYTES_PER_CHUNK = 64
/** Maximum size of a chunk after audio of size 0, which would otherwise be taken for audio. */
const PLAUSIBLE_BYTES = 1 << 24

const LETTER_R = 0x52
const NO_BYTES = new Uint8Array(0)
/** `step` needs more bytes. */
const WAIT = -1

/**
 * Reads WAV files (Microsoft, "Multiple channel audio data and WAVE files"; RF64, EBU Tech 3306) as they arrive, in pieces
 * of any size: uploads, the voices of services and the output of engines. The audio does not depend on how the bytes are cut.
 *
 * After the announced bytes of audio, chunks follow, which are never audio. The start of another file is found anywhere,
 * also within audio whose size is unknown or too large; its audio follows. A push costs time in proportion to its bytes,
 * so that callers bound their work by the size of the pieces. The reader holds back a few bytes, or a block of ADPCM.
 */
export class WavReader {
  readonly #raw: WavFormat | undefined
  #state: 'start' | 'join' | 'chunk' | 'padding' | 'format' | 'sizes' | 'empty' | 'skip' | 'audio' | 'lost'
  #held: Uint8Array = NO_BYTES
  #format: WavFormat | undefined
  /** Size of the current chunk. */
  #size = 0
  /** Its bytes still to come; infinite if unknown. */
  #left = 0
  /** Size of the audio by `ds64`. */
  #longSize = Number.POSITIVE_INFINITY
  #files = 0
  #chunks = 0
  #audioBytes = 0
  /** The current file, and any file, has had a data chunk. */
  #hadAudio = false
  /** It started in the current result. */
  #begun = false
  #anyAudio = false
  #ended = false
  readonly #onFault: (error: WavError) => void

  /**
   * `rawRate`: linear16 without a header is also accepted, at the start, and as a result after a whole file, then in its
   * format (Hz). Without it, the bytes must be a WAV. `onFault` receives each unreadable file, whose bytes are ignored up
   * to the next one; by default, `push` and `end` throw the error.
   */
  constructor(rawRate?: number, onFault = thrown) {
    this.#raw = rawRate === undefined ? undefined : rawFormat(rawRate)
    this.#state = this.#raw ? 'join' : 'start'
    this.#onFault = onFault
  }

  /** Format of the audio read last, or that follows; undefined before. */
  get format(): WavFormat | undefined {
    return this.#format
  }

  /** Bytes of audio announced by the header that have not arrived; 0 if it did not announce any. */
  get missingBytes(): number {
    const waiting = this.#state === 'audio' ? this.#left - this.#held.length : 0
    return Number.isFinite(waiting) ? Math.max(0, waiting) : 0
  }

  /** True if there was audio, and at most 100 ms of it are missing. */
  get complete(): boolean {
    return this.#anyAudio && this.missingBytes <= (this.#format?.byteRate ?? 0) * TOLERANCE_S
  }

  /**
   * The next bytes start a result of a service. It can continue a file that the last result contained up to the end of its
   * announced audio: some services announce the length of a piece.
   */
  begin(): void {
    const whole = this.#begun && this.#hadAudio && (this.#state === 'chunk' || this.#state === 'padding')
    if (this.#raw && whole && this.#held.length === 0) this.#state = 'join'
    this.#begun = false
  }

  /** Reads more bytes. Returns the audio in them, in order, valid as long as `bytes`. */
  push(bytes: Uint8Array): WavAudio[] {
    return this.#read(this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]))
  }

  /** No more bytes follow. Returns the rest of the audio. A WAV without a data chunk is a fault. */
  end(): WavAudio[] {
    this.#ended = true
    const rest = this.#read(this.#held)
    if (this.#state === 'start') this.#onFault(notWav(NO_BYTES))
    else if (!this.#raw && !this.#anyAudio && this.#state !== 'lost')
      this.#onFault(
        new WavError(
          'NO_DATA',
          this.#format ? 'the file has no data chunk' : 'the file has neither fmt nor data chunk',
        ),
      )
    return rest
  }

  #read(data: Uint8Array): WavAudio[] {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    const found: WavAudio[] = []
    let at = 0
    for (let next = 0; next !== WAIT && !(next === data.length && this.#ended); ) {
      at = next
      try {
        next = this.#step(data, view, at, found)
      } catch (error) {
        if (!(error instanceof WavError)) throw error
        this.#lose()
        this.#onFault(error)
      }
    }
    this.#held = at < data.length && !this.#ended ? data.slice(at) : NO_BYTES
    return found
  }

  /** Reads the next element at `at`; returns the position after it, or {@link WAIT}. */
  #step(data: Uint8Array, view: DataView, at: number, found: WavAudio[]): number {
    const there = data.length - at
    const short = (bytes: number) => there < bytes && !this.#ended
    switch (this.#state) {
      case 'start':
        if (short(WAV_START_BYTES)) return WAIT
        if (isWav(data, at)) return this.#open(at)
        throw notWav(data)
      case 'join':
        if (short(WAV_START_BYTES + 1)) return WAIT
        return this.#join(data, view, at)
      case 'padding':
        if (short(5)) return WAIT
        this.#state = 'chunk'
        // Some writers omit it.
        return there > 0 && (data[at] === 0 || !isId(view, at)) ? at + 1 : at
      case 'chunk':
        if (mayBeWav(data, at)) {
          if (short(WAV_START_BYTES)) return WAIT
          if (isWav(data, at)) return this.#open(at)
        }
        if (there < HEADER_BYTES) return this.#ended ? data.length : WAIT
        return this.#chunk(view, at)
      case 'format': {
        const bytes = Math.min(this.#size, FORMAT_BYTES)
        if (short(bytes)) return WAIT
        if (there < bytes) throw new WavError('NO_DATA', 'the file ends within its fmt chunk')
        this.#format = wavFormat(view, at, this.#size)
        return this.#skip(this.#size - bytes, at + bytes)
      }
      case 'sizes': {
        const bytes = Math.min(this.#size, LONG_SIZES_BYTES)
        if (there < bytes) return this.#ended ? data.length : WAIT
        if (bytes === LONG_SIZES_BYTES) this.#longSize = Number(view.getBigUint64(at + 8, true))
        return this.#skip(this.#size - bytes, at + bytes)
      }
      case 'empty':
        if (short(WAV_START_BYTES)) return WAIT
        this.#left = isWav(data, at) || isChunk(view, at) ? 0 : Number.POSITIVE_INFINITY
        this.#state = this.#left === 0 ? 'chunk' : 'audio'
        return at
      case 'skip':
      case 'audio':
      case 'lost':
        return this.#pass(data, view, at, found)
      default:
        return this.#state satisfies never
    }
  }

  #open(at: number): number {
    this.#countChunk()
    this.#files++
    this.#format = undefined
    this.#hadAudio = false
    this.#begun = true
    this.#longSize = Number.POSITIVE_INFINITY
    this.#state = 'chunk'
    return at + WAV_START_BYTES
  }

  /** A result starts here: another file, chunks of the last one, or audio without a header. */
  #join(data: Uint8Array, view: DataView, at: number): number {
    for (const start of data[at] === 0 ? [at, at + 1] : [at]) {
      if (isWav(data, start)) return this.#open(start)
      if (this.#files > 0 && isChunk(view, start)) {
        this.#state = 'chunk'
        return start
      }
    }
    this.#format ??= this.#raw
    this.#left = Number.POSITIVE_INFINITY
    this.#state = 'audio'
    return at
  }

  #chunk(view: DataView, at: number): number {
    const id = chunkId(view, at)
    this.#size = view.getUint32(at + 4, true)
    if (this.#hadAudio && !isId(view, at)) {
      this.#lose()
      return at
    }
    this.#countChunk()
    const body = at + HEADER_BYTES
    if (id === 'fmt ') {
      this.#state = 'format'
      return body
    }
    if (id === 'ds64') {
      this.#state = 'sizes'
      return body
    }
    if (id !== 'data') return this.#skip(this.#size, body)
    if (!this.#format) throw new WavError('NO_FORMAT', 'the data chunk precedes the fmt chunk')
    this.#hadAudio = true
    this.#anyAudio = true
    this.#state = this.#size === 0 ? 'empty' : 'audio'
    if (this.#size === LONG_SIZE && this.#longSize > 0) this.#left = this.#longSize
    else this.#left = this.#size < UNKNOWN_SIZE ? this.#size : Number.POSITIVE_INFINITY
    return body
  }

  #countChunk(): void {
    this.#chunks++
    if (this.#chaotic) throw new WavError('BAD_FORMAT', `the WAV has more than ${MAX_CHUNKS} chunks`)
  }

  get #chaotic(): boolean {
    return this.#chunks > MAX_CHUNKS + this.#audioBytes / BYTES_PER_CHUNK
  }

  #skip(bytes: number, at: number): number {
    this.#left = bytes
    this.#state = 'skip'
    return at
  }

  #lose(): void {
    this.#left = Number.POSITIVE_INFINITY
    this.#state = 'lost'
  }

  /** Passes bytes of audio, of a chunk, or of nothing known, up to their end or the start of another file. */
  #pass(data: Uint8Array, view: DataView, at: number, found: WavAudio[]): number {
    const end = Math.min(at + this.#left, data.length)
    const file = this.#chaotic ? end : fileFrom(data, at, end)
    const another = file < end && isWav(data, file)
    if (another && file === at) return this.#open(at)
    // What looks like the start of a file can only be judged with more bytes.
    const to = another || !this.#ended ? file : end
    const closes = another || this.#ended || to === at + this.#left
    const taken = this.#state === 'audio' ? this.#audio(view, at, to, closes, found) : to - at
    this.#left -= taken
    if (this.#left === 0) this.#state = this.#size % 2 === 1 ? 'padding' : 'chunk'
    else if (taken === 0) return WAIT
    return at + taken
  }

  /** Finds the audio between `at` and `to`. Returns the number of bytes used: whole blocks, or all if it ends there. */
  #audio(view: DataView, at: number, to: number, closes: boolean, found: WavAudio[]): number {
    const format = this.#format!
    const bytes = closes ? to - at : to - at - ((to - at) % format.blockBytes)
    if (format.samples(bytes) > 0) found.push({ format, view, at, bytes })
    this.#audioBytes += bytes
    return bytes
  }
}

/** Returns the first position from `at` on at which a file starts, as far as there are bytes to tell; else `end`. */
function fileFrom(data: Uint8Array, at: number, end: number): number {
  for (
    let from = data.indexOf(LETTER_R, at);
    from >= 0 && from < end;
    from = data.indexOf(LETTER_R, from + 1)
  )
    if (data[from + 1] !== LETTER_R && mayBeWav(data, from)) return from
  return end
}

/** True if a chunk can start at `at`: its name consists of ASCII letters, as far as there are bytes. */
function isId(view: DataView, at: number): boolean {
  for (let n = at; n < Math.min(at + 4, view.byteLength); n++) {
    const letter = view.getUint8(n)
    if (letter < 0x20 || letter > 0x7e) return false
  }
  return at < view.byteLength
}

/** True if a chunk starts at `at` in place of audio. */
function isChunk(view: DataView, at: number): boolean {
  return (
    at + HEADER_BYTES <= view.byteLength && isId(view, at) && view.getUint32(at + 4, true) < PLAUSIBLE_BYTES
  )
}

function notWav(data: Uint8Array): WavError {
  return new WavError('NOT_WAV', `expected a WAV file (RIFF, a size and WAVE), got ${printable(data)}`)
}

function thrown(error: WavError): void {
  throw error
}

function printable(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'nothing'
  return JSON.stringify(String.fromCharCode(...bytes.subarray(0, 12)).replace(/[^ -~]/g, '.'))
}
