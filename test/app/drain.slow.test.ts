import { expect, test } from 'vitest'
import { buildApp } from '../../src/app/app.ts'

test('health checks report when the embedded service has died and when it has recovered', async () => {
  await using app = await buildApp({ port: 0, twilio: { insecure: true } })
  const ready = async () => (await app.server.inject('/ready')).statusCode
  expect(await ready()).toBe(200)
  process.kill(app.service?.pid ?? Number.NaN, 'SIGKILL')
  await expect.poll(ready).toBe(503)
  expect((await app.server.inject('/ready')).json()).toMatchObject({ status: 'service-unavailable' })
  expect((await app.server.inject('/live')).statusCode).toBe(200)
  await expect.poll(ready).toBe(200)
})
