import { expect, test } from 'vitest'
import { guarded } from '../support/security/guarded.ts'
import { rawConnection } from '../support/security/raw.ts'
import { fakeService } from '../support/service/fake-service.ts'

test('the bridge cuts slow heads and bodies and silent connections in time', async () => {
  const { app, port } = await guarded({ limits: { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000 } })
  const silent = rawConnection(port)
  const slowHead = rawConnection(port)
  slowHead.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n')
  const dripping = setInterval(() => slowHead.socket.write('X-A: b\r\n'), 200)
  const slowBody = rawConnection(port)
  slowBody.socket.write(
    'POST /twilio/voice HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\na',
  )
  const drops = setInterval(() => slowBody.socket.write('b'), 200)
  const times = await Promise.all([silent.over, slowHead.over, slowBody.over])
  clearInterval(dripping)
  clearInterval(drops)
  // Never closes early; the check runs once a second.
  expect(times[1]).toBeGreaterThan(900)
  expect(times[2]).toBeGreaterThan(1_900)
  for (const ms of times) expect(ms).toBeLessThan(9_000)
  expect(slowHead.text()).toMatch(/^HTTP\/1.1 408 /)
  expect(app.requestGuard.counters.malformed).toBeGreaterThanOrEqual(2)
  await expect.poll(() => app.requestGuard.counters.connections).toBe(0)
})

test('the service cuts slow request headers and silent connections in time', async () => {
  const { url } = await fakeService({ limits: { headersTimeoutMs: 1_000 } })
  const port = Number(new URL(url).port)
  const slow = rawConnection(port)
  slow.socket.write('GET /health HTTP/1.1\r\nHost: a\r\n')
  const dripping = setInterval(() => slow.socket.write('X-A: b\r\n'), 200)
  const silent = rawConnection(port)
  const times = await Promise.all([slow.over, silent.over])
  clearInterval(dripping)
  for (const ms of times) expect(ms).toBeLessThan(9_000)
})
