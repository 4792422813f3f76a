import type { Clock } from '../../../../common/clock.ts'
import type { LanguageId } from '../../../../common/language.ts'
import { mp3Ready } from '../../../../transcode/mp3/mp3-decoder.ts'
import { SAMPLE_RATE, samplesOf } from '../../../../transcode/pcm.ts'
import { SLICE_BYTES, SpeechDecoder } from '../../../../transcode/speech-decoder.ts'
import { WavSpeech } from '../../../../transcode/wav.ts'
import { AUDIO_RATES, type VoiceEntry } from '../../../contract.ts'
import { primedSpeech, type Speech, type Synthesizer } from '../engine.ts'
import type { EngineHttpOptions, ServerVoice } from '../engine-fields.ts'
import { offeredVoices, spokenPieces } from '../server-voices.ts'
import { EngineHttp, type HttpAnswer, HttpFault } from './http-client.ts'

export interface HttpSynthesizerOptions extends EngineHttpOptions {
  readonly voices: readonly ServerVoice[]
  /** True if its voices are neural. */
  readonly neural: boolean
}

/** A voice with the language that it speaks in a request. */
export type SpokenVoice = ServerVoice & { readonly language: LanguageId }

/** Base class of speech synthesis over HTTP. */
export abstract class HttpSynthesizer implements Synthesizer {
  readonly name: string
  readonly voices: readonly VoiceEntry[]
  protected readonly http: EngineHttp
  readonly #known: ReadonlyMap<string, SpokenVoice>
  /** Maximum text length of one request. */
  readonly #mostLetters: number

  protected constructor(
    { name, prefix, mostLetters }: { name: string; prefix: string; mostLetters: number },
    options: HttpSynthesizerOptions,
    clock: Clock,
  ) {
    this.name = name
    this.#mostLetters = mostLetters
    this.http = new EngineHttp('synthesis', name, options, clock)
    const offered = offeredVoices(options.voices, prefix, options.neural)
    this.voices = offered.map(({ entry }) => entry)
    this.#known = new Map(
      offered.map(({ voice, language, entry }) => [entry.voiceId, { ...voice, language }]),
    )
  }

  /**
   * Requests the synthesis of one piece of text. Throws an `EngineError`, or an `HttpFault` that is converted to one.
   */
  protected abstract ask(text: string, voice: SpokenVoice, signal: AbortSignal): Promise<SpokenAnswer>

  async speak(text: string, voiceId: string, signal: AbortSignal): Promise<Speech> {
    const voice = this.#known.get(voiceId)
    if (!voice) throw new RangeError(`${this.name} has ${this.voices.length} voices, not "${voiceId}"`)
    const texts = spokenPieces(text, this.#mostLetters)
    const started = { rate: 0 }
    return primedSpeech(this.#pieces(texts, voice, signal, started), () => started.rate || FALLBACK_RATE)
  }

  async close(): Promise<void> {
    this.http.close()
  }

  async *#pieces(
    texts: readonly string[],
    voice: SpokenVoice,
    signal: AbortSignal,
    started: { rate: number },
  ): AsyncGenerator<Int16Array> {
    try {
      for (const text of texts) {
        if (signal.aborted) return
        const answer = await this.ask(text, voice, signal)
        for await (const piece of answer.pieces()) {
          if (signal.aborted) return
          started.rate ||= answer.rate
          if (answer.rate !== started.rate) throw new HttpFault('changed its rate within one utterance')
          yield piece
        }
      }
    } catch (error) {
      if (signal.aborted) return
      throw error instanceof HttpFault ? this.http.error(error.message, error) : error
    }
  }
}

/** Sample rate of an utterance without speech (Hz). */
const FALLBACK_RATE = 16_000

/** Audio formats of a response. */
export type SpokenFormat = 'pcm' | 'wav' | 'mp3'

/** Maximum size of one response: over six minutes of WAV at 22 050 Hz. */
const MOST_BYTES = 16 << 20

const TYPES: Readonly<Record<string, SpokenFormat>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
}
/** Unspecific types: the requested format is assumed. */
const VAGUE = ['', 'application/octet-stream', 'binary/octet-stream']

/** Speech in a response: first the rate, then samples. The requester reads or closes it. */
export class SpokenAnswer {
  /** Hz */
  rate = 0
  readonly #answer: HttpAnswer
  readonly #bytes: AsyncGenerator<Uint8Array>
  readonly #format: SpokenFormat

  /**
   * `asked` and `pcmRate` (Hz): the requested format. `anyAudio`: the server's type does not show it. Throws an
   * `HttpFault` if the response is not audio.
   */
  constructor(answer: HttpAnswer, asked: SpokenFormat, pcmRate: number, { anyAudio = false } = {}) {
    const assumed = VAGUE.includes(answer.type) || (anyAudio && answer.type.startsWith('audio/'))
    const format = assumed ? asked : TYPES[answer.type]
    if (format === undefined)
      throw new HttpFault(`returned ${answer.type}, which is not a supported audio type`)
    this.#answer = answer
    this.#format = format
    this.#bytes = answer.bytes(MOST_BYTES)
    if (format === 'pcm') this.rate = pcmRate
    if (format === 'mp3') this.rate = SAMPLE_RATE
  }

  /** Yields samples as they arrive; the rate is known from the first one on. */
  async *pieces(): AsyncGenerator<Int16Array> {
    try {
      if (this.#format === 'pcm') yield* this.#fromPcm()
      else if (this.#format === 'wav') yield* this.#fromWav()
      else yield* this.#fromMp3()
    } finally {
      await this.#answer.close()
    }
  }

  async *#fromPcm(): AsyncGenerator<Int16Array> {
    let rest: Uint8Array = new Uint8Array(0)
    let first = true
    for await (const piece of this.#bytes) {
      const bytes = Buffer.concat([rest, piece])
      if (first && bytes.length >= 4 && bytes.toString('latin1', 0, 4) === 'RIFF')
        throw new HttpFault('returned WAV instead of plain samples: set format to wav')
      first &&= bytes.length < 4
      const even = bytes.length - (bytes.length % 2)
      rest = bytes.subarray(even)
      if (even > 0) yield samplesOf(bytes.subarray(0, even)).slice()
    }
  }

  async *#fromWav(): AsyncGenerator<Int16Array> {
    const wav = new WavSpeech()
    for await (const bytes of this.#bytes) {
      const pcm = read(() => wav.push(bytes))
      if (this.rate === 0 && wav.rate > 0) this.#setRate(wav.rate)
      if (pcm.length > 0) yield pcm
    }
    if (!wav.complete) throw new HttpFault('interrupted its response')
    const rest = read(() => wav.end())
    if (rest.length > 0) yield rest
  }

  async *#fromMp3(): AsyncGenerator<Int16Array> {
    const made: Int16Array[] = []
    const decoder = new SpeechDecoder(pcm => made.push(pcm.slice()))
    try {
      for await (const bytes of this.#bytes)
        for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
          while (!decoder.write(bytes.subarray(at, at + SLICE_BYTES), false)) await mp3Ready()
          yield* made.splice(0)
        }
      while (!decoder.finish()) await mp3Ready()
      yield* made
      if (decoder.samples === 0) throw new HttpFault('returned an mp3 without audio')
    } finally {
      decoder.close()
    }
  }

  #setRate(rate: number): void {
    if (!AUDIO_RATES.some(each => each === rate))
      throw new HttpFault(`returned speech at ${rate} Hz, supported are ${AUDIO_RATES.join(', ')}`)
    this.rate = rate
  }
}

function read(decode: () => Int16Array): Int16Array {
  try {
    return decode()
  } catch (error) {
    throw new HttpFault(`returned unreadable audio: ${(error as Error).message}`)
  }
}
