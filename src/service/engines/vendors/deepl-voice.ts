import { z } from 'zod'
import type { Clock } from '../../../common/clock.ts'
import { type LanguageId, primaryLanguage } from '../../../common/language.ts'
import { durationMs, SAMPLE_RATE } from '../../../transcode/pcm.ts'
import type { VoiceEntry } from '../../contract.ts'
import type { InterpretationRequest, InterpretationSink, SpeechStream, SpeechTranslator } from '../engine.ts'
import { base64Of, pcmOf } from '../wire/base64-pcm.ts'
import { ContinuousUtterances } from '../wire/continuous-utterances.ts'
import { SocketFault } from '../wire/engine-socket.ts'
import { EngineHttp } from '../wire/http-client.ts'
import { otherLanguages } from '../wire/http-translator.ts'
import { LiveEngine } from '../wire/live-engine.ts'
import type { LiveDialogue, LiveLink, LiveProtocol } from '../wire/live-protocol.ts'
import { PacedAudio } from '../wire/paced-audio.ts'
import { offeredVoices } from '../wire/server-voices.ts'
import { DeepLGlossaries } from './deepl-glossaries.ts'
import { DeepLSession, deeplSource, deeplTarget } from './deepl-session.ts'
import type { DeepLVoiceOptions } from './settings.ts'

/** Sample rate of the translated speech (Hz). */
const SPOKEN_RATE = 24_000
/** The recommended length of a message is 50 to 250 ms. */
const CHUNK_MS = 100
const MOST_CHUNK_MS = 250
/** Audio can come at most twice as fast as spoken; a little less never exceeds it. */
const FASTEST = 1.9
/** A connection is closed after an hour. */
const MOST_CONNECTION_MS = 60 * 60_000
/** The speech of a text comes after it; time to wait for it (ms). */
const SPEECH_WITHIN_MS = 3_000

/**
 * Speech to speech by DeepL Voice (API reference, Voice; the speech is a closed beta). Texts arrive in pieces that are
 * concluded or tentative, the speech of a piece after its text and without silence between.
 */
export class DeepLSpeechTranslator implements SpeechTranslator {
  readonly name = 'deepl'
  readonly voices: readonly VoiceEntry[]
  readonly #options: DeepLVoiceOptions
  readonly #clock: Clock
  readonly #engine: LiveEngine
  readonly #http: EngineHttp
  readonly #glossaries: DeepLGlossaries

  constructor(options: DeepLVoiceOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#engine = new LiveEngine('interpretation', this.name, options, clock)
    const { apiKey, ...server } = options
    this.#http = new EngineHttp('interpretation', this.name, { ...server, retries: 1 }, clock)
    const headers: Record<string, string> =
      apiKey === undefined ? {} : { authorization: `DeepL-Auth-Key ${apiKey}` }
    this.#glossaries = new DeepLGlossaries(this.#http, headers, clock)
    const languages = options.languages.filter(each => deeplTarget(each) !== undefined)
    const voices = [
      { voice: 'female', languages, gender: 'F' as const },
      { voice: 'male', languages, gender: 'M' as const },
    ]
    this.voices = offeredVoices(voices, this.name, true).map(({ entry }) => entry)
  }

  targets(from: LanguageId): readonly LanguageId[] {
    if (deeplSource(from) === undefined) return []
    return otherLanguages(this.#options.languages, from).filter(to => deeplTarget(to) !== undefined)
  }

  async open(request: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    const { from, to, voiceId } = request
    if (!this.targets(from).includes(to))
      throw new RangeError(`${this.name} translates ${from} into ${this.targets(from).join(', ')}, not ${to}`)
    const voice = this.voices.find(
      each => each.languageId === to && (voiceId === undefined || each.voiceId === voiceId),
    )
    if (!voice) throw new RangeError(`${this.name} has no voice "${voiceId}" for ${to}`)
    const [source, target] = [deeplSource(from)!, deeplTarget(to)!]
    const glossaryId =
      this.#options.glossaryId ??
      (await this.#glossaries.idOf({
        source: source.toUpperCase(),
        target: primaryLanguage(to).toUpperCase(),
        entries: request.glossary ?? [],
      }))
    const session = new DeepLSession(this.#options, {
      ...{ source, target, glossaryId },
      voice: voice.voiceGender === 'M' ? 'male' : 'female',
      rate: { in: SAMPLE_RATE, out: SPOKEN_RATE },
    })
    let current: LiveLink | undefined
    const utterances = new ContinuousUtterances({
      sink,
      clock: this.#clock,
      quietMs: () => current?.quietMs ?? Number.POSITIVE_INFINITY,
      answered: streamMs => current?.answered(streamMs),
      speechWithinMs: SPEECH_WITHIN_MS,
    })
    const stream = new SessionStream(session, utterances, this.#clock)
    return this.#engine.open(
      stream.protocol(link => {
        current = link
      }),
      error => {
        utterances.close()
        sink.failed(error)
      },
      () => utterances.close(),
    )
  }

  close(): Promise<void> {
    this.#http.close()
    return this.#engine.close()
  }
}

/** A connection of the session, and what it had received before. */
interface Part {
  readonly link: LiveLink
  /** Audio that the session got before this connection (ms): its times count from the start of the session. */
  readonly fromMs: number
}

/** One stream's session over all its connections. */
class SessionStream {
  readonly session: DeepLSession
  readonly utterances: ContinuousUtterances
  readonly #clock: Clock
  /** The present connection, and the one before it. */
  #parts: Part[] = []
  /** Audio that the session has got (ms). */
  #sentMs = 0
  /** End of the audio that has been understood (ms of the stream). */
  #understoodMs = 0

  constructor(session: DeepLSession, utterances: ContinuousUtterances, clock: Clock) {
    this.session = session
    this.utterances = utterances
    this.#clock = clock
  }

  protocol(connected: (link: LiveLink) => void): LiveProtocol {
    return {
      rate: SAMPLE_RATE,
      chunkMs: CHUNK_MS,
      fastest: FASTEST,
      // A session ends after 30 s without audio, and silence ends sentences.
      continuous: true,
      address: async signal => {
        const { resumed, ...address } = await this.session.connect(signal)
        if (resumed) return { ...address, resumeMs: this.#understoodMs }
        this.utterances.cut()
        this.#parts = []
        this.#sentMs = 0
        return address
      },
      dialogue: link => {
        connected(link)
        const paced = new PacedAudio(
          { clock: this.#clock, rate: SAMPLE_RATE, mostMs: MOST_CHUNK_MS, fastest: FASTEST },
          pcm => {
            this.#sentMs += durationMs(pcm.length)
            link.send({ source_media_chunk: { data: base64Of(pcm) } })
          },
        )
        return new VoiceDialogue(link, this, paced)
      },
    }
  }

  /** A connection is open. */
  began(link: LiveLink): void {
    this.#parts = [...this.#parts.slice(-1), { link, fromMs: this.#sentMs }]
  }

  /** Returns the position in the stream of a time of the session, and notes that it was understood (ms). */
  understood(sessionMs: number): number {
    const part = this.#parts.findLast(({ fromMs }) => sessionMs >= fromMs) ?? this.#parts[0]
    const streamMs = part ? part.link.streamMs(Math.max(0, sessionMs - part.fromMs)) : 0
    this.#understoodMs = Math.max(this.#understoodMs, streamMs)
    return streamMs
  }
}

const segments = z.array(z.object({ text: z.string(), end_time: z.number() }))
const update = z.object({ concluded: segments, tentative: segments })
const messageSchema = z.object({
  source_transcript_update: update.optional(),
  target_transcript_update: update.optional(),
  target_media_chunk: z.object({ data: z.array(z.string()) }).optional(),
  error: z.object({ error_code: z.number().nullish() }).optional(),
})

class VoiceDialogue implements LiveDialogue {
  readonly #link: LiveLink
  readonly #stream: SessionStream
  readonly #paced: PacedAudio
  /** Position of the last text (ms of the stream): speech has no times. */
  #atMs = 0

  constructor(link: LiveLink, stream: SessionStream, paced: PacedAudio) {
    this.#link = link
    this.#stream = stream
    this.#paced = paced
  }

  get busy(): boolean {
    return this.#stream.utterances.busy
  }

  /** Everything was in the request of the session. */
  begin(): void {
    this.#stream.began(this.#link)
    this.#link.renewIn(MOST_CONNECTION_MS)
    this.#link.ready()
  }

  message(message: unknown): void {
    const { data } = messageSchema.safeParse(message)
    if (!data) return
    const { utterances } = this.#stream
    const {
      source_transcript_update: source,
      target_transcript_update: target,
      target_media_chunk: media,
    } = data
    if (data.error) {
      const code = data.error.error_code ?? undefined
      this.#stream.session.end()
      const passing = code === undefined || code >= 500 || code === 408 || code === 429
      this.#link.fail(new SocketFault(`answered ${code ?? 'an error'}`, { passing, code }))
      return
    }
    if (source) utterances.said(joined(source.concluded), this.#end(source), joined(source.tentative))
    if (target) utterances.translated(joined(target.concluded), this.#end(target))
    if (media) for (const piece of media.data) utterances.spoken(pcmOf(piece), SPOKEN_RATE, this.#atMs)
  }

  audio(pcm: Int16Array): void {
    this.#paced.write(pcm)
  }

  finish(): void {
    this.#stream.session.end()
    this.#link.send({ end_of_source_media: {} })
  }

  /** The session and the utterance in progress continue after a broken connection. */
  ended(): void {
    this.#paced.close()
    if (!this.#stream.session.resumable) this.#stream.utterances.cut()
  }

  /** Returns the end of the concluded pieces, else the last one known (ms of the stream). */
  #end({ concluded, tentative }: z.infer<typeof update>): number {
    const last = tentative.at(-1)
    if (last) this.#stream.understood(last.end_time)
    const final = concluded.at(-1)
    if (final) this.#atMs = this.#stream.understood(final.end_time)
    return this.#atMs
  }
}

function joined(pieces: z.infer<typeof segments>): string {
  return pieces.map(({ text }) => text).join('')
}
