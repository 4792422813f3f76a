import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  readonly license?: string
  readonly dev?: boolean
}

const PERMISSIVE = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0']
/** Packages whose package.json does not name the license of their LICENSE file in the usual way. */
const FROM_FILE: Readonly<Record<string, string>> = { 'xmlhttprequest-ssl': 'MIT' }

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Locked> }

test('every package that is installed with this one has a license that permits any use', () => {
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  expect(installed.length).toBeGreaterThan(80)
  const others = installed.flatMap(([path, { license }]) => {
    const name = path.replace(/^.*node_modules\//, '')
    const known = license ?? FROM_FILE[name] ?? 'none'
    return PERMISSIVE.includes(known) ? [] : [`${name}: ${known}`]
  })
  expect(others).toEqual([])
})
