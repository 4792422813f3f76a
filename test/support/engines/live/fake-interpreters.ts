import { systemClock } from '../../../../src/common/clock.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import type { SpeechTranslator } from '../../../../src/service/engines/engine.ts'
import { GeminiSpeechTranslator } from '../../../../src/service/engines/vendors/gemini.ts'
import { OpenAiSpeechTranslator } from '../../../../src/service/engines/vendors/openai/realtime.ts'
import { SonioxSpeechTranslator } from '../../../../src/service/engines/vendors/soniox/interpreter.ts'
import { FakeGemini } from './fake-gemini.ts'
import { FAKE_KEY, type FakeLiveServer } from './fake-live-server.ts'
import { FakeOpenAiRealtime, SPOKEN_MS } from './fake-openai-realtime.ts'
import { FakeSonioxLive } from './fake-soniox-live.ts'

const LIVE = {
  apiKey: FAKE_KEY,
  languages: ['en-us', 'es-es'],
}

/** A speech translator with a fake of its service, possibly of several servers. */
export interface FakeInterpreter {
  /** The server of recognition and translation. */
  readonly server: FakeLiveServer
  /** Creates the engine, with other settings if given. */
  readonly engine: (changes?: object) => SpeechTranslator
  /** Reasons for which any of its servers refused a request. */
  readonly refusals: () => readonly string[]
  /** Length of a spoken word (ms). */
  readonly spokenMs: number
}

export async function openAiInterpreter() {
  const server = await new FakeOpenAiRealtime().listen()
  return {
    server,
    engine: (changes = {}) =>
      new OpenAiSpeechTranslator(
        { ...LIVE, model: 'gpt-realtime-translate', url: server.url, ...changes },
        systemClock,
        systemWallClock,
      ),
    refusals: () => server.refusals,
    spokenMs: SPOKEN_MS,
  }
}

export async function sonioxInterpreter() {
  const server = await new FakeSonioxLive().listen()
  const options = {
    ...LIVE,
    ...{ model: 'stt-rt-v5', pauseMs: 500 },
    voices: [
      { voice: 'Adrian', gender: 'M' as const },
      { voice: 'Maya', gender: 'F' as const, languages: ['es-es'] },
    ],
    url: server.url,
  }
  return {
    server,
    engine: (changes = {}) => new SonioxSpeechTranslator({ ...options, ...changes }, systemClock),
    refusals: () => server.refusals,
    spokenMs: 400,
  }
}

export async function geminiInterpreter() {
  const server = await new FakeGemini().listen()
  const options = { ...LIVE, url: server.url, model: 'gemini-3.5-live-translate-preview' }
  return {
    server,
    engine: (changes = {}) => new GeminiSpeechTranslator({ ...options, ...changes }, systemClock),
    refusals: () => server.refusals,
    spokenMs: 400,
  }
}

/** All of them, by name. */
export const FAKE_INTERPRETERS: readonly (readonly [string, () => Promise<FakeInterpreter>])[] = [
  ['OpenAI', openAiInterpreter],
  ['Soniox', sonioxInterpreter],
  ['Gemini', geminiInterpreter],
]
