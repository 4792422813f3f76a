import { expect, test } from 'vitest'
import type { StsResult } from '../../../src/service/contract.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { SeededRandom } from '../../fuzz/random.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { decoded, mp3Of, realService, speak } from '../../support/service/real-service.ts'
import { RECEIVE, SEND } from '../../support/service/test-client.ts'

const real = realService({ maxSessions: 4 })
const two = joined(recording(2), pause(700), recording(5), pause(1_000))

test('block: a human voice in English results in one result and one Spanish mp3 per sentence, then endSynth', async () => {
  const client = await real.ready('/sts')
  const acks = await speak(client, two)
  expect(acks.every(ack => ack === true)).toBe(true)
  await client.until('endSynth', 2)
  expect(client.names).toEqual(['connect', 'connected', 'start', 'result', 'endSynth', 'result', 'endSynth'])
  const [first, second] = client.payloads<StsResult>('result')
  expect(first?.text).toContain('young man')
  expect(first?.translation).toMatch(/hombre joven/)
  expect(second?.text).toContain('made amiable himself')
  expect(second?.translation?.toLowerCase()).toContain('hecho')
  expect(first).toMatchObject({ id: '1', final: true, languageIdSource: 'en-us', languageIdTarget: 'es-es' })
  expect(client.payloads('endSynth')).toEqual([{ id: '1' }, { id: '2' }])
  for (const id of ['1', '2']) {
    const { rate, ms, rms } = decoded(mp3Of(client, id))
    expect(rate).toBe(16_000)
    expect(ms).toBeGreaterThan(1_500)
    expect(ms).toBeLessThan(6_000)
    expect(rms).toBeGreaterThan(500)
  }
  expect(second!.startMs).toBeGreaterThanOrEqual(first!.endMs)
  client.close()
})

test('streaming: texts and speech that grow, one mp3 per sentence, endSynth after the last', async () => {
  const client = await real.ready('/sts', { receiveAudio: { ...RECEIVE, mode: 'streaming' } })
  await speak(client, two, 30)
  await client.until('endSynth', 2)
  const results = client.payloads<StsResult>('result')
  const partials = results.filter(({ final }) => !final)
  expect(partials.length).toBeGreaterThan(2)
  for (const { id, translation = '' } of partials)
    expect(results.findLast(each => each.id === id)?.translation).toContain(translation)
  const ids = results.map(({ id }) => Number(id))
  expect(ids).toEqual(ids.toSorted())
  for (const id of ['1', '2']) {
    const pieces = results.filter(result => result.id === id && result.final)
    expect(pieces.length).toBeGreaterThan(1)
    expect(new Set(pieces.map(({ translation }) => translation)).size).toBe(1)
    expect(decoded(mp3Of(client, id)).ms).toBeGreaterThan(1_500)
    const end = client.heard.findIndex(
      ({ name, payload }) => name === 'endSynth' && (payload as { id: string }).id === id,
    )
    expect(client.heard[end - 1]).toMatchObject({ name: 'result', payload: { id, final: true } })
  }
  client.close()
})

test.each([
  [8_000, 8_000],
  [11_025, 22_050],
  [48_000, 44_100],
])('linear16 at %d Hz in, mp3 at %d Hz out', async (inRate, outRate) => {
  const client = await real.ready('/sts', {
    sendAudio: { ...SEND, sampleRate: inRate },
    receiveAudio: { ...RECEIVE, sampleRate: outRate },
  })
  const resampled = createResampler(16_000, inRate)
    .process(joined(recording(5), pause(800)))
    .slice()
  await speak(client, resampled)
  await client.until('endSynth')
  const [result] = client.payloads<StsResult>('result')
  expect(result?.text).toMatch(/made|amiable|himself/)
  // Positions are those of the audio itself, at any rate.
  expect(result!.endMs).toBeGreaterThan(2_500)
  expect(result!.endMs).toBeLessThan(4_000)
  expect(decoded(mp3Of(client, '1')).rate).toBe(outRate)
  client.close()
})

test('a client that stops sending still receives its last sentence', async () => {
  const client = await real.ready('/sts')
  await speak(client, recording(2))
  await client.until('endSynth')
  expect(client.payloads<StsResult>('result')[0]?.translation).toContain('joven')
  client.close()
})

test('ten seconds sent at once, as after a disconnection, are recognized completely and in order', async () => {
  const client = await real.ready('/sts')
  await speak(client, joined(recording(2), pause(600), recording(5), pause(600), recording(3), pause(1_000)))
  await client.until('endSynth', 3)
  const text = client.payloads<StsResult>('result').map(result => result.text)
  expect(text[0]).toContain('young man')
  expect(text[1]).toContain('amiable himself')
  expect(text.slice(2).join(' ')).toContain('selfish')
  client.close()
})

test('a session is not affected by a misbehaving one on the same service', async () => {
  const good = await real.ready('/sts')
  const bad = await real.ready('/sts')
  const speaking = speak(good, two, 60)
  for (let n = 0; n < 12; n++) {
    await bad.send(n % 2 ? Buffer.alloc(601, n) : { not: 'audio' })
    bad.socket.emit('text', 'x'.repeat(10_000))
    bad.socket.emit('nonsense', Buffer.alloc(50_000))
  }
  const random = new SeededRandom(1)
  for (let n = 0; n < 20; n++)
    void bad.send(
      Buffer.from(Int16Array.from({ length: 16_000 }, () => random.below(65_536) - 32_768).buffer),
    )
  bad.socket.io.engine.close()
  await speaking
  await good.until('endSynth', 2)
  expect(good.payloads('error')).toEqual([])
  const [first, second] = good.payloads<StsResult>('result')
  expect(first?.text).toContain('young man')
  expect(second?.text).toContain('amiable himself')
  good.close()
})

test('repeated hang-ups during a sentence free the slot and the decoder', async () => {
  for (let n = 0; n < 6; n++) {
    const client = await real.ready('/sts')
    void speak(client, recording(1))
    await client.send(Buffer.alloc(1920))
    client.close()
  }
  const health = async () => (await (await fetch(`${real.url}/health`)).json()) as { sessions: number }
  await expect.poll(health, { timeout: 60_000 }).toMatchObject({ sessions: 0 })
  // All slots are free again at once.
  const clients = await Promise.all(Array.from({ length: 4 }, () => real.ready('/sts')))
  expect(await health()).toMatchObject({ sessions: 4 })
  for (const client of clients) client.close()
})

test('uses a phrase of the phrasebook verbatim', async () => {
  const [translator] = real.service.engines.translators
  expect(await translator?.translate('can you hear me', 'en-us', 'es-es')).toBe('¿Me oye?')
})
