import { expect, test } from 'vitest'
import type { SttResult } from '../../../src/service/contract.ts'
import { joined, pause, recording } from '../../support/engines/recordings.ts'
import { realService, speak } from '../../support/service/real-service.ts'

const real = realService()

test('sends partials during speech, at most five a second and only when they change, then the final', async () => {
  const client = await real.ready('/stt', { languageIdTarget: undefined, receiveAudio: undefined })
  expect(client.payloads('connected')).toEqual([
    {
      languageIdSource: 'en-us',
      sendAudio: { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 },
      partials: true,
    },
  ])
  await speak(client, joined(pause(300), recording(1), pause(800)), 60)
  await client.until('result')
  await expect.poll(() => client.payloads<SttResult>('result').at(-1)?.final).toBe(true)
  const results = client.heard.filter(({ name }) => name === 'result')
  const payloads = results.map(({ payload }) => payload as SttResult)
  const final = payloads.at(-1)!
  expect(payloads.filter(result => result.final)).toHaveLength(1)
  for (const word of ['john', 'leisure', 'power']) expect(final.text.split(' ')).toContain(word)
  expect(payloads.length).toBeGreaterThan(5)
  const partials = payloads.slice(0, -1)
  for (const [index, next] of partials.slice(1).entries()) expect(next.text).not.toBe(partials[index]!.text)
  expect(partials.length).toBeLessThanOrEqual((results.at(-1)!.at - results[0]!.at) / 200 + 1)
  expect(client.names).not.toContain('endSynth')
  client.close()
})

test('sends only finals if partials are disabled', async () => {
  const client = await real.ready('/stt', { partials: 'false' })
  await speak(client, joined(recording(2), pause(800)))
  const result = await client.until<SttResult>('result')
  expect(result).toMatchObject({ id: '1', final: true, languageIdSource: 'en-us' })
  expect(Object.keys(result).toSorted()).toEqual([
    'endMs',
    'final',
    'id',
    'languageIdSource',
    'startMs',
    'text',
  ])
  client.close()
})
