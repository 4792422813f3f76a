import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { EngineSet } from '../../../../src/service/engines/engine-set.ts'
import { ERROR_TABLE, type ErrorName } from '../../../../src/service/server/errors.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { batchFailures, met, sharedFailures, WAV } from '../../../support/service/batch-failures.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { type Fields, upload } from '../../../support/service/upload.ts'
import { until } from '../../../support/until.ts'

const STT = { mode: 'stt', file: WAV }

function expectRow(answer: Awaited<ReturnType<typeof met>>, name: ErrorName): void {
  const { code, status } = ERROR_TABLE[name]
  expect(answer.body).toEqual({ code, error: name, description: expect.stringMatching(/.{15,}/) })
  expect(answer.status).toBe(status)
}

test.each(Object.entries(batchFailures))('%s is reported as in the table', async (name, provoke) => {
  expectRow(await provoke(), name as ErrorName)
})

test.each(sharedFailures)('%s is reported for %j', async (name, fields: Fields) => {
  const { url } = await fakeService({}, { engines: quickEngines().engines })
  expectRow(await met(upload(url, fields)), name)
})

test.each([
  ['speechToText', 'transcription_missing'],
  ['translators', 'translation_missing'],
  ['synthesizers', 'synthesis_missing'],
] as const)('without %s it is %s', async (kind, name) => {
  const { engines } = quickEngines()
  const all = { ...engines, [kind]: [] }
  const { url } = await fakeService({}, { engines: new EngineSet(all) })
  expectRow(await met(upload(url, { ...STT, mode: 'sts', languageIdTarget: 'es-es' })), name)
})

test('a failing engine fails the job, not the service', async () => {
  const { ears, engines } = quickEngines()
  ears.mood = 'break'
  const { url } = await fakeService({}, { engines })
  expectRow(await met(upload(url, STT)), 'transcription_failed')
  expect(ears.opened).toBe(0)
  ears.mood = 'well'
  expect((await upload(url, STT)).status).toBe(200)
})

test('rejects a job when no session slot is free', async () => {
  const { engines } = quickEngines()
  const { url, ready } = await fakeService({ maxSessions: 1 }, { engines })
  await ready('/stt')
  expectRow(await met(upload(url, STT)), 'too_many_sessions')
})

describe('the key', () => {
  const keyed = async (limits: { sessions?: number; minutesPerDay?: number }) => {
    const { engines } = quickEngines()
    const { url, ready } = await fakeService({ apiKeys: [{ name: 'one', key: KEY, ...limits }] }, { engines })
    return { ready, post: (fields: Fields) => met(upload(url, fields)) }
  }

  test('a job counts as one of its sessions', async () => {
    const { ready, post } = await keyed({ sessions: 1 })
    await ready('/stt')
    expectRow(await post(STT), 'key_sessions_taken')
  })

  test('the audio of a job is counted', async () => {
    const { post } = await keyed({ minutesPerDay: 1 })
    const half = { mode: 'stt', file: encodeWav(new Int16Array(8_000 * 29), 8_000) }
    for (let n = 0; n < 2; n++) expect((await post(half)).status).toBe(200)
    expectRow(await post(half), 'minutes_used_up')
  })

  test('rejects a wrong one before a large upload', async () => {
    const { url } = await fakeService()
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(20_000_000)]), 'a.wav')
    const headers = { 'x-api-key': 'wrong' }
    expectRow(await met(fetch(`${url}/api/batch/file`, { method: 'POST', headers, body })), 'key_wrong')
  })
})

describe('a client that disconnects', () => {
  test('during the work leaves no resources behind', async () => {
    const clock = new FakeClock()
    const { ears, engines } = quickEngines()
    ears.mood = 'stuck'
    const { url, service } = await fakeService({ maxSessions: 1 }, { engines, clock })
    const gone = new AbortController()
    const answer = upload(url, STT, { signal: gone.signal }).catch(() => 'gone')
    await until(() => ears.opened === 1, 5_000, 'ears.opened 1')
    gone.abort()
    expect(await answer).toBe('gone')
    await until(() => service.batch.jobs === 0, 5_000, 'service.batch.jobs 0')
    clock.advance(1_000)
    await until(() => ears.opened === 0, 5_000, 'ears.opened 0')
    ears.mood = 'well'
    expect((await upload(url, STT)).status).toBe(200)
  })

  test('during the upload, at any byte, leaves no resources behind', async () => {
    const { url, service } = await fakeService({ maxBatchJobs: 2 }, { engines: quickEngines().engines })
    const { connect } = await import('node:net')
    const body = `--x\r\nContent-Disposition: form-data; name="mode"\r\n\r\nstt\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(400)}\r\n--x--\r\n`
    for (let at = 0; at < body.length; at += 23) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `POST /api/batch/file HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: ${body.length}\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n${body.slice(0, at)}`,
      )
      await until(() => service.batch.uploads === 1, 5_000, 'service.batch.uploads 1')
      socket.resetAndDestroy()
      await until(() => service.batch.uploads === 0, 5_000, 'service.batch.uploads 0')
    }
    expect((await upload(url, STT)).status).toBe(200)
  })
})

test('queues jobs and processes them in order', async () => {
  const clock = new FakeClock()
  const { ears, engines } = quickEngines()
  ears.mood = 'stuck'
  const { url, service } = await fakeService({ batchWorkers: 1, maxBatchJobs: 3 }, { engines, clock })
  const first = upload(url, STT)
  await until(() => ears.opened === 1, 5_000, 'ears.opened 1')
  const others = [upload(url, STT), upload(url, STT)]
  await until(() => service.batch.jobs === 3, 5_000, 'service.batch.jobs 3')
  expect(ears.opened).toBe(1)
  ears.mood = 'well'
  clock.advance(100)
  for (const answer of [first, ...others]) expect((await answer).status).toBe(200)
  await until(() => service.batch.jobs === 0, 5_000, 'service.batch.jobs 0')
})
