import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { met, WAV } from '../../../support/service/batch-failures.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { until } from '../../../support/until.ts'

const GREEDY = 'the-key-of-a-greedy-client'
const OTHER = 'the-key-of-another-client'
const MEGABYTE = 1024 * 1024

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function started(config: Parameters<typeof fakeService>[0] = {}, sessions?: number) {
  const clock = new FakeClock()
  const { ears, engines } = quickEngines()
  const apiKeys = [
    { name: 'greedy', key: GREEDY, ...(sessions === undefined ? {} : { sessions }) },
    { name: 'other', key: OTHER },
  ]
  const { url, service } = await fakeService({ apiKeys, ...config }, { engines, clock })
  const post = (key: string) => {
    const form = new FormData()
    form.set('mode', 'stt')
    form.set('file', new Blob([WAV]), 'a.wav')
    return met(fetch(`${url}/api/batch/file`, { method: 'POST', body: form, headers: { 'x-api-key': key } }))
  }
  return { clock, ears, service, url, post }
}

/** Starts a request and sends only the beginning of its file; resolves to the response. */
function stalled(url: string, key: string, bytes = 1_000): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  socket.write(
    `POST /api/batch/file HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: ${2 * MEGABYTE}\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n${head}`,
  )
  socket.write(Buffer.alloc(bytes, 'a'))
  socket.on('error', () => {})
  return new Promise(resolve => {
    let text = ''
    const done = () => resolve(text)
    socket.on('data', data => {
      text += data
      if (text.includes('"error"')) done()
    })
    socket.on('close', done)
  })
}

test('stalled uploads take no place in the queue, and end', async () => {
  const { clock, service, url, post } = await started({ maxBatchJobs: 2 })
  const answers = Array.from({ length: 6 }, () => stalled(url, GREEDY))
  await until(() => service.batch.uploads === 6, 5_000, '6 uploads')
  for (const key of [OTHER, GREEDY]) expect((await post(key)).status).toBe(200)
  clock.advance(15_000)
  for (const answer of answers) expect(await answer).toMatch(/^HTTP\/1\.1 408 .*upload_too_slow/s)
})

test('the session limit of a key applies to its uploads', async () => {
  const { service, url, post } = await started({}, 2)
  for (const _ of [1, 2]) void stalled(url, GREEDY)
  await until(() => service.batch.uploads === 2, 5_000, '2 uploads')
  expect(await stalled(url, GREEDY)).toMatch(/^HTTP\/1\.1 429 .*key_sessions_taken/s)
  expect((await post(OTHER)).status).toBe(200)
})

test('the largest share of the memory for uploads gives way', async () => {
  const { service, url } = await started({ maxBatchJobs: 1, maxFileBytes: 3 * MEGABYTE })
  const first = stalled(url, GREEDY, 1.2 * MEGABYTE)
  await until(() => service.batch.uploads === 1, 5_000, '1 upload')
  void stalled(url, OTHER, MEGABYTE)
  await until(() => service.batch.uploads === 2, 5_000, '2 uploads')
  void stalled(url, GREEDY, 1.2 * MEGABYTE)
  expect(await first).toMatch(/^HTTP\/1\.1 503 .*too_many_jobs/s)
  expect(service.batch.uploads).toBe(2)
})

test('a key that fills the queue makes room for another, whose turn is next', async () => {
  const { clock, ears, service, post } = await started({ maxBatchJobs: 3, batchWorkers: 1 })
  ears.mood = 'stuck'
  const order: string[] = []
  const sent = (key: string, name: string) =>
    post(key).then(({ status }) => {
      order.push(`${name} ${status}`)
    })
  const all = [sent(GREEDY, 'first')]
  await until(() => ears.opened === 1, 5_000, 'the first job')
  for (const name of ['second', 'third']) {
    all.push(sent(GREEDY, name))
    await until(() => service.batch.jobs === all.length, 5_000, name)
  }
  expect((await post(GREEDY)).body.error).toBe('too_many_jobs')
  all.push(sent(OTHER, 'other'))
  await until(() => order.length === 1, 5_000, 'a job gives way')
  ears.mood = 'well'
  clock.advance(100)
  await Promise.all(all)
  expect(order).toEqual(['third 503', 'first 200', 'other 200', 'second 200'])
})
