import { type Clock, pause } from '../../src/common/clock.ts'
import type { LanguageId } from '../../src/common/language.ts'
import type { VoiceEntry } from '../../src/service/contract.ts'
import type {
  Speech,
  SpeechStream,
  SpeechToText,
  Synthesizer,
  TextTranslator,
  TranscriptSink,
} from '../../src/service/engines/engine.ts'
import { durationMs } from '../../src/transcode/pcm.ts'
import { scriptEndMs, scriptStartMs } from './marked-audio.ts'
import type { Script, ScriptWord } from './material.ts'

/** How a recognizer reports words. */
export interface Habit {
  readonly name: string
  /** Time from the end of a word until a partial has it, and from one partial to the next (ms). */
  readonly delayMs: number
  readonly everyMs: number
  /** Pause that ends an utterance (ms). */
  readonly pauseMs: number
  /** Last words of a partial that are wrong, and differ from one partial to the next. */
  readonly unsure: number
  /** Words of a partial, from its end, that it does not count as final; absent: it does not say. */
  readonly open?: number
}

/** Typical ones: a vendor's that marks final words, one that revises its last words, and a slow one. */
export const HABITS: readonly Habit[] = [
  { name: 'stable', delayMs: 250, everyMs: 240, pauseMs: 400, unsure: 0, open: 1 },
  { name: 'revising', delayMs: 200, everyMs: 240, pauseMs: 400, unsure: 1 },
  { name: 'late', delayMs: 600, everyMs: 400, pauseMs: 700, unsure: 0 },
]

/** A recognizer ends an utterance without pauses after this time (ms). */
const LONGEST_MS = 12_000

/** Recognizes the words of a script by the marks in its audio. */
export class ScriptedRecognizer implements SpeechToText {
  readonly name = 'scripted'
  readonly languages: readonly LanguageId[]
  readonly #script: Script
  readonly #habit: Habit

  constructor(language: LanguageId, script: Script, habit: Habit) {
    this.languages = [language]
    this.#script = script
    this.#habit = habit
  }

  async open(_language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    return new ScriptedStream(sink, this.#script.words, this.#habit)
  }

  async close(): Promise<void> {}
}

class ScriptedStream implements SpeechStream {
  readonly queuedMs = 0
  readonly waitingMs = 0
  readonly behindMs = 0
  readonly #sink: TranscriptSink
  readonly #words: readonly ScriptWord[]
  readonly #habit: Habit
  /** Position of this stream's audio, and what to add for that of the script (ms). */
  #position = 0
  #toScript: number | undefined
  /** The utterance: its first word and the number of its words so far. */
  #from = 0
  #count = 0
  #utterance = 1
  #shown = 0
  #partials = 0
  #partialAt = 0

  constructor(sink: TranscriptSink, words: readonly ScriptWord[], habit: Habit) {
    this.#sink = sink
    this.#words = words
    this.#habit = habit
  }

  write(pcm: Int16Array): void {
    if (this.#toScript === undefined) {
      const startMs = scriptStartMs(pcm)
      this.#toScript = startMs - this.#position
      // Half of a word is enough to recognize it.
      const first = this.#words.findIndex(({ startMs: from, endMs }) => (from + endMs) / 2 >= startMs)
      this.#from = first < 0 ? this.#words.length : first
    }
    this.#position += durationMs(pcm.length)
    const now = scriptEndMs(pcm)
    this.#toScript = now - this.#position
    this.#listen(now)
  }

  async close(): Promise<void> {}

  #listen(now: number): void {
    const { delayMs, everyMs, pauseMs } = this.#habit
    for (
      let next = this.#words[this.#from + this.#count];
      next;
      next = this.#words[this.#from + this.#count]
    ) {
      const last = this.#words[this.#from + this.#count - 1]
      if (this.#count > 0 && next.startMs - last!.endMs >= pauseMs) break
      if (next.endMs + delayMs > now) break
      this.#count++
    }
    if (this.#count === 0) return
    const last = this.#words[this.#from + this.#count - 1]!
    const next = this.#words[this.#from + this.#count]
    const pauses = now - last.endMs >= pauseMs && (!next || next.startMs - last.endMs >= pauseMs)
    if (pauses || last.endMs - this.#words[this.#from]!.startMs >= LONGEST_MS) {
      this.#sink.final(this.#transcript(this.#texts(0)))
      this.#from += this.#count
      this.#count = 0
      this.#shown = 0
      this.#utterance++
    } else if (this.#count > this.#shown && now - this.#partialAt >= everyMs) {
      this.#partialAt = now
      this.#partials++
      this.#shown = this.#count
      const { unsure, open } = this.#habit
      const texts = this.#texts(unsure)
      const stable = open === undefined ? undefined : texts.slice(0, -open).join(' ').length
      this.#sink.partial({ ...this.#transcript(texts), ...(stable === undefined ? {} : { stable }) })
    }
  }

  #texts(unsure: number): string[] {
    return Array.from({ length: this.#count }, (_, n) => {
      const { text } = this.#words[this.#from + n]!
      return n < this.#count - unsure ? text : `${text.slice(0, 2)}${'ae'[this.#partials % 2]}`
    })
  }

  #transcript(texts: readonly string[]) {
    const toStream = (ms: number) => Math.max(0, Math.round(ms - this.#toScript!))
    const { startMs } = this.#words[this.#from]!
    const last = this.#words[this.#from + this.#count - 1]!
    const endMs = Math.max(toStream(startMs) + 1, toStream(last.endMs))
    return { utterance: this.#utterance, text: texts.join(' '), startMs: toStream(startMs), endMs }
  }
}

/** A text that was spoken, and what became of it (clock ms). */
export interface SpokenText {
  readonly text: string
  /** Its first sample left the voice. */
  spokenAt: number | undefined
  /** Length of its voice (ms), and its tone (Hz). */
  readonly lengthMs: number
  readonly hz: number
}

/** Translates by marking each word, after a delay. */
export class ScriptedTranslator implements TextTranslator {
  readonly name = 'scripted'
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #from: LanguageId
  readonly #to: LanguageId

  constructor(clock: Clock, from: LanguageId, to: LanguageId, delayMs = 150) {
    this.#clock = clock
    this.#from = from
    this.#to = to
    this.#delayMs = delayMs
  }

  targets(from: LanguageId): readonly LanguageId[] {
    return from === this.#from ? [this.#to] : []
  }

  prepare(): void {}

  async translate(text: string): Promise<string> {
    await pause(this.#clock, this.#delayMs)
    return translated(text)
  }

  async close(): Promise<void> {}
}

/** The translation of a text: as many words, each marked. */
export function translated(text: string): string {
  return text
    .split(' ')
    .map(word => word.replace(/^([^\p{L}\p{N}]*)([\p{L}\p{N}'’:-]+)/u, '$1$2x'))
    .join(' ')
}

/** Tones of successive texts: far enough apart to be told apart in 20 ms. */
export const TONES = [450, 650, 850, 1_050, 1_250, 1_450] as const
const RATE = 16_000
const PIECE_MS = 100

/** Speaks tones, each text in the next one: the first sample after a delay, the rest faster than it plays. */
export class ScriptedVoice implements Synthesizer {
  readonly name = 'scripted'
  readonly voices: readonly VoiceEntry[]
  readonly spoken: SpokenText[] = []
  readonly #clock: Clock
  readonly #firstMs: number
  readonly #wordMs: number

  constructor(clock: Clock, language: LanguageId, { firstMs = 200, wordMs = 330 } = {}) {
    this.voices = [
      {
        ...{ voiceId: 'tone', name: 'Tone', languageId: language, voiceGender: 'F', voiceEngine: 'standard' },
        modes: ['block', 'streaming'],
      },
    ]
    this.#clock = clock
    this.#firstMs = firstMs
    this.#wordMs = wordMs
  }

  async speak(text: string): Promise<Speech> {
    const hz = TONES[this.spoken.length % TONES.length]!
    const lengthMs = Math.max(200, text.split(' ').length * this.#wordMs)
    const spoken: SpokenText = { text, spokenAt: undefined, lengthMs, hz }
    this.spoken.push(spoken)
    await pause(this.#clock, this.#firstMs)
    return { rate: RATE, pieces: this.#pieces(spoken) }
  }

  async close(): Promise<void> {}

  async *#pieces(spoken: SpokenText): AsyncGenerator<Int16Array> {
    spoken.spokenAt = this.#clock.now()
    const samples = (PIECE_MS * RATE) / 1_000
    const step = (2 * Math.PI * spoken.hz) / RATE
    for (let at = 0; at < (spoken.lengthMs * RATE) / 1_000; at += samples) {
      const length = Math.min(samples, (spoken.lengthMs * RATE) / 1_000 - at)
      yield Int16Array.from({ length }, (_, n) => Math.round(6_000 * Math.sin(step * (at + n))))
      await pause(this.#clock, PIECE_MS / 5)
    }
  }
}
