import { Leveller } from '../transcode/leveller.ts'
import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import { HeardPieces } from './heard-pieces.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Caption } from './observer.ts'
import type { ServiceTiming } from './stages.ts'
import type { TranslationResult } from './translator.ts'
import { Utterance, type UtteranceOptions } from './utterance.ts'

export interface InterpreterEvents {
  caption(caption: Pick<Caption, 'utterance' | 'final' | 'text' | 'translation'>): void
  /** Whether `text` is what the speaker was played, picked up by their microphone: then nothing is made of it. */
  isEcho?(utterance: string, text: string, final: boolean): boolean
  /** A voice begins. Whoever wants to hear it takes a place in its audio now. */
  utterance(utterance: Utterance): void
  /** For the first time, the voice in a result is no sound that can be read. */
  notMp3(): void
}

/** What is known of one of the service's utterances. */
interface Known {
  readonly name: string
  caption: string
  /** Its final words so far: they may come in results of their own. */
  said: Said
  /** Its voice so far; undefined while there is none. */
  pieces: HeardPieces | undefined
  /** Its final text was an echo of what the speaker was played. */
  echo: boolean
  /** Its translation so far. */
  translation: string | undefined
  /** Its final text has come. */
  final: boolean
  /** When its final text and its translation came, and what the service says of its stages. */
  readonly course: { textAt?: number; translationAt?: number; timing?: ServiceTiming }
}

type Said = Pick<TranslationResult, 'text' | 'translation'>

/** The voice that is coming. */
interface Speaking {
  readonly name: string
  readonly caption: string
  readonly said: Said
  readonly utterance: Utterance
  /** Left out at its beginning, as it was heard before (ms). */
  readonly skipMs: number
}

/** What is known as a voice begins. */
interface VoiceBegin {
  readonly speechEndedAt: number
  readonly now: number
  readonly skipMs: number
  readonly rate: number | undefined
}

/** Words of a voice that broke off are said again for so long, so that none is half a word (ms). */
const OVERLAP_MS = 200

/** Makes utterances and captions out of one session's results, whatever connection they came by. */
export class Interpreter {
  readonly #name: string
  readonly #pool: Mp3Pool
  readonly #metrics: RelayMetrics
  readonly #events: InterpreterEvents
  readonly #voice: UtteranceOptions
  /** Our names of the service's utterances, for this connection, and what is known of each. */
  readonly #known = new Map<string, Known>()
  #saidNotMp3 = false
  #count = 0
  #current: Speaking | undefined
  /** A voice that broke off with its connection; the next one gets the same words first. */
  #cut: { readonly of: Speaking; again?: string } | undefined
  /** The utterance whose final text came last. */
  #answered: Known | undefined
  #voiceless = false

  /** `name` begins the ids of its utterances; `levelDb` is the level they get (dBFS), absent: as they come. */
  constructor(
    name: string,
    pool: Mp3Pool,
    metrics: RelayMetrics,
    events: InterpreterEvents,
    levelDb?: number,
  ) {
    this.#name = name
    this.#pool = pool
    this.#metrics = metrics
    this.#events = events
    this.#voice = {
      leveller: levelDb === undefined ? undefined : new Leveller(levelDb),
      notMp3: () => this.#notMp3(),
    }
  }

  /** What was said last came as text alone, where a voice was wanted; the next voice ends that. */
  get voiceless(): boolean {
    return this.#voiceless
  }

  /** `speechEndedAt`: when the speaker's last stretch of speech ended; `now`: when this came (clock ms). */
  result(result: TranslationResult, speechEndedAt: number, now: number): void {
    const known = this.#of(result.utterance)
    // The next one may be heard already while the voice of this one is still being made.
    if (result.final && known !== this.#answered) this.#judge()
    const skipMs = this.#heardBefore(known, result)
    if (skipMs === undefined || this.#isEcho(known, result)) return
    known.translation = result.translation ?? known.translation
    this.#caption(known, result)
    if (result.final && (result.text || result.translation)) {
      known.final = true
      this.#answered = known
      noteCourse(known, result, now)
    }
    if (!result.audio || result.audio.length === 0) return
    known.pieces ??= new HeardPieces()
    if (known.pieces.repeated(result.audio)) {
      this.#metrics.resultsRepeated++
      return
    }
    this.#voiceless = false
    this.#speak(known, result.audio, { speechEndedAt, now, skipMs, rate: result.rate })
  }

  /** The voice of `id` is complete, or of the current utterance where the service does not say. */
  endOfSpeech(id?: string): void {
    const known = id === undefined ? undefined : this.#known.get(id)
    // The text of the next one may have come already: its voice is still to come.
    if (!known || known === this.#answered) this.#judge()
    if (known && this.#current && known.name !== this.#current.name) return
    this.#current?.utterance.end()
    this.#current = undefined
  }

  /** Something failed inside: no more of the voice that was coming. */
  abandon(): void {
    const utterance = this.#current?.utterance
    this.#current = undefined
    utterance?.close()
  }

  /** The connection is gone: what came so far is all there is, and its names mean nothing any more. */
  interrupted(): void {
    this.#current?.utterance.end()
    this.#cut = this.#current ? { of: this.#current } : this.#cut && { of: this.#cut.of }
    this.#current = undefined
    this.#answered = undefined
    this.#known.clear()
  }

  #speak(known: Known, audio: Uint8Array, { speechEndedAt, now, skipMs, rate }: VoiceBegin): void {
    if (this.#current?.name === known.name) {
      this.#current.utterance.text = known.translation
      this.#current.utterance.write(audio)
      return
    }
    this.#current?.utterance.end()
    const { name, caption, said, course } = known
    // The times of a voice that goes on where it broke off are not those of its speech.
    const arrivals = skipMs > 0 ? {} : { arrivals: { ...course, voiceAt: now } }
    const voice = { ...this.#voice, ...arrivals, skipMs, rate }
    const utterance = new Utterance(name, speechEndedAt, this.#pool, this.#metrics, voice)
    utterance.text = known.translation
    this.#current = { name, caption, said, utterance, skipMs }
    this.#metrics.utterances++
    utterance.write(audio)
    this.#events.utterance(utterance)
  }

  #isEcho(known: Known, { text, final }: TranslationResult): boolean {
    if (known.echo || !text || !this.#events.isEcho?.(known.name, text, final)) return known.echo
    known.echo = final
    return true
  }

  /** An utterance is over: whether it had a voice. */
  #judge(): void {
    const answered = this.#answered
    this.#answered = undefined
    if (!answered?.final || answered.pieces) return
    this.#voiceless = true
    this.#metrics.utterancesVoiceless++
  }

  /**
   * How much of the voice at hand was heard before its connection broke (ms). Undefined: of the result at hand nothing is
   * new. The same words are expected first; other words mean that the service understood it otherwise.
   */
  #heardBefore(known: Known, result: TranslationResult): number | undefined {
    const cut = this.#cut
    if (!cut) return 0
    cut.again ??= result.utterance
    if (cut.again === result.utterance && !result.final) return undefined
    const same = cut.again === result.utterance && !differs(result, cut.of.said)
    // Words by themselves: the voice follows.
    if (same && !result.audio) return undefined
    this.#cut = undefined
    if (!same) return 0
    known.caption = cut.of.caption
    known.said = cut.of.said
    return Math.max(0, cut.of.skipMs + wholeMs(cut.of.utterance) - OVERLAP_MS)
  }

  #notMp3(): void {
    if (!this.#saidNotMp3) this.#events.notMp3()
    this.#saidNotMp3 = true
  }

  /** Every piece of a streamed voice may repeat the text; it is told once. What came before in a result of its own still holds. */
  #caption(known: Known, result: TranslationResult): void {
    const { final } = result
    if (result.text === undefined && result.translation === undefined) return
    if (final) known.said = { ...known.said, ...wordsOf(result) }
    const { text, translation } = final ? known.said : result
    const caption = JSON.stringify([final, text, translation])
    if (caption === known.caption) return
    known.caption = caption
    this.#events.caption({
      utterance: known.name,
      final,
      ...(text === undefined ? {} : { text }),
      ...(translation === undefined ? {} : { translation }),
    })
  }

  #of(utterance: string): Known {
    const known = this.#known.get(utterance)
    if (known) return known
    // Utterances come in order; only the latest few can still get results.
    if (this.#known.size >= 16) this.#known.delete(this.#known.keys().next().value!)
    const name = `${this.#name}.${++this.#count}`
    const fresh = {
      name,
      caption: '',
      said: {},
      pieces: undefined,
      echo: false,
      translation: undefined,
      final: false,
      course: {},
    }
    this.#known.set(utterance, fresh)
    return fresh
  }
}

/** Keeps when the final text and its translation first came. */
function noteCourse({ course }: Known, { text, translation, timing }: TranslationResult, now: number): void {
  if (text) course.textAt ??= now
  if (translation) course.translationAt ??= now
  if (timing) course.timing ??= timing
}

/** How long the voice is, all of it decoded, as far as there is a decoder. */
function wholeMs(utterance: Utterance): number {
  for (let most = 100; most > 0 && utterance.decode(100); most--);
  return utterance.audio.durationMs
}

function wordsOf({ text, translation }: TranslationResult): Said {
  return {
    ...(text === undefined ? {} : { text }),
    ...(translation === undefined ? {} : { translation }),
  }
}

/** Whether a result has other words than those that were said. */
function differs({ text, translation }: TranslationResult, said: Said): boolean {
  return (
    (text !== undefined && text !== said.text) ||
    (translation !== undefined && translation !== said.translation)
  )
}
