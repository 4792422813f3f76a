import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ServiceErrorBody } from '../../../../src/service/contract.ts'
import { ERROR_TABLE, type ErrorName } from '../../../../src/service/server/errors.ts'
import { mp3Ready } from '../../../../src/transcode/mp3/mp3-decoder.ts'
import { WAV } from '../../../support/service/batch-failures.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { bytesInUse } from '../../../support/service/heap.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { malformedRequest } from '../../../support/service/malformed-requests.ts'
import { upload } from '../../../support/service/upload.ts'
import { fuzzSeeds } from '../../../support/vitest/seeds.ts'

const REQUESTS = 1_000
const AT_ONCE = 8

/**
 * Sends `bytes` and returns the response. After `patience` ms it ends the input, for a server that waits for more; not at
 * once, because the server would treat that as a client that no longer reads.
 */
function exchange(port: number, bytes: Buffer, patience: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1' })
    let quiet = setTimeout(() => socket.end(), patience)
    const late = setTimeout(() => {
      reject(new Error(`no answer to ${JSON.stringify(bytes.toString('latin1'))}`))
      socket.destroy()
    }, patience + 10_000)
    socket.on('data', piece => {
      pieces.push(piece)
      clearTimeout(quiet)
      quiet = setTimeout(() => socket.destroy(), 20)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      clearTimeout(quiet)
      resolve(Buffer.concat(pieces).toString())
    })
    socket.write(bytes)
  })
}

/** The first response. A body that is not an error is undefined. */
function read(answer: string): { status: number; body: ServiceErrorBody | undefined } {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  if (!(status >= 400)) return { status, body: undefined }
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
  const text = Buffer.from(rest.join('\r\n\r\n')).subarray(0, length).toString()
  return { status, body: JSON.parse(text) as ServiceErrorBody }
}

test.each(fuzzSeeds(1_236_331_160))(
  `each of ${REQUESTS} malformed requests gets an error of the table and leaves no resources behind: seed %i`,
  async seed => {
    const { engines, ears } = quickEngines()
    const { url, service, get } = await fakeService(
      { maxAttemptsPerMinute: 1_000_000, maxSessions: 100, maxBatchJobs: 100 },
      { engines },
    )
    const port = Number(new URL(url).port)
    const met = new Map<string, number>()
    let errors = 0
    let others = 0
    const one = async (request: Buffer) => {
      const answer = (await exchange(port, request, 300)) || (await exchange(port, request, 5_000))
      const shown = () => `seed ${seed}: ${JSON.stringify(request.toString('latin1'))} → ${answer}`
      const { status, body } = read(answer)
      if (!body) {
        // Some are valid by chance.
        expect([100, 101, 200, 204], shown()).toContain(status)
        others++
        return
      }
      const row = ERROR_TABLE[body.error as ErrorName]
      expect(row, shown()).toBeDefined()
      expect(body, shown()).toEqual({ code: row.code, error: body.error, description: expect.any(String) })
      expect(status, shown()).toBe(row.status)
      expect(body.error, shown()).not.toBe('unexpected')
      met.set(body.error, (met.get(body.error) ?? 0) + 1)
      errors++
    }
    const stream = fc.sample(malformedRequest, { seed, numRuns: REQUESTS * 2 }).values()
    const some = async (count: number) => {
      const until = errors + count
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const request of stream) {
            await one(request)
            if (errors >= until) return
          }
        }),
      )
    }
    await some(REQUESTS / 5)
    // The memory of the first MP3 decoder.
    await mp3Ready()
    const before = bytesInUse()
    await some((REQUESTS * 4) / 5)
    expect(errors).toBeGreaterThanOrEqual(REQUESTS)
    expect(others).toBeLessThan(REQUESTS / 4)
    expect(met.size, `${[...met.keys()]}`).toBeGreaterThan(12)
    expect(bytesInUse() - before).toBeLessThan(8 * 1024 * 1024)

    expect(service.batch.jobs).toBe(0)
    expect(ears.opened).toBe(0)
    expect(await (await get('/health')).json()).toMatchObject({ status: 'ok', sessions: 0 })
    expect((await upload(url, { mode: 'stt', file: WAV })).status).toBe(200)
  },
  120_000,
)
