import { afterAll, expect, test } from 'vitest'
import type { ServiceErrorBody, StsResult } from '../../../src/service/contract.ts'
import { KEY, realService, speak } from './helpers/real-service.ts'
import { joined, pause, recording } from './helpers/recordings.ts'
import { query, TestClient } from './helpers/test-client.ts'

const real = realService({ maxSessions: 4 })
const clients: TestClient[] = []
afterAll(() => {
  for (const client of clients) client.close()
})

/** Whether there was room; the reason if not. */
async function outcome(client: TestClient): Promise<'start' | ServiceErrorBody> {
  return Promise.race([
    client.until('start').then(() => 'start' as const),
    client.until<ServiceErrorBody>('connect_error'),
    client.error(),
  ])
}

test('eight at once where four have room: four are served to the end, four are told so at once', async () => {
  for (let n = 0; n < 8; n++) clients.push(new TestClient(`${real.url}/sts`, KEY, query()))
  const outcomes = await Promise.all(clients.map(outcome))
  const refused = outcomes.filter(each => each !== 'start')
  expect(refused).toHaveLength(4)
  for (const body of refused) expect(body).toMatchObject({ code: 'limit', error: 'too_many_sessions' })
  const served = clients.filter((_, n) => outcomes[n] === 'start')
  await Promise.all(served.map(client => speak(client, joined(recording(2), pause(1_000)), 60)))
  for (const client of served) {
    await client.until('endSynth')
    expect(client.payloads<StsResult>('result')[0]?.translation).toContain('joven')
    expect(client.names).not.toContain('error')
  }
})
