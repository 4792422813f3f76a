import type { EncodedVoice, Mp3Length } from '../../transcode/encoded-voice.ts'
import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Mp3Pool } from '../../transcode/mp3/decoder-pool.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { type VoiceFormat, VoiceStream } from '../../transcode/voice-stream.ts'
import { UtteranceAudio, type UtteranceReader } from './utterance-audio.ts'

/**
 * Decoding continues when the reader furthest ahead has less than this left, and stops above the second amount (frames: 0.2
 * and 0.24 s). As a slice is more than half a second, 0.8 s remain at most.
 */
const LEAST_AHEAD = 10
const MOST_AHEAD = 12
/** With less than this ahead, decoding is urgent (frames: 80 ms). */
const URGENT_AHEAD = 4

/** mp3 frames in the first slice of a voice: about 150 ms, so that it can be played at once. */
export const FIRST_SLICE = 4
/** mp3 frames in every other slice: more than half a second of audio, less than 0.5 ms of work. */
export const SLICE = 16
/** Searches in a row that found no frame among junk: each takes up to 0.3 ms. */
const MOST_SEARCHES = 3
/** Bytes at the start from which the format can be recognized. */
const FIRST_BYTES = 4_096
/** Bytes handed to the decoder at a time, so that its own memory stays small. */
const MORE_BYTES = 2_048

export interface VoicePassOptions {
  readonly voice: EncodedVoice
  readonly pool: Mp3Pool
  /** Sample rate of a voice without a header (Hz). */
  readonly rate?: number | undefined
  /** Used by this pass only. */
  readonly leveler?: LoudnessNormalizer | undefined
  /** Samples to skip at the start. */
  readonly skip?: number
  /** Start within the voice, and the format there; by default, its first byte. */
  readonly from?: { readonly at: number; readonly format: VoiceFormat } | undefined
}

/**
 * One run of the decoder through a voice. It decodes up to 0.8 s more than its readers have read, and holds no decoder in
 * between.
 */
export class VoicePass {
  readonly audio = new UtteranceAudio()
  readonly #voice: EncodedVoice
  readonly #stream: VoiceStream
  readonly #leveler: LoudnessNormalizer | undefined
  /** Position of the next byte for the decoder. */
  #at: number
  #skip: number
  /** More is decoded until enough is ahead. */
  #filling = true
  #ended = false
  /** All bytes so far have been decoded. */
  #idle = false

  constructor({ voice, pool, rate, leveler, skip = 0, from }: VoicePassOptions) {
    this.#voice = voice
    this.#leveler = leveler
    this.#at = from?.at ?? voice.start
    this.#skip = skip
    const sound = leveler ?? this.audio
    const play = (pcm: Int16Array) => {
      const left = Math.min(this.#skip, pcm.length)
      this.#skip -= left
      const rest = left === 0 ? pcm : pcm.subarray(left)
      if (sound instanceof UtteranceAudio) sound.append(rest)
      else sound.write(rest)
    }
    this.#stream = new VoiceStream(pool, play, rate, from?.format)
  }

  get stats(): VoiceStream['stats'] {
    return this.#stream.stats
  }

  get format(): VoiceFormat | undefined {
    return this.#stream.format
  }

  /** Position of the next byte to be read. */
  get at(): number {
    return this.#at
  }

  /** Length of the audio received and not yet decoded (ms); `length` measures mp3. */
  leftMs(length: Mp3Length): number {
    if (this.audio.complete) return 0
    const ms =
      this.format === 'mp3'
        ? length.msAfter(this.#stream.framesPassed)
        : this.#stream.leftMs(this.#voice.end - this.#at)
    return Math.max(0, ms - (this.#skip / SAMPLE_RATE) * 1_000)
  }

  /** True if the readers need more audio, and possibly more can be decoded. */
  get due(): boolean {
    return !this.dry && (this.#filling || this.audio.ahead < LEAST_AHEAD)
  }

  /** True if a reader needs more audio soon. */
  get urgent(): boolean {
    return this.audio.ahead < URGENT_AHEAD && !this.dry
  }

  /** Decodes at most `slices` mp3 frames or as much of samples. Returns false once all has been decoded. */
  decode(slices: number): boolean {
    if (this.audio.complete) return false
    if (this.dry) return true
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
    if (this.#leveler) this.audio.append(this.#leveler.take())
    this.#idle = state === 'idle'
    this.#filling = this.audio.ahead < MOST_AHEAD
    if (!this.due) this.#stream.park()
    if (state !== 'idle' || !this.#ended) return true
    this.close()
    return false
  }

  /** Ends with what has been decoded, which stays available to the readers. Idempotent. */
  close(): void {
    this.#stream.close()
    this.audio.finish()
  }

  /** True if no more can be decoded until more bytes arrive. */
  get dry(): boolean {
    if (this.audio.complete) return true
    return this.#idle && !this.#ended && this.#at === this.#voice.end && !this.#voice.ended
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

/** Copies a voice, or the end of one, faster than it is played. */
export class VoiceCopy {
  readonly #pass: VoicePass
  readonly #pcm: Int16Array
  readonly #skip: number
  readonly #reader: UtteranceReader

  /** Fills `pcm` with what `pass` decodes, without the first `skip` frames. Closes `pass` at the end. */
  constructor(pass: VoicePass, pcm: Int16Array, skip: number) {
    this.#pass = pass
    this.#pcm = pcm
    this.#skip = skip
    this.#reader = pass.audio.reader()
  }

  /** Frames copied. */
  get frames(): number {
    return this.#reader.at - this.#skip
  }

  /** Decodes and copies at most `slices` mp3 frames. Returns false once all has been copied. */
  decode(slices: number): boolean {
    this.#pass.decode(slices)
    for (let frame = this.#reader.next(); frame; frame = this.#reader.next()) {
      const at = (this.frames - 1) * FRAME_SAMPLES
      if (at >= 0 && at + frame.length <= this.#pcm.length) this.#pcm.set(frame, at)
    }
    return !this.#reader.done && this.frames * FRAME_SAMPLES < this.#pcm.length
  }

  close(): void {
    this.#reader.close()
    this.#pass.close()
  }
}
