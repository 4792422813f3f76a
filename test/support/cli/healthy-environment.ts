import type { DoctorEnvironment } from '../../../src/cli/doctor/doctor.ts'
import type { ProbeResult } from '../../../src/cli/doctor/http-probe.ts'
import type { TestCallOutcome } from '../../../src/cli/doctor/test-call.ts'
import type { LanguageEntry, VoiceEntry } from '../../../src/service/contract.ts'

const language = (languageId: string, transcription: boolean, translation: string[]): LanguageEntry => ({
  languageId,
  name: languageId,
  transcription,
  translation,
  synthesis: true,
})
const voice = (languageId: string): VoiceEntry => ({
  voiceId: `${languageId}-1`,
  name: 'One',
  languageId,
  voiceGender: 'F',
  voiceEngine: 'standard',
  modes: ['block', 'streaming'],
})

const answer = (status: number, body = ''): ProbeResult => ({
  kind: 'answer',
  ...{ status, body, location: undefined, certificateDays: 60 },
})
const HEARD: TestCallOutcome = {
  end: { kind: 'hangup', code: undefined, reason: '' },
  ...{ streamed: true, upgradeStatus: undefined, problems: [] },
  ...{ audibleMs: 1_000, levelDb: -20, translations: 1, latenciesMs: [900] },
}

/** A machine without problems, with changes. */
export function soundMachine(changes: Partial<DoctorEnvironment> = {}): DoctorEnvironment {
  return {
    nodeVersion: '24.21.0',
    loadLibrary: async () => undefined,
    ask: async () => 'eSpeak NG text-to-speech: 1.51  Data at: /usr/lib',
    statusOf: async () => 200,
    modelsAt: async () => undefined,
    testEngine: async ({ kind, name: engine }) => ({ kind, engine, outcome: 'ok' as const }),
    loadModel: async () => ({ worked: true, what: 'loaded', ms: 300 }),
    exists: async () => true,
    fileAccess: async () => undefined,
    unwritable: async () => undefined,
    list: async () => ['eng-spa.mode', 'spa-eng.mode', 'README'],
    service: async () => ({
      languages: async () => [language('en-us', true, ['es-es']), language('es-es', false, ['en-us'])],
      voices: async () => [voice('es-es'), voice('en-us')],
      session: async () => undefined,
      close: async () => {},
    }),
    fleet: async () => ({ up: true, nodes: ['b'] }),
    listen: async () => undefined,
    isDragoman: async () => true,
    receiver: async () => 405,
    twilioAccount: async () => undefined,
    carrierApi: async () => undefined,
    discord: async () => {
      throw new Error('unexpected request to Discord')
    },
    voiceParts: async () => {
      throw new Error('voice is of no interest')
    },
    probe: async ({ url }) =>
      url.endsWith('/health') ? answer(200, '{"status":"ok","legs":0}') : answer(204),
    testCall: async () => HEARD,
    localToken: async () => 'a-token-of-its-own',
    ...changes,
  }
}
