import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AUDIO_RATES, type StsResult } from '../../../src/service/contract.ts'
import { boundSettings } from '../../../src/service/server/limits.ts'
import { serviceSettings } from '../../../src/service/server/settings.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/service/${name}`, import.meta.url), 'utf8')

/** Cells of the table whose header starts with `first`. */
function tableOf(page: string, first: string): string[][] {
  const lines = page.split('\n')
  const head = lines.findIndex(line => line.startsWith(`| ${first} `))
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'))
  return lines.slice(head + 2, end).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

test('the page lists the default limits', () => {
  const settings = boundSettings(serviceSettings({ apiKeys: ['k'] })) as unknown as Record<string, unknown>
  const rows = tableOf(read('keys-and-limits.md'), 'setting')
  expect(rows.length).toBe(2)
  for (const [name = '', value = ''] of rows.slice(1))
    expect(settings[name.replaceAll('`', '')], name).toBe(Number(value))
})

test('the page names the allowed rates', () => {
  expect(read('protocol.md')).toContain(AUDIO_RATES.join(', '))
})

test('the example of speech that grows has the lengths that it states', () => {
  const [, json = ''] = /```json\n(\{"id"[^`]*)```/.exec(read('protocol.md')) ?? []
  const { text, translation, spoken, startMs, endMs } = JSON.parse(json) as StsResult
  expect([spoken?.text, spoken?.translation]).toEqual([text.length, translation?.length])
  expect(startMs < spoken!.endMs && spoken!.endMs < endMs).toBe(true)
})
