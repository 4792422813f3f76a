import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { embeddedEngines, engineLines } from '../../src/cli/engines.ts'

const text = (lines: ReturnType<typeof engineLines>) =>
  lines.map(line => (typeof line === 'string' ? line : line.text)).join('\n')

test('engines are listed in the order of a call, with the limits of the offline recogniser', () => {
  const shown = text(
    engineLines({
      transcription: ['pocketsphinx'],
      translation: ['apertium'],
      synthesis: ['espeak', 'sherpa'],
    }),
  )
  expect(shown).toContain('pocketsphinx → apertium → espeak, sherpa')
  expect(shown).toContain('English only, gist quality; better:')
  const better = {
    transcription: ['openai', 'pocketsphinx'],
    translation: ['apertium'],
    synthesis: ['espeak'],
  }
  expect(text(engineLines(better))).not.toContain('English only, gist quality; better:')
})

test('the languages that can be spoken are listed, within 80 columns', () => {
  const engines = { transcription: ['sherpa'], translation: ['apertium'], synthesis: ['espeak'] }
  const many = ['de-de', 'en-us', 'en-gb', 'es-es', 'es-419', 'fr-fr', 'it-it', 'pt-br']
  const lines = text(engineLines(engines, { understood: many })).split('\n')
  expect(lines[1]).toContain('speech understood in de-de, en-us, en-gb, es-es, es-419 and 3 more')
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

test('what is spoken is listed, and each engine that is missing with its reason', () => {
  const engines = { transcription: ['pocketsphinx'], translation: ['apertium'], synthesis: ['espeak'] }
  const reason = 'openai: has no API key: set apiKey or OPENAI_API_KEY'
  const long = `firefox: /a/very/long/path/of/a/folder/of/models${'/x'.repeat(30)} is missing`
  const missing = [reason, long].map(each => ({ engine: each, reason: each }))
  const lines = text(engineLines(engines, { spoken: ['en-us', 'es-es'], missing })).split('\n')
  expect(lines.join('\n')).toContain('spoken in en-us, es-es')
  expect(lines.join('\n')).toContain(`missing: ${reason}`)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

test('an engine from speech to speech needs no others', () => {
  const none = { transcription: [], translation: [], synthesis: [] }
  const shown = text(
    engineLines({ ...none, interpretation: ['openai-translate'] }, { understood: ['en-us'] }),
  )
  expect(shown).toContain('openai-translate')
  expect(shown).toContain('speech understood in en-us')
  expect(shown).not.toContain('no engine')
})

test('a missing engine is reported with its fix', () => {
  const shown = text(engineLines({ transcription: [], translation: ['apertium'], synthesis: [] }))
  expect(shown).toContain('no engine installed that recognizes speech, speaks')
  expect(shown).toMatch(/install: .*setup/)
})

test('every line fits into 80 columns', () => {
  for (const transcription of [[], ['pocketsphinx']])
    for (const line of text(engineLines({ transcription, translation: [], synthesis: [] })).split('\n'))
      expect(line.length).toBeLessThanOrEqual(80)
})

test('there are no lines for a service with an unexpected response, or none', async () => {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  expect(await embeddedEngines(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toEqual([])
  expect(await embeddedEngines('http://127.0.0.1:9')).toEqual([])
})
