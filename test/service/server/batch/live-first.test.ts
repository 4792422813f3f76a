import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { WAV } from '../../../support/service/batch-failures.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { upload } from '../../../support/service/upload.ts'

/** The clock goes on until `answer` is there. */
async function passing<T>(clock: FakeClock, answer: Promise<T>): Promise<T> {
  let there = false
  void answer.then(() => {
    there = true
  })
  while (!there) await severalChecks(clock)
  return answer
}

/** Half a second, in which jobs look several times whether live speech is still delayed. */
async function severalChecks(clock: FakeClock): Promise<void> {
  for (let n = 0; n < 25; n++) {
    clock.advance(20)
    await new Promise(resolve => setImmediate(resolve))
  }
}

const STT = { mode: 'stt', languageIdSource: 'en-us', file: WAV }

test('a file waits while live speech is delayed, and is then processed', async () => {
  const clock = new FakeClock()
  const { url, ready, engines } = await fakeService({}, { clock })
  const { stream } = await ready('/stt')
  stream.behindMs = 500
  const answer = upload(url, STT)
  await expect.poll(() => engines.recognizer.streams.length).toBe(2)
  await severalChecks(clock)
  const file = engines.recognizer.streams[1]!
  expect(file.samples).toBe(0)
  stream.behindMs = 0
  expect((await passing(clock, answer)).status).toBe(200)
  expect(file.samples).toBeGreaterThan(0)
})

test('a text waits as well, sentence by sentence', async () => {
  const clock = new FakeClock()
  const { url, ready, service } = await fakeService({}, { clock })
  const { stream } = await ready('/stt')
  stream.behindMs = 500
  let done = false
  const fields = { languageIdSource: 'en-us', languageIdTarget: 'es-es', text: 'hello there.' }
  const answers = ['translator', 'tts'].map(async mode => {
    const response = await upload(url, { mode, ...fields })
    done = true
    return response.status
  })
  await expect.poll(() => service.batch.jobs).toBe(2)
  await severalChecks(clock)
  expect(done).toBe(false)
  stream.behindMs = 0
  expect(await passing(clock, Promise.all(answers))).toEqual([200, 200])
})

test('rejects a file with a retry time while the service lags', async () => {
  const { url, ready, get } = await fakeService()
  const { stream } = await ready('/stt')
  stream.behindMs = 60_001
  const response = await upload(url, STT)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({
    code: 'limit',
    error: 'service_behind',
    description: expect.stringContaining('try again in 5 s'),
  })
  expect(await (await get('/health')).json()).toMatchObject({ behindMs: 60_001, busy: 0 })
})

test('a file does not wait for its own lag, and live speech does not wait for files', async () => {
  const { url, connect, engines } = await fakeService()
  const answer = upload(url, STT)
  await expect.poll(() => engines.recognizer.streams.length).toBe(1)
  engines.recognizer.streams[0]!.behindMs = 10_000
  const client = connect('/stt')
  await client.until('start')
  expect((await answer).status).toBe(200)
})
