import { expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { conform, examine } from '../../../src/cli/conformance/conform.ts'
import { failure } from '../../../src/cli/errors.ts'
import { Terminal } from '../../../src/cli/terminal.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { ServiceClient } from '../../../src/service/client/service-client.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

const OPTIONS = { from: 'en-us', to: 'es-es', text: 'hello', speech: 'hola', patience: 2 }
const quiet = new Terminal({ isTTY: false, columns: 80, write: () => true } as never)

test.each([
  ['wrong', 'the key was refused (HTTP 401 unauthorized/key_wrong)'],
  ['', 'the service requires a key (HTTP 401 unauthorized/key_missing)'],
])('with the key %j it says so and stops after a request and a connection', async (key, message) => {
  const { url, service, get } = await fakeService({ maxAttemptsPerMinute: 3 })
  const error = await conform({ url, key, ...OPTIONS }, quiet).catch((caught: unknown) => caught)
  expect(failure(error)).toContain(message)
  expect(service.figures().errors).toEqual({ [key === '' ? 'key_missing' : 'key_wrong']: 2 })
  // A key this short is not checked from a locked address.
  expect((await get('/api/languages')).status).toBe(200)
})

test('its own requests with a wrong key do not lock the address', async () => {
  const { url, get } = await fakeService({ apiKeys: [KEY] })
  const probe = { base: url, apiKey: KEY, source: 'en-us', target: 'es-es', text: 'hello', speech: 'hola' }
  const pcm = tone(440, 100)
  await examine({ ...probe, pcm, pace: 0, patienceMs: 30, quietMs: 5, clock: systemClock })
  // A key this short is not checked from a locked address.
  expect((await get('/api/languages')).status).toBe(200)
})

test('other commands say that the key was refused as well', async () => {
  const { url } = await fakeService()
  const client = new ServiceClient({ url, apiKey: 'wrong' })
  expect(failure(await client.languages().catch((error: unknown) => error))).toMatch(
    /^the translation service refused the key .*key_wrong.*service\.apiKey/,
  )
})
