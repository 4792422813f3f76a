import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { buildService, type Service } from '../../../src/service/server/service.ts'
import type { ServiceConfig } from '../../../src/service/server/settings.ts'
import { bytesOf } from '../../../src/transcode/pcm.ts'
import { NEVER_LATE, NEVER_OVERLOADED } from './no-lag.ts'
import { query, TestClient } from './test-client.ts'

export const KEY = 'a-key-for-tests'

/** A service with the installed engines, for all tests of a file. */
export function realService(config: Partial<ServiceConfig> = {}) {
  const clients: TestClient[] = []
  let service: Service
  let url = ''
  beforeAll(async () => {
    service = await buildService({ apiKeys: [KEY], ...NEVER_LATE, ...config }, { limits: NEVER_OVERLOADED })
    url = (await service.listen()).url
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await service.close()
  })
  return {
    get service() {
      return service
    },
    get url() {
      return url
    },
    async ready(namespace: string, parameters: Record<string, unknown> = {}) {
      const client = new TestClient(`${url}${namespace}`, KEY, query(parameters))
      clients.push(client)
      await client.until('start')
      return client
    },
  }
}

/** Sends `pcm` in fragments of 60 ms, at once or in real time; returns the acknowledgments. */
export async function speak(client: TestClient, pcm: Int16Array, paceMs = 0): Promise<unknown[]> {
  const acks: Promise<unknown>[] = []
  const begin = performance.now()
  for (let at = 0; at < pcm.length; at += 960) {
    if (paceMs > 0) {
      const due = begin + (at / 960) * paceMs
      await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())))
    }
    acks.push(client.send(Buffer.from(bytesOf(pcm.slice(at, at + 960)))))
  }
  return Promise.all(acks)
}

/** All mp3 bytes of one utterance, as a listener would join them. */
export function mp3Of(client: TestClient, id: string): Buffer {
  const results = client.payloads<StsResult>('result').filter(result => result.id === id)
  return Buffer.concat(results.map(({ file }) => file?.data ?? new Uint8Array(0)))
}

/** Decodes an mp3 with an independent decoder. */
export function decoded(mp3: Buffer): { rate: number; ms: number; rms: number } {
  const probe = spawnSync(
    'ffprobe',
    ['-v', 'error', '-show_entries', 'stream=sample_rate', '-of', 'csv=p=0', '-'],
    {
      input: mp3,
      encoding: 'utf8',
    },
  )
  const rate = Number(probe.stdout.trim())
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 's16le', '-'], {
    input: mp3,
    maxBuffer: 64 * 1024 * 1024,
  })
  const pcm = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1)
  const rms = Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length))
  return { rate, ms: (pcm.length * 1000) / rate, rms }
}
