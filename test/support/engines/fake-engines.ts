import type { LanguageId } from '../../../src/common/language.ts'
import type { VoiceEntry } from '../../../src/service/contract.ts'
import {
  EngineError,
  type InterpretationRequest,
  type InterpretationSink,
  type Speech,
  type SpeechStream,
  type SpeechToText,
  type SpeechTranslator,
  type Synthesizer,
  type TextTranslator,
  type TranscriptSink,
} from '../../../src/service/engines/engine.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { sine } from '../transcode/tone.ts'

/** A stream that returns scripted results. */
export class FakeStream implements SpeechStream {
  readonly sink: TranscriptSink
  samples = 0
  queuedMs = 0
  waitingMs = 0
  behindMs = 0
  closed = false
  #utterance = 0

  constructor(sink: TranscriptSink) {
    this.sink = sink
  }

  write(pcm: Int16Array): void {
    this.samples += pcm.length
  }

  /** The speaker has said `text`, in a `language` that was detected. */
  hear(text: string, language?: LanguageId): void {
    this.#utterance++
    this.sink.final({ utterance: this.#utterance, text, startMs: 0, endMs: 500, language })
  }

  /** The speaker is saying `text`. */
  guess(text: string): void {
    this.sink.partial({ utterance: this.#utterance + 1, text, startMs: 0, endMs: 300 })
  }

  async close(): Promise<void> {
    this.closed = true
  }
}

export class FakeRecognizer implements SpeechToText {
  readonly name = 'fake-ears'
  readonly languages: readonly LanguageId[] = ['en-us']
  readonly streams: FakeStream[] = []
  refuses = false
  /** Streams wait for this before they open. */
  gate: Promise<void> = Promise.resolve()

  async open(_language: LanguageId, sink: TranscriptSink): Promise<SpeechStream> {
    await this.gate
    if (this.refuses) throw new Error('no ears')
    const stream = new FakeStream(sink)
    this.streams.push(stream)
    return stream
  }

  async close(): Promise<void> {}
}

/** Translates into capitals; `fail` makes it throw, `hang` never responds. */
export class FakeTranslator implements TextTranslator {
  readonly name = 'fake-words'

  targets(from: LanguageId): readonly LanguageId[] {
    return from === 'en-us' ? ['es-es', 'ca-es'] : []
  }

  prepare(): void {}

  async translate(text: string): Promise<string> {
    if (text === 'fail') throw new Error('no words')
    return text === 'nothing' ? '' : text.toUpperCase()
  }

  async close(): Promise<void> {}
}

/** Speaks a tone of 100 ms per word; `MUTE` makes it throw before, `STOP` after the first word. */
export class FakeSynthesizer implements Synthesizer {
  readonly name = 'fake-mouth'
  readonly voices: readonly VoiceEntry[] = [
    {
      voiceId: 'one',
      name: 'One',
      languageId: 'es-es',
      voiceGender: 'F',
      voiceEngine: 'standard',
      modes: ['block', 'streaming'],
    },
  ]

  async speak(text: string): Promise<Speech> {
    if (text === 'MUTE') throw new Error('no mouth')
    return {
      rate: 22_050,
      pieces: (async function* () {
        for (const word of text.split(' ')) {
          if (word === 'STOP') throw new Error('mouth shut')
          yield sine(440, 200, 8_000, 22_050)
          await new Promise(resolve => setImmediate(resolve))
        }
      })(),
    }
  }

  async close(): Promise<void> {}
}

/** A speech translator whose streams tests drive. */
export class FakeInterpreter implements SpeechTranslator {
  readonly name = 'fake-interpreter'
  readonly voices: readonly VoiceEntry[] = []
  readonly sinks: InterpretationSink[] = []
  samples = 0
  refuses = false

  targets(from: LanguageId): readonly LanguageId[] {
    return from === 'en-us' ? ['es-es', 'fr-fr'] : []
  }

  async open(_request: InterpretationRequest, sink: InterpretationSink): Promise<SpeechStream> {
    if (this.refuses) throw new EngineError('interpretation', this.name, 'cannot be reached')
    this.sinks.push(sink)
    return {
      queuedMs: 0,
      waitingMs: 0,
      behindMs: 0,
      write: pcm => {
        this.samples += pcm.length
      },
      close: async () => {},
    }
  }

  async close(): Promise<void> {}
}

/** The engines of the three parts, as a set for a service. */
export function fakeEngines() {
  const recognizer = new FakeRecognizer()
  const set = new EngineSet({
    speechToText: [recognizer],
    translators: [new FakeTranslator()],
    synthesizers: [new FakeSynthesizer()],
  })
  return { recognizer, set }
}
