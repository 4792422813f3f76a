import { systemClock } from '../../../../src/common/clock.ts'
import { systemWallClock } from '../../../../src/common/wall-clock.ts'
import type { SpeechTranslator } from '../../../../src/service/engines/engine.ts'
import { DeepLSpeechTranslator } from '../../../../src/service/engines/vendors/deepl-voice.ts'
import { GeminiSpeechTranslator } from '../../../../src/service/engines/vendors/gemini.ts'
import { OpenAiSpeechTranslator } from '../../../../src/service/engines/vendors/openai/openai-translation.ts'
import { SonioxSpeechTranslator } from '../../../../src/service/engines/vendors/soniox/soniox-translation.ts'
import { FakeDeepLVoice } from './fake-deepl-voice.ts'
import { FakeGemini } from './fake-gemini.ts'
import { FAKE_KEY, type FakeLiveServer } from './fake-live-server.ts'
import { FakeOpenAiRealtime, SPOKEN_MS } from './fake-openai-realtime.ts'
import { FakeSonioxLive } from './fake-soniox-live.ts'
import { FakeSonioxVoice } from './fake-soniox-voice.ts'

const LIVE = {
  timeoutMs: 3_000,
  cooldownMs: 60_000,
  quietMs: 20_000,
  stallMs: 800,
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
  const models = { model: 'gpt-realtime-translate', transcriptionModel: 'gpt-realtime-whisper' }
  return {
    server,
    engine: (changes = {}) =>
      new OpenAiSpeechTranslator(
        { ...LIVE, ...models, url: server.url, ...changes },
        systemClock,
        systemWallClock,
      ),
    refusals: () => server.refusals,
    spokenMs: SPOKEN_MS,
  }
}

export async function sonioxInterpreter() {
  const server = await new FakeSonioxLive().listen()
  const voice = await new FakeSonioxVoice().listen()
  const options = {
    ...LIVE,
    ...{ model: 'stt-rt-v5', pauseMs: 500, terms: [], voiceModel: 'tts-rt-v2', idleMs: 60_000 },
    voices: [
      { voice: 'Adrian', gender: 'M' as const },
      { voice: 'Maya', gender: 'F' as const, languages: ['es-es'] },
    ],
    url: server.url,
    voiceUrl: voice.url,
  }
  return {
    server,
    voice,
    engine: (changes = {}) => new SonioxSpeechTranslator({ ...options, ...changes }, systemClock),
    refusals: () => [...server.refusals, ...voice.refusals],
    spokenMs: 400,
  }
}

export async function deeplInterpreter() {
  const server = await new FakeDeepLVoice().listen()
  const options = { ...LIVE, url: server.url, formality: 'default' as const }
  return {
    server,
    engine: (changes = {}) => new DeepLSpeechTranslator({ ...options, ...changes }, systemClock),
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
  ['DeepL', deeplInterpreter],
  ['Gemini', geminiInterpreter],
]
