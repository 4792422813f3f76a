import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { rawConnection } from '../support/security/raw.ts'
import { fakeService } from '../support/service/fake-service.ts'

const STRICT = { exemptAddresses: [] }
const UPGRADE =
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

test('limits unauthenticated clients per address; a session takes no place of theirs', async () => {
  const { service, url, ready } = await fakeService({ limits: { ...STRICT, connectionsPerAddress: 4 } })
  const port = Number(new URL(url).port)
  const { client } = await ready('/stt', { languageIdSource: 'en-us' })
  await expect.poll(() => service.requestGuard.counters.unauthenticated).toBe(0)
  const open = Array.from({ length: 7 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await expect.poll(() => service.requestGuard.counters.displaced).toBe(3)
  expect(client.names).not.toContain('disconnect')
  for (const each of open) each.destroy()
})

test('answers requests without a key with 429; with a key, they are never counted', async () => {
  const limits = { ...STRICT, unauthenticatedPerSecond: 1, connectionsPerAddress: 1_000 }
  const { url, get } = await fakeService({ limits }, { clock: new FakeClock() })
  const port = Number(new URL(url).port)
  for (let n = 0; n < 30; n++) expect((await get('/api/languages')).status).toBe(200)
  const one = rawConnection(port)
  one.socket.write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(11))
  await one.over
  const statuses = [...one.text().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
  expect(statuses).toEqual([...Array(10).fill('404'), '429'])
  // The key of a session is in its first packet: connections that wait for it are limited in number.
  const other = rawConnection(port)
  other.socket.write(UPGRADE)
  await expect.poll(() => other.text()).toContain(' 101 ')
  await other[Symbol.asyncDispose]()
  expect((await get('/api/languages')).status).toBe(200)
})

test('rejects new sessions while the service is short of memory, and continues current ones', async () => {
  let share = 0.1
  const clock = new FakeClock()
  const it = await fakeService({}, { clock, memoryShare: () => share })
  const { client } = await it.ready('/stt', { languageIdSource: 'en-us' })
  share = 0.95
  clock.advance(2_000)
  const refused = it.connect('/stt', { languageIdSource: 'en-us' })
  expect(await refused.until('connect_error')).toMatchObject({ code: 'limit', error: 'service_behind' })
  expect(client.names).not.toContain('disconnect')
  share = 0.1
  clock.advance(5_000)
  await it.ready('/stt', { languageIdSource: 'en-us' })
})
