import type { LanguageId } from '../../common/language.ts'
import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import { mp3Ready } from '../../transcode/mp3/mp3-decoder.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { SLICE_BYTES, SpeechDecoder } from '../../transcode/speech-decoder.ts'
import type { Arrivals } from '../model/latency-stages.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { DecodeJob, DecodeQueue } from './decode-queue.ts'
import { SpeechAudio } from './speech-audio.ts'

/** Maximum length of a voice; the rest is dropped (ms). */
const LONGEST_MS = 120_000
/** Maximum number of bytes of a session that wait for the decoder: two minutes at 256 kbit/s. The rest is dropped. */
const MOST_BYTES = 4 << 20

/** Maximum number of its parts whose times are kept. */
const MOST_PARTS = 256

/** What the utterances of one session share. */
export interface UtteranceParts {
  readonly decoding: DecodeQueue
  /** Counts bytes that are no audio. */
  readonly metrics: RelayCounters
  /** Bytes that wait for the decoder. */
  readonly backlog: { bytes: number }
  /** Language of the speech and of its translation. */
  readonly languages?: readonly [from: LanguageId, to: LanguageId] | undefined
}

export interface UtteranceOptions {
  /** Knows the voice of the session; used by this utterance only. Absent: its loudness is neither measured nor changed. */
  readonly leveler?: LoudnessNormalizer | undefined
  /** Sample rate of a voice without a header, if the service states it (Hz). */
  readonly rate?: number | undefined
  /** Duration of its start that was already played and is skipped (ms). */
  readonly skipMs?: number
  /** Arrival times of its parts; absent: unknown or unused. */
  readonly arrivals?: Arrivals
  /** Called when it can start to play. */
  readonly started?: () => void
  /** Called if the complete voice was not audio. */
  readonly notMp3?: () => void
}

/**
 * One translated utterance: its text arrives complete, its voice in pieces of mp3, WAV or samples, each of which is decoded
 * once, on arrival. It ends when its listeners have left.
 */
export class Utterance implements DecodeJob {
  /** Unique in this process. */
  readonly id: string
  readonly audio = new SpeechAudio(() => this.close())
  /** End of the speaker's last word (clock ms), as far as audio levels show it. */
  readonly speechEndedAt: number
  readonly arrivals: Arrivals | undefined
  /** Its text, once known. A separate object: it is kept longer than the voice. */
  readonly words: { readonly id: string; text: string | undefined }
  /** Where its parts start in the audio (ms), and when their words were said (clock ms), if it is spoken in parts. */
  readonly parts: { readonly atMs: number; readonly saidAt: number }[] = []
  readonly #parts: UtteranceParts
  readonly #options: UtteranceOptions
  readonly #decoder: SpeechDecoder
  /** Pieces that wait; the first `#at` bytes of the first one are decoded. */
  readonly #pieces: Uint8Array[] = []
  #at = 0
  #waitingBytes = 0
  #decodedBytes = 0
  #samplesToSkip: number
  #ended = false
  #closed = false
  /** Why no decoder can be made. */
  #fault: unknown

  constructor(id: string, speechEndedAt: number, parts: UtteranceParts, options: UtteranceOptions = {}) {
    this.id = id
    this.words = { id, text: undefined }
    this.speechEndedAt = speechEndedAt
    this.arrivals = options.arrivals
    this.#parts = parts
    this.#options = options
    this.#samplesToSkip = Math.round(((options.skipMs ?? 0) * SAMPLE_RATE) / 1_000)
    options.leveler?.begin()
    this.#decoder = new SpeechDecoder(pcm => this.#play(pcm), options.rate)
  }

  /** Loudness of its voice as it is played (LUFS); undefined if it is not measured. */
  get loudnessDb(): number | undefined {
    return this.#options.leveler?.loudnessDb
  }

  /** The bytes that follow belong to words that were said at `saidAt` (clock ms). */
  part(saidAt: number | undefined): void {
    if (saidAt === undefined || this.parts.at(-1)?.saidAt === saidAt) return
    if (this.parts.length < MOST_PARTS) this.parts.push({ atMs: this.audio.durationMs, saidAt })
  }

  get languages(): UtteranceParts['languages'] {
    return this.#parts.languages
  }

  /** Adds the bytes of one result, which it keeps until they are decoded. */
  write(bytes: Uint8Array): void {
    if (this.#ended) return
    const { backlog, decoding } = this.#parts
    if (backlog.bytes + bytes.length > MOST_BYTES) {
      this.#parts.metrics.mp3InvalidBytes += bytes.length
      return
    }
    this.#pieces.push(bytes)
    this.#count(bytes.length)
    decoding.add(this)
  }

  /** No more bytes follow; those that wait are still decoded. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#parts.decoding.add(this)
  }

  /** Stops decoding; listeners can still read decoded audio. Idempotent. */
  close(): void {
    this.#ended = true
    this.#closed = true
    this.#pieces.length = 0
    this.#count(-this.#waitingBytes)
    this.#decoder.close()
    this.audio.finish()
  }

  get ahead(): number {
    return this.audio.ahead
  }

  decode(): boolean {
    if (this.#closed) return false
    if (this.#fault !== undefined) throw this.#fault
    const playable = this.audio.frames > 0
    const piece = this.#pieces[0]
    const done = piece ? this.#decodeSlice(piece) : !this.#ended || this.#finish()
    if (!playable && this.audio.frames > 0) this.#options.started?.()
    if (this.audio.durationMs > LONGEST_MS) this.close()
    if (done) return this.#pieces.length > 0 || (this.#ended && !this.#closed)
    // All decoders are in use.
    void mp3Ready()
      .catch((error: unknown) => {
        this.#fault = error
      })
      .then(() => this.#parts.decoding.add(this))
    return false
  }

  /** Returns false if no decoder is free. */
  #decodeSlice(piece: Uint8Array): boolean {
    const slice = piece.subarray(this.#at, this.#at + SLICE_BYTES)
    if (!this.#decoder.write(slice, this.#at === 0)) return false
    this.#at += slice.length
    this.#decodedBytes += slice.length
    if (this.#closed || this.#at < piece.length) return true
    this.#at = 0
    this.#pieces.shift()
    this.#count(-piece.length)
    return true
  }

  /** Returns false if no decoder is free. */
  #finish(): boolean {
    if (!this.#decoder.finish()) return false
    if (this.#decoder.samples === 0 && this.#decodedBytes > 0) {
      this.#parts.metrics.mp3InvalidBytes += this.#decodedBytes
      this.#options.notMp3?.()
    }
    this.close()
    return true
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes
    this.#parts.backlog.bytes += bytes
  }

  #play(pcm: Int16Array): void {
    const skipped = Math.min(this.#samplesToSkip, pcm.length)
    this.#samplesToSkip -= skipped
    if (skipped === pcm.length) return
    const rest = skipped === 0 ? pcm : pcm.subarray(skipped)
    this.#options.leveler?.process(rest)
    this.audio.append(rest)
  }
}
