import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CanaryLog, filesIn, hitsIn } from '../support/security/canary-log.ts'
import { fakeService } from '../support/service/fake-service.ts'

/** Values that must not appear anywhere, each unique. */
const CANARY = {
  said: 'heliotrope marmalade at seventeen',
  translated: 'mermelada de heliotropo a las diecisiete',
  serviceKey: 'canary-service-key-91b2c3d4e5f6',
  wrongKey: 'canary-wrong-key-that-was-tried',
}

let folder: string
const realTmp = process.env.TMPDIR

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'canary-'))
  process.env.TMPDIR = folder
})
afterAll(() => {
  if (realTmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = realTmp
  rmSync(folder, { recursive: true })
})

test('no input of the embedded service appears anywhere', {
  timeout: 30_000,
}, async () => {
  const kept = new CanaryLog()
  const refusals: string[] = []
  const { url, connect, service } = await fakeService(
    { apiKeys: [{ name: 'desk', key: CANARY.serviceKey }] },
    { log: kept.log },
  )
  const open = async (namespace: string, parameters: Record<string, unknown>, token: string) => {
    const client = connect(namespace, parameters, token)
    await Promise.race([client.until('start'), client.until('connect_error'), client.until('disconnect')])
    return client
  }
  await open('/stt', { languageIdSource: 'en-us' }, CANARY.wrongKey)
  await open(`/${CANARY.wrongKey}`, {}, CANARY.serviceKey)
  await open('/stt', { languageIdSource: CANARY.said, [CANARY.wrongKey]: CANARY.said }, CANARY.serviceKey)
  const translator = await open(
    '/translator',
    { languageIdSource: 'en-us', languageIdTarget: 'es-es' },
    CANARY.serviceKey,
  )
  for (const payload of [CANARY.said, { text: CANARY.said }, CANARY.said.repeat(500), 7])
    translator.socket.emit('text', payload)
  translator.socket.emit(CANARY.said, CANARY.translated)
  const stt = await open('/stt', { languageIdSource: 'en-us' }, CANARY.serviceKey)
  stt.socket.emit('write_stream', Buffer.from(CANARY.said))
  stt.socket.emit('write_stream', CANARY.said)
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}${path}`, init)
    if (!response.ok) refusals.push(await response.text())
  }
  const form = new FormData()
  form.set('file', new Blob([CANARY.said]), `../../${CANARY.said}.mp3`)
  form.set('mode', 'stt')
  await ask('/api/batch/file', { method: 'POST', body: form, headers: { 'x-api-key': CANARY.serviceKey } })
  await ask('/api/languages', { headers: { 'x-api-key': CANARY.wrongKey } })
  await ask('/stream/not-there.mp3', {})
  await expect.poll(() => kept.lines.length).toBeGreaterThan(3)
  const metrics = JSON.stringify([service.requestGuard.counters, await (await fetch(`${url}/health`)).json()])
  await service.close()
  expect(refusals.length).toBeGreaterThanOrEqual(3)
  expect({
    log: kept.lines.flatMap(line => hitsIn(line, CANARY).map(name => `${name}: ${line}`)),
    errors: refusals.flatMap(text => hitsIn(text, CANARY).map(name => `${name}: ${text}`)),
    metrics: hitsIn(metrics, CANARY),
    files: filesIn(folder).flatMap(({ path, text }) =>
      hitsIn(`${path}\n${text}`, CANARY).map(name => `${name}: ${path}`),
    ),
  }).toEqual({ log: [], errors: [], metrics: [], files: [] })
})
