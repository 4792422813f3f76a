import type { LanguageId } from '../../../common/language.ts'
import { createMp3, type Mp3Encoder, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { type TextTranslator, textPieces } from '../../engines/engine.ts'
import type { OfferedVoice } from '../../engines/engine-set.ts'
import { ServiceError } from '../errors.ts'
import type { JobContext } from './job-form.ts'

/** Maximum length of a text passed to an engine (characters). */
const MOST = 1_000

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Splits a text into lines and each line into sentences; a very long sentence is split between words. Blank lines are
 * empty lists.
 */
function linesOfSentences(text: string): string[][] {
  return text.split(/\r\n|\r|\n/).map(line =>
    Array.from(segmenter.segment(line), ({ segment }) => segment.trim())
      .filter(sentence => sentence !== '')
      .flatMap(sentence => (sentence.length > MOST ? textPieces(sentence, MOST) : sentence)),
  )
}

/** Pause after a sentence (ms). */
const PAUSE_MS = 250

/** Synthesizes texts one after the other into one mp3, sentence by sentence. */
export class SpokenFile {
  readonly #voice: OfferedVoice
  readonly #rate: Mp3Rate
  readonly #context: Pick<JobContext, 'calm' | 'signal'>
  readonly #pieces: Uint8Array[] = []
  #encoder: Mp3Encoder | undefined
  #from = 0

  /** Aborting the signal makes `speak` reject with its reason. */
  constructor(voice: OfferedVoice, rate: Mp3Rate, context: Pick<JobContext, 'calm' | 'signal'>) {
    this.#voice = voice
    this.#rate = rate
    this.#context = context
  }

  /** Rejects with `synthesis_failed` when the engine fails, or with the reason of the signal. */
  async speak(text: string): Promise<void> {
    const { calm, signal } = this.#context
    for (const sentence of linesOfSentences(text).flat()) {
      await calm()
      try {
        await this.#say(sentence)
      } catch (cause) {
        signal.throwIfAborted()
        throw new ServiceError('synthesis_failed', 'the speech synthesis engine failed', { cause })
      }
      signal.throwIfAborted()
    }
  }

  /** Returns the whole mp3; empty without speech. Must be the last call. */
  finish(): Uint8Array {
    this.#end()
    return Buffer.concat(this.#pieces)
  }

  async #say(sentence: string): Promise<void> {
    const { engine, entry } = this.#voice
    const { rate, pieces } = await engine.speak(sentence, entry.voiceId, this.#context.signal)
    const encoder = await this.#encoderFor(rate)
    for await (const pcm of pieces) this.#pieces.push(encoder.encode(pcm))
    this.#pieces.push(encoder.encode(new Int16Array((rate * PAUSE_MS) / 1000)))
  }

  /** One encoder for the whole file, as long as the voice keeps its rate. */
  async #encoderFor(rate: number): Promise<Mp3Encoder> {
    if (this.#encoder && rate === this.#from) return this.#encoder
    this.#end()
    this.#from = rate
    this.#encoder = await createMp3(rate, this.#rate)
    return this.#encoder
  }

  #end(): void {
    if (this.#encoder) this.#pieces.push(this.#encoder.finish())
    this.#encoder = undefined
  }
}

/** A language pair and the engine that translates it. */
export interface Translation {
  readonly translator: TextTranslator
  readonly source: LanguageId
  readonly target: LanguageId
}

/**
 * Translates `text` sentence by sentence and keeps its lines. Throws `translation_failed`, or the reason of `signal`.
 */
export async function translated(
  text: string,
  { translator, source, target }: Translation,
  { calm, signal }: Pick<JobContext, 'calm' | 'signal'>,
): Promise<string> {
  const lines: string[] = []
  for (const sentences of linesOfSentences(text)) {
    const line: string[] = []
    for (const sentence of sentences) {
      await calm()
      line.push(await attempt(() => translator.translate(sentence, source, target)))
      signal.throwIfAborted()
    }
    lines.push(line.filter(Boolean).join(' '))
  }
  return lines.join('\n').trim()
}

async function attempt(translate: () => Promise<string>): Promise<string> {
  try {
    return await translate()
  } catch (cause) {
    throw new ServiceError('translation_failed', 'the translation engine failed', { cause })
  }
}
