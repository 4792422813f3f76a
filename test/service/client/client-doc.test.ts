import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RESULT_PATHS } from '../../../src/service/client/results.ts'
import { SESSION_DEFAULTS } from '../../../src/service/client/session-options.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/service/client.md')

test('the page lists the actual places', () => {
  for (const [value, places] of Object.entries(RESULT_PATHS))
    expect(page).toContain(`| \`${value}\` | ${places.map((place: string) => `\`${place}\``).join(', ')}`)
})

test('the page names every option, and every failure that the client finds', () => {
  for (const name of Object.keys(SESSION_DEFAULTS)) expect(page).toContain(`\`${name}\``)
  const faults = read('src/service/client/errors.ts').matchAll(/\| '(\w+)\/(\w+)'/g)
  for (const [, code, error] of faults)
    expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| .*\`${error}\``, 'm'))
})
