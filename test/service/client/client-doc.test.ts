import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RESULT_PATHS } from '../../../src/service/client/result-paths.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/service/client.md')

test('the page lists the actual places', () => {
  for (const [value, places] of Object.entries(RESULT_PATHS))
    expect(page).toContain(`| \`${value}\` | ${places.map((place: string) => `\`${place}\``).join(', ')}`)
})

test('the page names every failure that the client finds', () => {
  const faults = read('src/service/client/errors.ts').matchAll(/\| '(\w+)\/(\w+)'/g)
  for (const [, code, error] of faults)
    expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| .*\`${error}\``, 'm'))
})
