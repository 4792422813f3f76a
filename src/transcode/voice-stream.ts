import { audioKind, beginsMp3, TELLING_BYTES } from './container/audio-kind.ts'
import type { Mp3Pool } from './mp3/decoder-pool.ts'
import { Mp3Stream } from './mp3/stream.ts'
import { concat, SAMPLE_RATE } from './pcm.ts'
import { type AudioRun, PcmStream } from './pcm-stream.ts'
import { isWav, wavCoding } from './wav-format.ts'
import type { WavPlace } from './wav-reader.ts'

/** Number of bytes from which headerless samples are detected: 32 ms at 16 kHz. */
const PCM_BYTES = 1_024
/** Number of bytes of a WAV within which its format follows, even after titles. */
const WAV_BYTES = 65_536

/** Format of a voice: mp3, or samples, with or without a header. */
export type VoiceFormat = 'mp3' | 'samples'

/** Where a voice starts in the middle: a frame of mp3, or a place among samples. */
export type VoiceStart = 'mp3' | WavPlace

/** Counters of the input and its processing. */
export interface VoiceStats {
  /** Audio frames. */
  readonly frames: number
  /** Bytes that were not audio. */
  readonly invalidBytes: number
}

interface VoiceResult {
  readonly format: VoiceFormat | undefined
  readonly framesPassed: number
  readonly runs: readonly AudioRun[]
  readonly stats: VoiceStats
}

/**
 * Speech in any supported format in, 16 kHz mono out: mp3 is requested, but some servers send WAV files or headerless
 * samples. The format is detected from the first bytes; unknown data goes to the mp3 decoder, which also finds frames
 * after other bytes.
 */
export class VoiceStream {
  readonly #pool: Mp3Pool
  readonly #onPcm: (pcm: Int16Array) => void
  readonly #start: VoiceStart | undefined
  readonly #rate: number | undefined
  /** Input received before the format is known. */
  #held: { readonly bytes: Uint8Array; readonly begins: boolean }[] = []
  #stream: Mp3Stream | PcmStream | undefined
  /** Result of a closed stream, kept instead of its larger buffers. */
  #result: VoiceResult | undefined
  #ended = false
  #closed = false

  /**
   * Like `Mp3Stream`. `rate`: of headerless samples, if the service reports it (Hz). `start`: of input that starts in the
   * middle of a voice.
   */
  constructor(pool: Mp3Pool, onPcm: (pcm: Int16Array) => void, rate?: number, start?: VoiceStart) {
    this.#pool = pool
    this.#onPcm = onPcm
    this.#rate = rate
    this.#start = start
  }

  /** The format, once known. */
  get format(): VoiceFormat | undefined {
    if (this.#stream) return this.#stream instanceof Mp3Stream ? 'mp3' : 'samples'
    return this.#result?.format
  }

  /** The audio of samples so far, by positions in the input. */
  get runs(): readonly AudioRun[] {
    return (this.#stream instanceof PcmStream ? this.#stream : this.#result)?.runs ?? []
  }

  /** Number of frames decoded; of mp3, also of those without sound. */
  get framesPassed(): number {
    return (this.#stream ?? this.#result)?.framesPassed ?? 0
  }

  /** Length of the samples waiting, with `more` bytes of them that follow (ms); 0 for mp3, or if unknown. */
  leftMs(more: number): number {
    return this.#stream instanceof PcmStream ? this.#stream.leftMs(more) : 0
  }

  get stats(): VoiceStats {
    return (this.#stream ?? this.#result)?.stats ?? { frames: 0, invalidBytes: 0 }
  }

  /**
   * Accepts the audio of one result, a file or a piece; keeps a copy and decodes nothing yet. `begins`: false if it
   * continues the last result.
   */
  write(bytes: Uint8Array, begins = true): void {
    if (this.#closed || bytes.length === 0) return
    if (this.#stream) {
      if (begins) this.#stream.begin()
      this.#stream.write(bytes)
      return
    }
    this.#held.push({ bytes: bytes.slice(), begins })
    this.#recognize()
  }

  /** Returns the decoder to the pool until the next `decode`, as {@link Mp3Stream.park}. */
  park(): void {
    if (this.#stream instanceof Mp3Stream) this.#stream.park()
  }

  /** Like `Mp3Stream`. */
  decode(maxFrames: number = Infinity): 'idle' | 'more' | 'waiting' {
    return this.#stream?.decode(maxFrames) ?? 'idle'
  }

  /** Ends the input. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#recognize()
    this.#stream?.end()
  }

  /** Drops everything and returns the decoder. Idempotent. */
  close(): void {
    this.#closed = true
    this.#held = []
    if (!this.#stream) return
    this.#stream.close()
    const { format, framesPassed, runs, stats } = this
    this.#result = { format, framesPassed, runs, stats }
    this.#stream = undefined
  }

  #recognize(): void {
    if (this.#stream || this.#held.length === 0) return
    const bytes =
      this.#held.length === 1 ? this.#held[0]!.bytes : Buffer.concat(this.#held.map(({ bytes }) => bytes))
    const start = this.#start
    const format = start === 'mp3' ? 'mp3' : start ? 'samples' : this.#formatOf(bytes)
    if (!format) return
    this.#stream =
      format === 'mp3'
        ? new Mp3Stream(this.#pool, this.#onPcm)
        : new PcmStream(this.#onPcm, typeof start === 'object' ? start : this.#rate)
    for (const held of this.#held.splice(0)) {
      if (held.begins) this.#stream.begin()
      this.#stream.write(held.bytes)
    }
  }

  /** Undefined if more bytes are needed. */
  #formatOf(bytes: Uint8Array): VoiceFormat | undefined {
    const wav = isWav(bytes)
    // A WAV can contain mp3, which its format chunk tells.
    if (wav && wavCoding(bytes) === undefined && bytes.length < WAV_BYTES && !this.#ended) return undefined
    const known = wav || beginsMp3(bytes) || bytes.length >= TELLING_BYTES || this.#ended
    if (!known && bytes.length < PCM_BYTES) return undefined
    const kind = audioKind(bytes)
    if (kind === 'wav' || kind === 'pcm') return 'samples'
    return kind || known ? 'mp3' : undefined
  }
}

/** mp3 frames decoded before yielding to the event loop. */
const FRAMES = 100

type OnPcm = (pcm: Int16Array) => void

/**
 * Decodes all of `bytes` to 16 kHz mono; empty if there is no audio. For audio that is not live: yields to the event
 * loop. Stops soon after `maxSeconds` of audio.
 */
export function decodeMp3(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  return whole(bytes, pool, maxSeconds, onPcm => new Mp3Stream(pool, onPcm))
}

/** Does the same for a response of a service, which can also be a WAV file or headerless samples. */
export function wholeVoice(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds = Number.POSITIVE_INFINITY,
): Promise<Int16Array> {
  return whole(bytes, pool, maxSeconds, onPcm => new VoiceStream(pool, onPcm))
}

async function whole(
  bytes: Uint8Array,
  pool: Mp3Pool,
  maxSeconds: number,
  open: (onPcm: OnPcm) => Mp3Stream | VoiceStream,
): Promise<Int16Array> {
  await pool.ready(1)
  const pieces: Int16Array[] = []
  let samples = 0
  const stream = open(pcm => {
    samples += pcm.length
    pieces.push(pcm.slice())
  })
  try {
    stream.write(bytes)
    stream.end()
    while (stream.decode(FRAMES) !== 'idle' && samples < maxSeconds * SAMPLE_RATE)
      await new Promise(setImmediate)
    return concat(pieces)
  } finally {
    stream.close()
  }
}
