import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { check, fill } from '../../../scripts/models-catalog.ts'
import { readCatalog, select } from '../../../src/cli/models/catalog.ts'
import { LANGUAGE_ROWS } from '../../../src/service/engines/languages.ts'
import { sha256 } from '../../support/models/mirror.ts'

const catalog = readCatalog()
const kindsOf = (...wanted: string[]) => select(wanted, catalog).models.map(({ kind }) => kind)

test('two languages need a recognizer, a detector, both directions and a voice each', () => {
  const { models, languages, notes } = select(['en', 'es'], catalog)
  expect(models.map(({ name }) => name)).toEqual([
    'sherpa-onnx-nemotron-3.5-asr-streaming-0.6b-560ms-int8-2026-06-11',
    'silero_vad',
    'vits-piper-en_US-amy-medium',
    'firefox-base-memory-es-en',
    'firefox-base-memory-en-es',
    'vits-piper-es_ES-davefx-medium',
  ])
  expect([languages, notes]).toEqual([['en', 'es'], []])
  const bytes = models.flatMap(({ files }) => files).reduce((sum, file) => sum + file.bytes, 0)
  expect(bytes).toBeGreaterThan(0.6e9)
  expect(bytes).toBeLessThan(0.8e9)
})

test('a region selects its voice, a name selects a model, and what is missing is noted', () => {
  expect(select(['es_MX'], catalog).models.at(-1)!.name).toBe('vits-piper-es_MX-claude-high')
  expect(select(['vits-piper-en_US-norman-medium'], catalog).models).toHaveLength(1)
  expect(select(['ja'], catalog).notes).toEqual(['ja: no neural voice, eSpeak NG speaks if it can'])
  // One model for all, else one for each.
  expect(kindsOf('en', 'de').filter(kind => kind === 'transcription')).toHaveLength(1)
  expect(select(['el'], catalog).models[0]!.name).toBe('sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8')
  expect(() => select(['klingon'], catalog)).toThrow(/no model for "klingon"; languages: ar bg cs/)
})

test('each entry names a version, a known language, and a digest unless nobody has published one', () => {
  const known = new Set(LANGUAGE_ROWS.flatMap(({ id, written }) => [id, written]))
  const names = catalog.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, languages, files, kind } of catalog) {
    expect(
      languages.filter(each => !known.has(each)),
      name,
    ).toEqual([])
    for (const { addresses, sha256: digest } of files) {
      expect(addresses.join(' ')).not.toMatch(/latest|\/(main|master)\//)
      // Only voices of less common languages.
      if (digest === undefined) expect(kind, name).toBe('synthesis')
    }
  }
  expect(catalog.filter(({ files }) => files.some(file => file.sha256 === undefined)).length).toBeLessThan(13)
})

test('the script of maintainers finds what does not answer, and fills digests', async () => {
  const path = new URL('../../../src/cli/models/catalog.json', import.meta.url)
  const copy = JSON.parse(await readFile(path, 'utf8'))
  copy.models = copy.models.filter(({ name }: { name: string }) => /silero|fahrettin|en_GB/.test(name))
  const asked: string[] = []
  const answers: typeof fetch = async (address, init) => {
    asked.push(`${init?.method ?? 'GET'} ${String(address).split('/').at(-1)}`)
    if (/alan/.test(String(address))) return new Response(null, { status: 404 })
    return new Response('content', { headers: { 'content-length': '7' } })
  }
  expect(await check(copy, answers)).toEqual([
    expect.stringMatching(/^silero_vad: .* has 7 bytes, the catalog says 643854$/),
    expect.stringMatching(/^vits-piper-en_GB-alan-medium: .* answered 404$/),
    'vits-piper-tr_TR-fahrettin-medium: no digest; run fill',
  ])
  expect(asked).toHaveLength(3)
  expect(await fill(copy, answers)).toEqual(['vits-piper-tr_TR-fahrettin-medium'])
  expect(copy.models[2].files[0]).toMatchObject({ bytes: 7, sha256: sha256(Buffer.from('content')) })
})
