import { BoundedMap } from '../../common/bounded-map.ts'
import type { Clock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Caption } from '../model/caption.ts'
import { type CaptionDetails, captionDetails } from '../model/caption-details.ts'
import type { ServiceTiming } from '../model/latency-stages.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { SessionResults } from '../translation/session-options.ts'
import type { TranslationResult } from '../translation/translator.ts'
import type { DecodeQueue } from './decode-queue.ts'
import { Utterance, type UtteranceParts } from './utterance.ts'

/** Maximum number of chunks remembered per utterance. */
const MOST = 256
/** Minimum size of a chunk that can identify a repetition; a shorter one could be silence (bytes). */
const TELLING_BYTES = 512

/**
 * Detects repeated chunks of one utterance's voice, so that audio sent twice is played once. Chunks of silence and tones
 * are identical anyway, so a repetition is recognized only by the first chunk; after that, every chunk is compared.
 */
class DuplicateFilter {
  /** Keys of the chunks. An array, because nearly all voices have few chunks and no repetition. */
  readonly #seen: number[] = []
  #first: number | undefined
  #repeats = false

  /** Returns true if the utterance already contained these bytes. */
  repeated(audio: Uint8Array): boolean {
    const key = audio.length * 2 ** 32 + fingerprint(audio)
    this.#repeats ||= key === this.#first
    if (this.#repeats && this.#seen.includes(key)) return true
    if (audio.length >= TELLING_BYTES && !isSilent(audio)) this.#first ??= key
    if (this.#seen.length < MOST) this.#seen.push(key)
    return false
  }
}

/** Returns true if the bytes can be silence: all are equal. */
function isSilent(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte === bytes[0])
}

/** 32-bit FNV-1a hash. */
function fingerprint(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Events derived from the results. */
export interface AssemblerEvents {
  caption(caption: Pick<Caption, 'utterance' | 'final' | 'text' | 'translation'> & CaptionDetails): void
  /** An utterance is final, and the service tells its language. */
  spokenIn?(language: LanguageId): void
  /** Returns true if `text` is an echo of audio played to the speaker. Its result is then ignored. */
  isEcho?(utterance: string, text: string, final: boolean): boolean
  /** A voice starts. Listeners must open a reader of its audio now. */
  utterance(utterance: Utterance): void
  /** The voice in a result cannot be decoded. Called only the first time. */
  notMp3(): void
  /** Returns the end of the speaker's last speech interval (clock ms). */
  speechEndedAt(now: number): number
  /** An answer of the service was processed: more can be played. */
  processed(): void
  /** Processing an answer threw `error`: the utterance in progress was dropped. */
  failed(error: unknown): void
}

export interface AssemblerOptions {
  /** Prefix of its utterance ids. */
  readonly name: string
  readonly clock: Clock
  readonly decoding: DecodeQueue
  readonly metrics: RelayCounters
  readonly events: AssemblerEvents
  /** Knows the loudness of the session’s voice, and normalizes it; used by the assembler only. */
  readonly leveler: LoudnessNormalizer
  /** Of the speech and of its translation. */
  readonly languages?: UtteranceParts['languages']
}

/** State of one of the service's utterances. */
interface Known {
  readonly name: string
  caption: string
  /** Final text and translation so far, which can arrive in separate results. */
  said: Said
  /** Chunks of its voice so far; undefined until the first one arrives. */
  pieces: DuplicateFilter | undefined
  /** True if its final text was an echo of audio played to the speaker. */
  echo: boolean
  /** Text and translation so far. */
  text: string | undefined
  translation: string | undefined
  /** Its speaker still speaks, and it is spoken in parts. */
  grows: boolean
  /** It has been spoken in parts. */
  inParts: boolean
  /** True once its final text has arrived. */
  final: boolean
  /** Arrival times of the final text and the translation, and the stage times reported by the service. */
  readonly course: { textAt?: number; translationAt?: number; timing?: ServiceTiming }
}

type Said = Pick<TranslationResult, 'text' | 'translation'>

/** The voice that is arriving. */
interface Speaking {
  readonly known: Known
  readonly caption: string
  readonly said: Said
  readonly utterance: Utterance
  /** Skipped at its start, because it was already played (ms). */
  readonly skipMs: number
  /** The part that needs no repetition: its length in the voice (ms) and in the texts (characters). */
  covered: { ms: number; text: number; translation: number }
}

/** Context of the start of a voice. */
interface VoiceBegin {
  readonly speechEndedAt: number
  readonly now: number
  readonly skipMs: number
  readonly rate: number | undefined
  /** When its words were said (clock ms), if it is spoken in parts. */
  readonly saidAt: number | undefined
}

/** Overlap when an interrupted voice is continued, so that no word is cut in half (ms). */
const OVERLAP_MS = 200
/** … in the middle of an utterance, where the start of the part is known less exactly (ms). */
const PART_OVERLAP_MS = 400

/** Assembles utterances and captions from the results of one session, across all of its connections. */
export class ResultAssembler implements SessionResults {
  readonly #name: string
  readonly #clock: Clock
  readonly #metrics: RelayCounters
  readonly #events: AssemblerEvents
  readonly #parts: UtteranceParts
  /** Knows the loudness of the latest voice. */
  #leveler: LoudnessNormalizer
  /** The latest utterances of the current connection, by the service's id: only they can receive more results. */
  readonly #known = new BoundedMap<string, Known>(16)
  #saidNotMp3 = false
  #count = 0
  #current: Speaking | undefined
  /** A voice interrupted by the loss of its connection. The next connection processes the same words first. */
  #cut: { readonly of: Speaking; again?: string } | undefined
  /** The utterance whose final text arrived last. */
  #answered: Known | undefined
  #voiceless = false

  constructor({ name, clock, decoding, metrics, events, leveler, languages }: AssemblerOptions) {
    this.#name = name
    this.#clock = clock
    this.#metrics = metrics
    this.#events = events
    this.#parts = { decoding, metrics, backlog: { bytes: 0 }, languages }
    this.#leveler = leveler
  }

  /** True if the last utterance had text but no voice, although one was requested. Reset by the next voice. */
  get voiceless(): boolean {
    return this.#voiceless
  }

  result(result: TranslationResult, saidAt?: number): void {
    this.#process(() => this.#add(result, this.#clock.now(), saidAt))
  }

  /** Completes the voice of utterance `id`, or of the current utterance if the service sends no id. */
  endOfSpeech(id?: string): void {
    this.#process(() => this.#complete(id))
  }

  /** The connection was lost: ends the voice in progress and forgets the connection's utterance ids. */
  interrupted(): void {
    this.#process(() => this.#cutOff())
  }

  /** An exception drops only the utterance in progress. */
  #process(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.#events.failed(error)
      this.#abandon()
    }
    this.#events.processed()
  }

  #add(result: TranslationResult, now: number, saidAt: number | undefined): void {
    const known = this.#of(result.utterance)
    // Results of the next utterance can arrive while this one's voice is still being synthesized.
    if (result.final && known !== this.#answered) this.#judge()
    const skipMs = this.#heardBefore(known, result)
    if (skipMs === undefined || this.#isEcho(known, result)) return
    known.text = result.text ?? known.text
    known.translation = result.translation ?? known.translation
    known.grows = result.spoken !== undefined && !result.final
    known.inParts ||= known.grows
    this.#caption(known, result)
    if (result.spoken && this.#current?.known === known) this.#cover(this.#current, result.spoken)
    if (result.final && (result.text || result.translation)) {
      if (!known.final && result.language !== undefined) this.#events.spokenIn?.(result.language)
      known.final = true
      this.#answered = known
      noteCourse(known, result, now)
    }
    if (!result.audio || result.audio.length === 0) return
    known.pieces ??= new DuplicateFilter()
    if (known.pieces.repeated(result.audio)) return
    this.#voiceless = false
    // Its speech has not ended: the ear–voice span tells how late it is.
    const speechEndedAt = known.grows ? Number.NaN : this.#events.speechEndedAt(now)
    this.#speak(known, result.audio, { speechEndedAt, now, skipMs, rate: result.rate, saidAt })
  }

  #complete(id?: string): void {
    const known = id === undefined ? undefined : this.#known.get(id)
    // The text of the next utterance can arrive early, before its voice.
    if (!known || known === this.#answered) this.#judge()
    if (known && this.#current && known !== this.#current.known) return
    this.#current?.utterance.end()
    this.#current = undefined
  }

  #abandon(): void {
    const utterance = this.#current?.utterance
    this.#current = undefined
    try {
      utterance?.close()
    } catch {
      // It is dropped in any case.
    }
  }

  #cutOff(): void {
    const current = this.#current
    current?.utterance.end()
    this.#cut = current ? { of: current } : this.#cut && { of: this.#cut.of }
    if (current && this.#settled(current)) this.#cut = undefined
    this.#current = undefined
    this.#answered = undefined
    this.#known.clear()
  }

  /** The voice so far covers the start of the texts: a new connection does not repeat it. */
  #cover(
    { covered, utterance }: Speaking,
    { text, translation }: { text: number; translation: number },
  ): void {
    if (translation <= covered.translation) return
    covered.ms = utterance.audio.durationMs
    covered.text = text
    covered.translation = translation
  }

  /**
   * A voice in parts was cut off: its covered part is final, and the rest comes again. Returns true if there is no rest.
   */
  #settled({ known, covered }: Speaking): boolean {
    if (covered.ms === 0) return false
    const { name, text, translation = '', final } = known
    if (!final)
      this.#events.caption({
        ...{ utterance: name, final: true },
        text: text?.slice(0, covered.text).trim(),
        translation: translation.slice(0, covered.translation).trim(),
      })
    return plain(translation.slice(covered.translation)) === ''
  }

  /** A result of a new connection has the words whose voice was cut off. */
  #repeats(result: TranslationResult, { known, said, covered }: Speaking): boolean {
    if (!known.inParts) return !differs(result, said)
    const rest = plain((known.translation ?? '').slice(covered.translation))
    const again = plain(result.translation ?? '')
    // Texts can be ahead of the voice, on either connection.
    return rest !== '' && again !== '' && (again.startsWith(rest) || rest.startsWith(again))
  }

  #speak(known: Known, audio: Uint8Array, { speechEndedAt, now, skipMs, rate, saidAt }: VoiceBegin): void {
    if (this.#current?.known === known) {
      this.#current.utterance.words.text = known.translation
      this.#current.utterance.part(saidAt)
      this.#current.utterance.write(audio)
      return
    }
    this.#current?.utterance.end()
    const { name, caption, said, course } = known
    // A continued voice has no arrival times, because they do not match its speech.
    const arrivals = skipMs > 0 ? {} : { arrivals: { ...course, voiceAt: now } }
    // Each starts at the loudness of the one before, but several can be decoded at the same time.
    this.#leveler = this.#leveler.copy()
    const utterance = new Utterance(name, speechEndedAt, this.#parts, {
      leveler: this.#leveler,
      rate,
      skipMs,
      ...arrivals,
      started: () => this.#events.processed(),
      notMp3: () => this.#notMp3(),
    })
    utterance.words.text = known.translation
    this.#current = { known, caption, said, utterance, skipMs, covered: { ms: 0, text: 0, translation: 0 } }
    this.#metrics.utterances++
    this.#events.utterance(utterance)
    utterance.part(saidAt)
    utterance.write(audio)
  }

  #isEcho(known: Known, { text, final }: TranslationResult): boolean {
    if (known.echo || !text || !this.#events.isEcho?.(known.name, text, final)) return known.echo
    known.echo = final
    return true
  }

  /** Checks whether the utterance that has ended had a voice. */
  #judge(): void {
    const answered = this.#answered
    this.#answered = undefined
    if (!answered?.final || answered.pieces) return
    this.#voiceless = true
    this.#metrics.utterancesVoiceless++
  }

  /**
   * Returns how much of this voice was played before its connection was lost (ms), or undefined if the result contains
   * nothing new. A new connection is expected to return the same words first; different words mean another recognition.
   */
  #heardBefore(known: Known, result: TranslationResult): number | undefined {
    const cut = this.#cut
    if (!cut) return 0
    cut.again ??= result.utterance
    if (cut.again === result.utterance && !result.final && !result.audio) return undefined
    const same = cut.again === result.utterance && this.#repeats(result, cut.of)
    // Words only: the voice follows.
    if (same && !result.audio) return undefined
    this.#cut = undefined
    if (!same) return 0
    const { covered, skipMs, utterance } = cut.of
    const heardMs = utterance.audio.durationMs - covered.ms
    if (covered.ms > 0) return Math.max(0, heardMs - PART_OVERLAP_MS)
    known.caption = cut.of.caption
    known.said = cut.of.said
    return Math.max(0, skipMs + heardMs - OVERLAP_MS)
  }

  #notMp3(): void {
    if (!this.#saidNotMp3) this.#events.notMp3()
    this.#saidNotMp3 = true
  }

  /**
   * Emits each caption once, although every chunk of a voice can repeat the text; its details are those that came with the
   * text. Keeps words from earlier results.
   */
  #caption(known: Known, result: TranslationResult): void {
    const { final } = result
    if (result.text === undefined && result.translation === undefined) return
    if (final) known.said = { ...known.said, ...textsOf(result) }
    const { text, translation } = final ? known.said : result
    const caption = JSON.stringify([final, text, translation])
    if (caption === known.caption) return
    known.caption = caption
    this.#events.caption({
      utterance: known.name,
      final,
      text,
      translation,
      ...captionDetails(result),
    })
  }

  #of(utterance: string): Known {
    const known = this.#known.get(utterance)
    if (known) return known
    const name = `${this.#name}.${++this.#count}`
    const fresh = {
      name,
      caption: '',
      said: {},
      pieces: undefined,
      echo: false,
      text: undefined,
      translation: undefined,
      grows: false,
      inParts: false,
      final: false,
      course: {},
    }
    this.#known.set(utterance, fresh)
    return fresh
  }
}

/** Records when the final text and its translation first arrived. */
function noteCourse({ course }: Known, { text, translation, timing }: TranslationResult, now: number): void {
  if (text) course.textAt ??= now
  if (translation) course.translationAt ??= now
  if (timing) course.timing ??= timing
}

function textsOf({ text, translation }: TranslationResult): Said {
  return {
    ...(text === undefined ? {} : { text }),
    ...(translation === undefined ? {} : { translation }),
  }
}

/** The letters and digits of a text. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

/** Returns true if the words of a result differ from `said`. */
function differs({ text, translation }: TranslationResult, said: Said): boolean {
  return (
    (text !== undefined && text !== said.text) ||
    (translation !== undefined && translation !== said.translation)
  )
}
