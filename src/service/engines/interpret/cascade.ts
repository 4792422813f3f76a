import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { rms } from '../../../transcode/level.ts'
import { durationMs, FRAME_SAMPLES } from '../../../transcode/pcm.ts'
import { VoiceActivity } from '../../../transcode/voice-activity.ts'
import type { SpokenPart } from '../../contract.ts'
import {
  EngineError,
  type InterpretationSink,
  type InterpretedText,
  type SpeechStream,
  type SpeechToText,
  type TextTranslator,
  type Transcript,
  type TranslatedTurn,
} from '../engine.ts'
import type { OfferedVoice } from '../engine-set.ts'
import { type Clause, ClauseCommitter, type CommitMode } from './clause-committer.ts'
import { fitted } from './clause-text.ts'
import { unended } from './clause-voice.ts'
import { DOUBTFUL_MARK, isDoubtful, withDoubts } from './confidence.ts'
import { lostFigures } from './figures-guard.ts'
import type { InterpretationFigures } from './interpretation-figures.ts'

/** Pause of the speaker at which a clause ends (ms). */
const PAUSE_MS = 250
/** Difference between the end of the last word, as a recognizer tells it, and the last loud frame (ms). */
const LATEST_WORD_MS = 100
/** Earlier clauses that translators get as context, and their maximum length (characters). */
const CONTEXT_CLAUSES = 6
const CONTEXT_LETTERS = 400

/** A session that takes the results of a cascade: its texts can be complete before their speech. */
export interface CascadeSink extends InterpretationSink {
  /** `follows`: speech of the utterance can still follow, until `spoken`. */
  final(result: InterpretedText, speech?: 'follows'): void
  /** The speech of an utterance is complete. */
  spoken(utterance: number): void
  /** An utterance, or a part of it, could not be translated or spoken; the stream goes on. */
  fault(utterance: number, kind: 'translation' | 'synthesis', cause: unknown): void
  /** Resolves when all speech before `utterance` has been delivered; undefined if it has been. Never rejects. */
  room(utterance: number): Promise<void> | undefined
}

export interface CascadeOptions {
  readonly from: LanguageId
  readonly to: LanguageId
  readonly recognizer: SpeechToText
  /** The closed vocabulary to recognize. */
  readonly grammar?: string | undefined
  readonly translator: TextTranslator
  readonly voice: OfferedVoice
  readonly mode: CommitMode
  readonly figures: InterpretationFigures
  readonly clock: Clock
}

/**
 * A recognizer, a translator and a voice as one engine from speech to speech. Depending on its mode, it translates and speaks
 * clause by clause while the speaker continues; each sentence is an utterance of its own.
 */
export class Cascade {
  readonly #options: CascadeOptions

  constructor(options: CascadeOptions) {
    this.#options = options
  }

  /** Named after its ears. */
  get name(): string {
    return this.#options.recognizer.name
  }

  /** Rejects with an `EngineError` if the recognizer does not start. */
  async open(_request: unknown, sink: CascadeSink): Promise<SpeechStream> {
    const { from, recognizer, grammar } = this.#options
    const stream = new CascadeStream(this.#options, sink)
    try {
      stream.hear(await recognizer.open(from, stream, { grammar }))
    } catch (cause) {
      throw new EngineError('transcription', recognizer.name, 'did not start', { cause })
    }
    return stream
  }
}

/** An utterance of the results: a sentence, or what the recognizer calls an utterance. */
interface Sentence {
  readonly utterance: number
  readonly startMs: number
  text: string
  /** As captions show it, with marks. */
  translation: string
  /** Its clauses so far. */
  clauses: number
  endMs: number
  /** Its text has grown, and is not shown. */
  held: boolean
  language: LanguageId | undefined
  spoken: SpokenPart
}

/** A clause on its way to the voice. */
interface Job {
  readonly clause: Clause
  readonly sentence: Sentence
  readonly first: boolean
  readonly last: boolean
  /** The text of the sentence up to here, as captions show it. */
  readonly shown: string
  readonly doubtful: boolean
  /** When recognition was due, and when it happened (clock ms). */
  readonly since: number
  readonly at: number
  /** Absent: it starts in its turn. */
  readonly translated: Promise<Translated> | undefined
}

/** A translation, and the figures that it lost. */
interface Translated {
  readonly text: string
  readonly lost: readonly string[]
}

class CascadeStream implements SpeechStream {
  readonly #options: CascadeOptions
  readonly #sink: CascadeSink
  readonly #committer: ClauseCommitter
  readonly #activity = new VoiceActivity()
  readonly #closed = new AbortController()
  #hearing: SpeechStream | undefined
  #positionMs = 0
  /** End of the last loud frame (ms of the audio). */
  #loudMs = 0
  #paused = false
  /** End of the audio that the recognizer has reported on (ms). */
  #heardMs = 0
  #utterances = 0
  /** The sentence whose text grows. */
  #growing: Sentence | undefined
  #line: Job[] = []
  #working = false
  /** The sentence in work. */
  #current: Sentence | undefined
  /** When recognition of the clause in work was due (clock ms). */
  #begun: number | undefined
  #turns: TranslatedTurn[] = []
  #translating: Promise<unknown> = Promise.resolve()

  constructor(options: CascadeOptions, sink: CascadeSink) {
    this.#options = options
    this.#sink = sink
    this.#committer = new ClauseCommitter(options.from, options.mode)
  }

  hear(stream: SpeechStream): void {
    this.#hearing = stream
  }

  get queuedMs(): number {
    return this.#hearing?.queuedMs ?? 0
  }

  get waitingMs(): number {
    return this.#hearing?.waitingMs ?? 0
  }

  get behindMs(): number {
    return this.#hearing?.behindMs ?? 0
  }

  get lateMs(): number {
    return this.#begun === undefined ? 0 : this.#options.clock.now() - this.#begun
  }

  write(pcm: Int16Array): void {
    this.#hearing?.write(pcm)
    if (this.#options.mode !== 'clause') return
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
      const frame = pcm.subarray(at, at + FRAME_SAMPLES)
      this.#positionMs += durationMs(frame.length)
      if (!this.#activity.frame(rms(frame), this.#positionMs)) continue
      this.#loudMs = this.#positionMs
      this.#paused = false
    }
    this.#checkPause()
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#line = []
    await this.#hearing?.close()
  }

  partial(transcript: Transcript): void {
    if (this.#closed.signal.aborted) return
    const plain = this.#options.mode === 'utterance'
    this.#heardMs = transcript.endMs
    // A slow recognizer must not make the listener wait longer.
    const recognizedMs = Math.max(transcript.endMs, this.#positionMs - this.waitingMs)
    this.#committed(this.#committer.partial(transcript, recognizedMs))
    this.#checkPause()
    const text = plain ? transcript.text : this.#committer.shown
    if (text === '') return
    const { utterance, startMs, endMs } = transcript
    const sentence = this.#sentence(
      plain ? startMs : Math.max(startMs, this.#committer.growsFromMs),
      utterance,
    )
    sentence.text = text
    sentence.endMs = endMs
    this.#show(sentence)
  }

  final(transcript: Transcript): void {
    if (this.#closed.signal.aborted) return
    const changed = this.#committer.changedWords
    this.#committed(this.#committer.final(transcript), transcript)
    this.#options.figures.changedWords += this.#committer.changedWords - changed
  }

  failed(cause: Error): void {
    const { recognizer } = this.#options
    this.#sink.failed(new EngineError('transcription', recognizer.name, 'failed', { cause }))
  }

  /** The speaker pauses: commits the text, once the recognizer has heard the end of the speech. */
  #checkPause(): void {
    const isHeard = this.#heardMs >= this.#loudMs - LATEST_WORD_MS
    if (this.#paused || this.#positionMs - this.#loudMs < PAUSE_MS || !isHeard) return
    const clauses = this.#committer.pause()
    this.#paused = clauses.length > 0
    this.#committed(clauses)
  }

  /** `final`: of the recognizer, after the last clause. */
  #committed(clauses: readonly Clause[], final?: Transcript): void {
    for (const [index, clause] of clauses.entries())
      this.#enqueue(clause, clause.endsSentence, index === clauses.length - 1 ? final : undefined)
  }

  #enqueue(clause: Clause, last: boolean, final: Transcript | undefined): void {
    const { mode, figures, clock } = this.#options
    const plain = mode === 'utterance'
    // Nothing follows a sentence that has ended.
    if (!plain && clause.text === '' && !this.#growing) return
    const sentence = this.#sentence(clause.startMs, final?.utterance)
    const doubtful = isDoubtful(clause.confidence)
    if (doubtful) figures.doubtfulClauses++
    // A recognizer can take back what was spoken.
    const text = clause.sentence === '' && sentence.clauses > 0 ? sentence.text : clause.sentence
    const shown = last ? withDoubts(text, clause.sentenceConfidence) : text
    sentence.text = shown
    sentence.endMs = clause.endMs
    sentence.language = final?.language
    const first = sentence.clauses++ === 0
    if (last) this.#growing = undefined
    const at = clock.now()
    const since = at - this.behindMs
    const translated = plain || clause.text === '' ? undefined : this.#translated(clause, { first, last })
    this.#line.push({ clause, sentence, first, last, shown, doubtful, since, at, translated })
    if (!this.#working) void this.#work()
  }

  #sentence(startMs: number, utterance = 0): Sentence {
    if (this.#growing) return this.#growing
    this.#utterances = this.#options.mode === 'utterance' ? utterance : this.#utterances + 1
    this.#growing = {
      ...{ utterance: this.#utterances, startMs, endMs: startMs, text: '', translation: '', clauses: 0 },
      ...{ held: false, language: undefined },
      spoken: { endMs: startMs, text: 0, translation: 0 },
    }
    return this.#growing
  }

  /** Starts at once, so that it is ready when the clauses before have been spoken. */
  #translated(clause: Clause, place: { first: boolean; last: boolean }): Promise<Translated> {
    const translated = this.#translating.then(() => this.#translate(clause, place))
    this.#translating = translated.catch(() => {})
    return translated
  }

  async #translate(clause: Clause, { first, last }: { first: boolean; last: boolean }): Promise<Translated> {
    const { translator, from, to, mode, figures } = this.#options
    if (mode === 'utterance') return { text: await translator.translate(clause.text, from, to), lost: [] }
    const translation = await translator.translate(clause.text, from, to, { context: [...this.#turns] })
    const text = fitted(translation, { source: clause.text, first, last, to })
    this.#remember({ source: clause.text, translation: text })
    const lost = lostFigures(clause.text, from, text, to)
    if (lost.length > 0) figures.lostFigures++
    return { text, lost }
  }

  #remember(turn: TranslatedTurn): void {
    this.#turns.push(turn)
    const length = () =>
      this.#turns.reduce((sum, { source, translation }) => sum + source.length + translation.length, 0)
    while (this.#turns.length > CONTEXT_CLAUSES || length() > CONTEXT_LETTERS) this.#turns.shift()
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let job = this.#line.shift(); job; job = this.#line.shift()) {
      this.#begun = job.since
      this.#current = job.sentence
      if (job.sentence.held) this.#show(job.sentence)
      await this.#say(job)
    }
    this.#working = false
    this.#begun = undefined
    if (this.#growing?.held) this.#show(this.#growing)
  }

  async #say(job: Job): Promise<void> {
    const { sentence, clause, last, first } = job
    const { utterance } = sentence
    if (clause.text === '') {
      if (last) this.#sink.final(this.#result(sentence, job.shown))
      return
    }
    // In this mode, each utterance waits for the one before, as its stages are measured.
    const room = this.#options.mode === 'utterance' ? this.#sink.room(utterance) : undefined
    if (room) await room
    let translated: Translated
    try {
      translated = await (job.translated ?? this.#translate(clause, { first, last }))
    } catch (cause) {
      this.#sink.fault(utterance, 'translation', cause)
      if (last) this.#sink.final(this.#result(sentence, job.shown))
      return
    }
    if (this.#closed.signal.aborted) return
    const { text, lost } = translated
    const marked = lost.length === 0 ? text : `${text} [${lost.join(', ')}]`
    sentence.translation = joined(sentence.translation, job.doubtful ? `${marked} ${DOUBTFUL_MARK}` : marked)
    const speaks = text !== '' && !job.doubtful
    if (speaks) sentence.spoken = { ...sentence.spoken, speakingMs: clause.endMs }
    if (last) {
      const course = { recognizedAt: job.at, translatedAt: this.#options.clock.now() }
      this.#sink.final({ ...this.#result(sentence, job.shown), course }, speaks ? 'follows' : undefined)
    } else this.#sink.partial(this.#result(sentence, job.shown))
    if (speaks) await this.#speak(text, sentence, last)
    if (last || this.#closed.signal.aborted) return
    sentence.spoken = {
      endMs: clause.endMs,
      text: job.shown.length,
      translation: sentence.translation.length,
    }
    this.#show(sentence)
  }

  /** Never rejects. */
  async #speak(text: string, { utterance }: Sentence, last: boolean): Promise<void> {
    const { engine, entry } = this.#options.voice
    const { signal } = this.#closed
    await this.#sink.room(utterance)
    try {
      const { rate, pieces } = await engine.speak(text, entry.voiceId, signal)
      for await (const pcm of last ? pieces : unended(pieces, rate))
        if (!signal.aborted) this.#sink.audio(utterance, pcm, rate)
    } catch (cause) {
      if (!signal.aborted) this.#sink.fault(utterance, 'synthesis', cause)
    }
    if (last) this.#sink.spoken(utterance)
  }

  /** Shows a sentence that grows, unless it has ended meanwhile; while an earlier one is in work, it waits. */
  #show(sentence: Sentence): void {
    if (this.#growing !== sentence) return
    sentence.held = this.#working && this.#current !== sentence
    if (!sentence.held) this.#sink.partial(this.#result(sentence, sentence.text))
  }

  #result(sentence: Sentence, text: string): InterpretedText {
    const { utterance, translation, startMs, endMs, language, spoken } = sentence
    return {
      ...{ utterance, text, translation, startMs, endMs, language },
      ...(this.#options.mode === 'utterance' ? {} : { spoken }),
    }
  }
}

function joined(before: string, after: string): string {
  const [head, tail] = [before.trimEnd(), after.trim()]
  return head === '' || tail === '' ? head + tail : `${head} ${tail}`
}
