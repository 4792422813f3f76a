import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { VoiceEntry } from '../../../src/service/contract.ts'
import { buildService } from '../../../src/service/server/service.ts'
import { type ServiceConfig, serviceSettings } from '../../../src/service/server/settings.ts'
import { fakeEngines } from '../../support/engines/fake-engines.ts'
import { query, TestClient } from '../../support/service/test-client.ts'

test('requires only access to be configured', () => {
  const settings = serviceSettings({ apiKeys: ['k'] })
  expect(settings).toMatchObject({ host: '127.0.0.1', port: 0, open: false })
  expect(settings.maxSessions).toBeGreaterThanOrEqual(2)
})

test.each([
  [{}, 'apiKeys'],
  [{ apiKeys: [] }, 'apiKeys'],
  [{ apiKeys: [''] }, 'apiKeys'],
  [{ open: true, host: '0.0.0.0' }, 'open'],
  [{ apiKeys: ['k'], port: 70_000 }, 'port'],
  [{ apiKeys: ['k'], maxSesions: 3 }, 'maxSesions'],
  [{ apiKeys: ['k'], engines: { espeak: { rate: 5 } } }, 'rate'],
  [{ apiKeys: ['k'], voices: { spanish: 'x' } }, 'spanish'],
])('%j is rejected, naming %s', (config, key) => {
  expect(() => serviceSettings(config as ServiceConfig)).toThrow(RangeError)
  expect(() => serviceSettings(config as ServiceConfig)).toThrow(key)
})

test('without a key it listens on loopback only, even if other arguments are passed to listen', async () => {
  const service = await buildService({ open: true }, { engines: fakeEngines().set })
  await expect(service.listen({ host: '0.0.0.0' })).rejects.toThrow('loopback')
  await service.close()
})

test('starts with missing engines, lists the others, and names the missing ones', async () => {
  const service = await buildService({
    apiKeys: ['k'],
    engines: {
      pocketsphinx: { models: '/nowhere' },
      apertium: { modes: '/nowhere' },
      espeak: { enabled: false },
    },
  })
  const { url } = await service.listen()
  const languages = await fetch(`${url}/api/languages`, { headers: { 'x-api-key': 'k' } })
  expect(await languages.json()).toEqual([])
  const client = new TestClient(`${url}/sts`, 'k', query())
  expect(await client.error()).toMatchObject({ code: 'engine_missing', error: 'transcription_missing' })
  client.close()
  await service.close()
})

test('the voice of a language can be configured, and custom phrases take precedence', async () => {
  const phrasebook = join(tmpdir(), `phrases-${process.pid}.json`)
  await writeFile(phrasebook, JSON.stringify({ en: { es: { Hello: '¡Buenas!' } } }))
  const service = await buildService({
    apiKeys: ['k'],
    phrasebook,
    voices: { 'es-es': 'espeak-es-es-f3' },
    engines: { pocketsphinx: { enabled: false } },
  })
  const chosen: VoiceEntry | undefined = service.engines.voice('es-es')?.entry
  expect(chosen).toMatchObject({ voiceId: 'espeak-es-es-f3', voiceGender: 'F' })
  expect(await service.engines.translators[0]?.translate('hello', 'en-us', 'es-mx')).toBe('¡Buenas!')
  await service.close()
})

test('rejects an unknown chosen voice', async () => {
  const config = {
    apiKeys: ['k'],
    voices: { 'es-es': 'espeak-en-us' },
    engines: { pocketsphinx: { enabled: false } },
  }
  await expect(buildService(config)).rejects.toThrow('voices.es-es')
})

test('close is idempotent, and frees the port at once even with connected clients', async () => {
  const service = await buildService({ apiKeys: ['k'] }, { engines: fakeEngines().set })
  const { url, port } = await service.listen()
  const client = new TestClient(`${url}/stt`, 'k', query())
  await client.until('start')
  await Promise.all([service.close(), service.close()])
  await client.until('disconnect')
  const again = await buildService({ apiKeys: ['k'], port }, { engines: fakeEngines().set })
  await again.listen()
  await again.close()
})
