import { audioKind, beginsMp3, isWav, TELLING_BYTES } from './audio-kind.ts'
import type { Mp3Pool } from './mp3-pool.ts'
import { Mp3Stream } from './mp3-stream.ts'
import { PcmStream } from './pcm-stream.ts'

/** From so many bytes on samples without a header are believed to be some: 32 ms at 16 kHz. */
const PCM_BYTES = 1_024

/** What came and what became of it. */
export interface VoiceStats {
  /** Frames of sound. */
  readonly frames: number
  /** Bytes that were none. */
  readonly junkBytes: number
}

/**
 * A voice in, 16 kHz mono out, whatever it is coded as: mp3 is asked for, but some servers send WAV files or bare samples. The
 * first bytes tell which; what nobody knows is given to the mp3 decoder, which finds frames also behind other bytes.
 */
export class VoiceStream {
  readonly #pool: Mp3Pool
  readonly #onPcm: (pcm: Int16Array) => void
  readonly #rate: number | undefined
  /** What came before it was known what it is; one entry for each result. */
  #held: Uint8Array[] = []
  #stream: Mp3Stream | PcmStream | undefined
  #ended = false
  #closed = false

  /** As of `Mp3Stream`. `rate`: of samples without a header, where the service tells it (Hz). */
  constructor(pool: Mp3Pool, onPcm: (pcm: Int16Array) => void, rate?: number) {
    this.#pool = pool
    this.#onPcm = onPcm
    this.#rate = rate
  }

  get stats(): VoiceStats {
    return this.#stream?.stats ?? { frames: 0, junkBytes: 0 }
  }

  /** Takes what one result has of it, a file or a piece; keeps a copy and decodes nothing yet. */
  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return
    if (this.#stream) {
      this.#stream.begin()
      this.#stream.write(bytes)
      return
    }
    this.#held.push(bytes.slice())
    this.#recognise()
  }

  /** As of `Mp3Stream`. */
  decode(maxFrames: number = Infinity): 'idle' | 'more' | 'waiting' {
    return this.#stream?.decode(maxFrames) ?? 'idle'
  }

  /** No more bytes will come. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#recognise()
    this.#stream?.end()
  }

  /** Drops everything and gives the decoder back. Idempotent. */
  close(): void {
    this.#closed = true
    this.#held = []
    this.#stream?.close()
  }

  #recognise(): void {
    if (this.#stream || this.#held.length === 0) return
    const bytes = this.#held.length === 1 ? this.#held[0]! : joinedBytes(this.#held)
    const known = isWav(bytes) || beginsMp3(bytes) || bytes.length >= TELLING_BYTES || this.#ended
    const kind = known || bytes.length >= PCM_BYTES ? audioKind(bytes) : undefined
    if (!kind && !known) return
    this.#stream =
      kind === 'wav' || kind === 'pcm'
        ? new PcmStream(this.#onPcm, this.#rate)
        : new Mp3Stream(this.#pool, this.#onPcm)
    for (const held of this.#held.splice(0)) {
      this.#stream.begin()
      this.#stream.write(held)
    }
  }
}

function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
