import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AUDIO_RATES } from '../../../src/service/contract.ts'
import { ERROR_TABLE } from '../../../src/service/server/errors.ts'
import { serviceSettings } from '../../../src/service/server/settings.ts'

const page = readFileSync(new URL('../../../docs/service/protocol.md', import.meta.url), 'utf8')

/** Cells of the table whose header starts with `first`. */
function tableOf(first: string): string[][] {
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

test('the page has every error, as the code has it', () => {
  const expected = Object.entries(ERROR_TABLE).map(([name, { code, status, socket, cause }]) => [
    `\`${code}\``,
    `\`${name}\``,
    status === 0 ? '–' : String(status),
    socket === '-' ? '–' : socket.replace(/connect_error|error/, '`$&`'),
    cause,
  ])
  expect(tableOf('code')).toEqual(expected)
})

test('the page lists the default limits', () => {
  const settings: Record<string, unknown> = serviceSettings({ apiKeys: ['k'] })
  const rows = tableOf('setting')
  expect(rows.length).toBeGreaterThan(5)
  for (const [name = '', value = ''] of rows.slice(1))
    expect(settings[name.replaceAll('`', '')], name).toBe(Number(value))
})

test('the page names the rates that are allowed', () => {
  expect(page).toContain(AUDIO_RATES.join(', '))
})
