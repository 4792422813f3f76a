import type { EncodedVoice, Mp3Length } from './encoded-voice.ts'
import type { Mp3Pool } from './mp3/decoder-pool.ts'
import type { AudioRun } from './pcm-stream.ts'
import { type VoiceFormat, type VoiceStart, type VoiceStats, VoiceStream } from './voice-stream.ts'

/** Searches in a row that found no frame among junk: each takes up to 0.3 ms. */
const MOST_SEARCHES = 3
/** Bytes at the start from which the format can be recognized. */
const FIRST_BYTES = 4_096
/** Bytes handed to the decoder at a time, so that its own memory stays small. */
const MORE_BYTES = 2_048

/** A position within a voice, and what is there. */
export interface VoicePosition {
  readonly at: number
  readonly start: VoiceStart
}

export interface VoiceDecoderOptions {
  readonly voice: EncodedVoice
  readonly pool: Mp3Pool
  /** Receives 16 kHz mono, valid only during the call. */
  readonly onPcm: (pcm: Int16Array) => void
  /** Sample rate of a voice without a header (Hz). */
  readonly rate?: number | undefined
  /** Start within the voice; by default, its first byte. */
  readonly from?: VoicePosition | undefined
}

/**
 * Decodes an encoded voice in slices, while its bytes still arrive. It takes a decoder from the pool only while it decodes;
 * the voice must hold all bytes from `at` on.
 */
export class VoiceDecoder {
  readonly #voice: EncodedVoice
  readonly #stream: VoiceStream
  /** Position of the next byte for the decoder. */
  #at: number
  /** The decoder knows that no more bytes follow. */
  #ended = false
  /** All bytes so far have been decoded. */
  #idle = false

  constructor({ voice, pool, onPcm, rate, from }: VoiceDecoderOptions) {
    this.#voice = voice
    this.#at = from?.at ?? voice.start
    this.#stream = new VoiceStream(pool, onPcm, rate, from?.start)
  }

  get stats(): VoiceStats {
    return this.#stream.stats
  }

  /** The format, once known. */
  get format(): VoiceFormat | undefined {
    return this.#stream.format
  }

  /** The audio of samples so far, by positions in the voice if decoding began with its first byte. */
  get runs(): readonly AudioRun[] {
    return this.#stream.runs
  }

  /** Position of the next byte to be read. */
  get at(): number {
    return this.#at
  }

  /** Length of the audio received and not yet decoded (ms); `length` measures mp3. */
  leftMs(length: Mp3Length): number {
    if (this.format === 'mp3') return length.msAfter(this.#stream.framesPassed)
    return this.#stream.leftMs(this.#voice.end - this.#at)
  }

  /** True if no more can be decoded until more bytes arrive. */
  get dry(): boolean {
    return this.#idle && !this.#ended && this.#at === this.#voice.end && !this.#voice.ended
  }

  /** Decodes at most `slices` mp3 frames, or as much of samples. Returns false once all has been decoded. */
  decode(slices: number): boolean {
    let state: ReturnType<VoiceStream['decode']> = 'more'
    // Reading more bytes does not count as a frame; without a frame among them, it is bounded.
    let searches = 0
    for (let n = 0; n < slices && state === 'more' && searches < MOST_SEARCHES; ) {
      const { framesPassed } = this.#stream
      state = this.#stream.decode(1)
      if (this.#stream.framesPassed > framesPassed) {
        n++
        searches = 0
      } else searches++
      if (state === 'idle' && this.#feed()) state = 'more'
    }
    this.#idle = state === 'idle'
    return !this.#idle || !this.#ended
  }

  /** Returns the decoder to the pool until the next `decode`. */
  park(): void {
    this.#stream.park()
  }

  /** Returns the decoder permanently. Idempotent. */
  close(): void {
    this.#stream.close()
  }

  /** Hands the next bytes to the decoder, or tells it that none follow. Returns false if it has nothing new. */
  #feed(): boolean {
    const voice = this.#voice
    if (this.#at < voice.end) {
      const piece = voice.piece(this.#at, this.#at === 0 ? FIRST_BYTES : MORE_BYTES)
      this.#stream.write(piece, voice.begins(this.#at))
      this.#at += piece.length
      return true
    }
    if (!voice.ended || this.#ended) return false
    this.#ended = true
    this.#stream.end()
    return true
  }
}
