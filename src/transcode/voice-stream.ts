import { audioKind, beginsMp3, isWav, TELLING_BYTES } from './container/audio-kind.ts'
import type { Mp3Pool } from './mp3/decoder-pool.ts'
import { Mp3Stream } from './mp3/stream.ts'
import { concat, SAMPLE_RATE } from './pcm.ts'
import { PcmStream } from './pcm-stream.ts'
import type { WavFormat } from './wav.ts'

/** Number of bytes from which headerless samples are detected: 32 ms at 16 kHz. */
const PCM_BYTES = 1_024

/** Format of a voice: mp3, or that of its samples. */
export type VoiceFormat = 'mp3' | WavFormat

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
  readonly #format: VoiceFormat | undefined
  readonly #rate: number | undefined
  /** Input received before the format is known. */
  #held: { readonly bytes: Uint8Array; readonly begins: boolean }[] = []
  #stream: Mp3Stream | PcmStream | undefined
  /** Result of a closed stream, kept instead of its larger buffers. */
  #result: VoiceResult | undefined
  #ended = false
  #closed = false

  /**
   * Like `Mp3Stream`. `rate`: of headerless samples, if the service reports it (Hz). `format`: of input that starts in
   * the middle of a voice.
   */
  constructor(pool: Mp3Pool, onPcm: (pcm: Int16Array) => void, rate?: number, format?: VoiceFormat) {
    this.#pool = pool
    this.#onPcm = onPcm
    this.#rate = rate
    this.#format = format
  }

  /** The format, once known. */
  get format(): VoiceFormat | undefined {
    return this.#stream instanceof Mp3Stream ? 'mp3' : (this.#stream ?? this.#result)?.format
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
    const { format, framesPassed, stats } = this
    this.#result = { format, framesPassed, stats }
    this.#stream = undefined
  }

  #recognize(): void {
    if (this.#stream || this.#held.length === 0) return
    const bytes =
      this.#held.length === 1 ? this.#held[0]!.bytes : Buffer.concat(this.#held.map(({ bytes }) => bytes))
    const known = isWav(bytes) || beginsMp3(bytes) || bytes.length >= TELLING_BYTES || this.#ended
    const kind = !this.#format && (known || bytes.length >= PCM_BYTES) ? audioKind(bytes) : undefined
    if (!kind && !known && !this.#format) return
    this.#stream =
      kind === 'wav' || kind === 'pcm' || (this.#format && this.#format !== 'mp3')
        ? new PcmStream(this.#onPcm, this.#format && this.#format !== 'mp3' ? this.#format : this.#rate)
        : new Mp3Stream(this.#pool, this.#onPcm)
    for (const held of this.#held.splice(0)) {
      if (held.begins) this.#stream.begin()
      this.#stream.write(held.bytes)
    }
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
