import type { SpeechStream, SpeechToText, TranscriptSink } from '../../../src/service/engines/engine.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { FakeSynthesizer, FakeTranslator } from '../engines/fake-engines.ts'

/** A recognizer that returns `says` for any audio at once, fails, or never returns. */
export class QuickEars implements SpeechToText {
  readonly name = 'quick-ears'
  languages = ['en-us', 'en-gb']
  says: readonly string[] = ['hello world']
  /** `break`: fails at the first audio. `stuck`: never returns a result. */
  mood: 'well' | 'break' | 'stuck' = 'well'
  /** All audio written so far. */
  readonly written: Int16Array[] = []
  opened = 0

  async open(_language: string, sink: TranscriptSink): Promise<SpeechStream> {
    this.opened++
    let said = false
    const ears = this
    const stream: SpeechStream = {
      get queuedMs() {
        return ears.mood === 'stuck' ? 10_000 : 0
      },
      get waitingMs() {
        return stream.queuedMs
      },
      behindMs: 0,
      write(pcm) {
        ears.written.push(pcm.slice())
        if (ears.mood === 'break') sink.failed(new Error('ears fell off'))
        if (ears.mood !== 'well' || said) return
        said = true
        ears.says.forEach((text, index) => {
          sink.final({ utterance: index + 1, text, startMs: index * 1000, endMs: index * 1000 + 500 })
        })
      },
      async close() {
        ears.opened--
      },
    }
    return stream
  }

  async close(): Promise<void> {}
}

/** Engines for batch tests. */
export function quickEngines() {
  const ears = new QuickEars()
  const engines = new EngineSet({
    speechToText: [ears],
    translators: [new FakeTranslator()],
    synthesizers: [new FakeSynthesizer()],
  })
  return { ears, engines }
}
