import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { SAMPLE_RATE, samplesOf } from '../../../transcode/pcm.ts'
import { WavSpeech } from '../../../transcode/wav.ts'
import { AUDIO_RATES, type VoiceEntry } from '../../contract.ts'
import type { EngineHttpOptions, ServerVoice } from '../definition.ts'
import { primedSpeech, type Speech, type Synthesizer, textPieces } from '../engine.ts'
import { languageRow } from '../languages.ts'
import { EngineHttp, type HttpAnswer, HttpFault } from './http-client.ts'
import { Places } from './places.ts'

/** A voice with the language that it speaks in a request. */
export type SpokenVoice = ServerVoice & { readonly language: LanguageId }

/** Properties of a service. */
interface SpeechService {
  readonly name: string
  /** Start of the ids of its voices; default: the name. */
  readonly prefix?: string
  /** Maximum text length of one request. */
  readonly mostLetters: number
  /** Maximum number of requests at a time; others wait. Absent: no limit. */
  readonly atOnce?: number
}

/** Base class of speech synthesis over HTTP. */
export abstract class HttpSynthesizer implements Synthesizer {
  readonly name: string
  readonly voices: readonly VoiceEntry[]
  protected readonly http: EngineHttp
  readonly #known: ReadonlyMap<string, SpokenVoice>
  readonly #mostLetters: number
  readonly #places: Places

  protected constructor(
    { name, prefix = name, mostLetters, atOnce = Number.POSITIVE_INFINITY }: SpeechService,
    options: EngineHttpOptions & { readonly voices: readonly ServerVoice[] },
    clock: Clock,
  ) {
    this.name = name
    this.#mostLetters = mostLetters
    this.#places = new Places(atOnce)
    this.http = new EngineHttp('synthesis', name, options, clock)
    const offered = offeredVoices(options.voices, prefix)
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
        using _place = await this.#places.take()
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

/** A voice of a server in one of its languages. */
interface OfferedServerVoice {
  readonly voice: ServerVoice
  readonly language: LanguageId
  readonly entry: VoiceEntry
}

/** Returns the entries of `voices` in the voice list, one for each language. Ids are like `soniox-es-es-Adrian`. */
function offeredVoices(voices: readonly ServerVoice[], prefix: string): OfferedServerVoice[] {
  return voices.flatMap(voice =>
    voice.languages.map(language => ({
      voice,
      language,
      entry: {
        voiceId: `${prefix}-${language}-${voice.voice}`,
        name: `${languageRow(language)?.name ?? language}, ${voice.voice}`,
        languageId: language,
        voiceGender: voice.gender,
        voiceEngine: 'neural' as const,
        modes: ['block' as const, 'streaming' as const],
      },
    })),
  )
}

/** Characters that can be spoken. */
const WORDS = /[\p{L}\p{N}\p{S}]/u

/** Divides `text` into pieces of at most `most` letters for requests to a server; none if there is nothing to speak. */
function spokenPieces(text: string, most: number): string[] {
  return WORDS.test(text) ? textPieces(text, most) : []
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
    // Loaded with the first mp3: few servers send it.
    const { decodedMp3 } = await import('./mp3-speech.ts')
    yield* decodedMp3(this.#bytes)
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
