import { expect, test } from 'vitest'
import { readResult } from '../../../src/service/client/result-reader.ts'
import type { StsResult, TranslatorResult } from '../../../src/service/contract.ts'
import { fakeService } from '../../support/service/fake-service.ts'

test('/health and final results name the engines that serve instead of others', async () => {
  const { ready, get, service } = await fakeService()
  const { usage } = service.engines
  const health = async () => ((await (await get('/health')).json()) as { standIns: unknown }).standIns
  const speech = await ready('/sts', { languageIdSource: 'en-us', languageIdTarget: 'es-es', partials: true })
  const texts = await ready('/translator', { languageIdSource: 'en-us', languageIdTarget: 'es-es' })
  const results = () => speech.client.payloads<StsResult>('result')

  expect(await health()).toEqual([])
  speech.stream.hear('one')
  await speech.client.until('endSynth')
  expect(results().at(-1)).not.toHaveProperty('standIns')

  usage.replaced('synthesis', 'fake-mouth', 'fake-whisper', 'failed')
  usage.replaced('translation', 'another', 'fake-words', 'failed')
  expect(await health()).toMatchObject([
    { kind: 'synthesis', engine: 'fake-mouth', instead: 'fake-whisper', why: 'failed' },
    { engine: 'another' },
  ])
  speech.stream.guess('two')
  speech.stream.hear('two')
  await speech.client.until('endSynth', 2)
  const [partial, final] = results().slice(-2)
  expect(partial).toMatchObject({ final: false })
  expect(partial).not.toHaveProperty('standIns')
  expect(final).toMatchObject({ final: true, translation: 'TWO', standIns: { synthesis: 'fake-whisper' } })
  expect(readResult(final, '0').standIns).toEqual({ synthesis: 'fake-whisper' })

  await texts.client.sendText('three')
  expect(await texts.client.until<TranslatorResult>('result')).not.toHaveProperty('standIns')

  usage.served('synthesis', 'fake-mouth')
  usage.served('translation', 'another')
  expect(await health()).toEqual([])
})
