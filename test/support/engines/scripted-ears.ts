import type { LanguageId } from '../../../src/common/language.ts'
import type { SpeechStream, SpeechToText, TranscriptSink } from '../../../src/service/engines/engine.ts'

/** Samples of silence after which an utterance ends, at 16 kHz. */
const PAUSE = 8_000

/** A recognizer that hears loud samples, and returns the next of its texts for each utterance. */
export class ScriptedEars implements SpeechToText {
  readonly name: string
  readonly languages: readonly LanguageId[]
  readonly #texts: string[]
  /** All samples written, in every stream. */
  samples = 0
  closed = false

  constructor(texts: readonly string[], { name = 'ears', languages = ['en-us'] } = {}) {
    this.name = name
    this.languages = languages
    this.#texts = [...texts]
  }

  async open(_language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    let [at, spokenTo, begun, utterance] = [0, 0, false, 1]
    return {
      queuedMs: 0,
      waitingMs: 0,
      behindMs: 0,
      write: pcm => {
        this.samples += pcm.length
        at += pcm.length
        if (pcm.some(sample => Math.abs(sample) > 1_000)) {
          spokenTo = at
          if (!begun) sink.partial({ utterance, text: 'so far', startMs: 0, endMs: at / 16 })
          begun = true
        } else if (begun && at - spokenTo >= PAUSE) {
          begun = false
          const text = this.#texts.shift() ?? ''
          sink.final({ utterance: utterance++, text, startMs: 0, endMs: spokenTo / 16 })
        }
      },
      close: async () => {},
    }
  }

  async close(): Promise<void> {
    this.closed = true
  }
}
