import { expect, it } from 'vitest'
import type { DoctorEnvironment, ExaminedService } from '../../../src/cli/doctor/environment.ts'
import { serviceChecks } from '../../../src/cli/doctor/service-checks.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'

const there: ExaminedService = {
  languages: async () => [
    { languageId: 'en-us', name: 'English', transcription: true, translation: ['es-es'], synthesis: true },
  ],
  voices: async () => [
    {
      voiceId: 'one',
      name: 'One',
      languageId: 'es-es',
      voiceGender: 'F',
      voiceEngine: 'standard',
      modes: ['block', 'streaming'],
    },
  ],
  session: async () => {},
  close: async () => {},
}

it('checks every fallback service with its own key and names the failing one', async () => {
  const asked: unknown[] = []
  const config = loadConfig({
    env: {},
    overrides: {
      service: {
        url: 'https://a.example.com',
        apiKey: 'key-a',
        fallbacks: [{ url: 'https://b.example.com', apiKey: 'key-b' }, { url: 'https://c.example.com' }],
      },
    },
  })
  const around = {
    service: async ({ service: { url, apiKey } }: typeof config) => {
      asked.push([url, apiKey])
      if (apiKey === 'key-b')
        throw ServiceClientError.found('unreachable/connection_failed', 'cannot reach it')
      return there
    },
  } as unknown as DoctorEnvironment
  const checks = await serviceChecks(config, around)
  expect(asked).toEqual([
    ['https://a.example.com', 'key-a'],
    ['https://b.example.com', 'key-b'],
    ['https://c.example.com', undefined],
  ])
  const named = (name: string) => checks.find(check => check.name === name)?.status
  expect(['service', 'fallback 1 service', 'fallback 2 service'].map(named)).toEqual(['ok', 'fail', 'ok'])
  expect(named('fallback 2 service key')).toBe('warn')
})
