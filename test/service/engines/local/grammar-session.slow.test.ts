import { expect, test } from 'vitest'
import type { StsResult, SttResult } from '../../../../src/service/contract.ts'
import { joined, pause, recording } from '../../../support/engines/recordings.ts'
import { realService, speak } from '../../../support/service/real-service.ts'

const PHRASES = ['he was not an ill disposed young man', 'they might never have come home again']

const real = realService({ engines: { pocketsphinx: { grammars: { book: { phrases: PHRASES } } } } })
const pcm = joined(pause(300), recording(2), pause(900))

test('recognizes the closed vocabulary that a connection names, and echoes it', async () => {
  const client = await real.ready('/stt', { grammar: 'book', partials: 'false' })
  expect(await client.until('connected')).toMatchObject({ grammar: 'book' })
  await speak(client, pcm)
  expect((await client.until<SttResult>('result')).text).toBe(PHRASES[0])
})

test('also on /sts; the next connection has the whole language again', async () => {
  const closed = await real.ready('/sts', { grammar: 'book' })
  await speak(closed, pcm)
  expect((await closed.until<StsResult>('result')).text).toBe(PHRASES[0])
  closed.close()
  const open = await real.ready('/stt', { partials: 'false' })
  await speak(open, joined(pause(300), recording(5), pause(900)))
  expect((await open.until<SttResult>('result')).text).toBe('he might even have been made amiable himself')
})
