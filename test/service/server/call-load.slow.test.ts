import { afterEach, describe, expect, test } from 'vitest'
import type { ServiceErrorBody, StsResult } from '../../../src/service/contract.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { KEY, realService } from '../../support/service/real-service.ts'
import { query, TestClient } from '../../support/service/test-client.ts'

const FRAGMENT = 960
const FRAGMENT_MS = 60
const clients: TestClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

/** Returns true if there was room, otherwise the reason. */
async function outcome(client: TestClient): Promise<'start' | ServiceErrorBody> {
  return Promise.race([
    client.until('start').then(() => 'start' as const),
    client.until<ServiceErrorBody>('connect_error'),
    client.error(),
  ])
}

async function arrive(url: string, count: number) {
  const crowd = Array.from({ length: count }, () => new TestClient(`${url}/sts`, KEY, query()))
  clients.push(...crowd)
  const outcomes = await Promise.all(crowd.map(outcome))
  return {
    served: crowd.filter((_, n) => outcomes[n] === 'start'),
    refused: outcomes.filter(each => each !== 'start'),
  }
}

/** Sends audio in real time; returns the time when each fragment was sent. */
async function speak(client: TestClient, pcm: Int16Array): Promise<number[]> {
  const sent: number[] = []
  const begin = performance.now()
  for (let at = 0; at < pcm.length; at += FRAGMENT) {
    const due = begin + (at / FRAGMENT) * FRAGMENT_MS
    await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())))
    void client.send(Buffer.from(bytesOf(pcm.slice(at, at + FRAGMENT))))
    sent.push(performance.now())
  }
  return sent
}

/** Real time for eight voices on a machine with other work (ms). */
const PATIENCE_MS = 180_000

describe('eight sessions with room for four', { timeout: PATIENCE_MS }, () => {
  const real = realService({ maxSessions: 4 })

  test('serves four to the end, and rejects four at once', async () => {
    const { served, refused } = await arrive(real.url, 8)
    expect(refused).toHaveLength(4)
    for (const body of refused) expect(body).toMatchObject({ code: 'limit', error: 'too_many_sessions' })
    await Promise.all(served.map(client => speak(client, joined(recording(2), pause(1_000)))))
    for (const client of served) {
      await client.until('endSynth')
      expect(client.payloads<StsResult>('result')[0]?.translation).toContain('joven')
      expect(client.names).not.toContain('error')
    }
  })
})

describe('eight sessions with room for eight', { timeout: PATIENCE_MS }, () => {
  /** The documented latency, and the limit below which a delay is not reported. */
  const LATENCY_MS = 1_000
  const MAX_BEHIND_MS = 2_000
  /** Delay of this process itself on a busy machine; it runs all clients and the service (ms). */
  const OWN_MS = 5_000
  const real = realService({
    maxSessions: 8,
    admitLagMs: 1_000,
  })

  test('each is served within the documented latency or notified otherwise, and all receive everything', async () => {
    const { served, refused } = await arrive(real.url, 8)
    for (const body of refused) expect(body).toMatchObject({ code: 'limit', error: 'service_behind' })
    expect(served.length).toBeGreaterThan(0)
    const said = joined(recording(2), pause(1_000), recording(5), pause(1_000))
    const sent = await Promise.all(served.map(client => speak(client, said)))
    for (const [n, client] of served.entries()) {
      await client.until('endSynth', 2)
      const results = client.heard.filter(({ name }) => name === 'result')
      const late = results.map(({ payload, at }) => {
        const fragment = Math.floor((payload as StsResult).endMs / FRAGMENT_MS)
        return at - (sent[n]![Math.min(fragment, sent[n]!.length - 1)] ?? 0)
      })
      const told = client.payloads<ServiceErrorBody>('error').map(({ error }) => error)
      expect(results.map(({ payload }) => (payload as StsResult).translation).join(' ')).toMatch(
        /joven.*amable/i,
      )
      if (told.length > 0) expect(new Set(told)).toEqual(new Set(['falling_behind']))
      else expect(Math.max(...late)).toBeLessThan(LATENCY_MS + MAX_BEHIND_MS + OWN_MS)
    }
  })
})
