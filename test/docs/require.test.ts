import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const load = createRequire(import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>
}
const entries = Object.entries(exports).flatMap(([name, entry]) =>
  typeof entry === 'string' ? [] : [[name.replace('.', 'dragoman'), entry] as const],
)
const sourceOf = (built: string) =>
  built
    .replace(/^\.\/dist\/(.*?)(\.d\.ts|\.js)$/, '../../src/$1.ts')
    .replace('/src/simulator/', '/simulator/')

test.each(entries)(
  '%s works from CommonJS: nothing that it loads has a top-level await',
  async (_name, { types, default: built }) => {
    const values = Object.keys(load(sourceOf(built)) as object).filter(value => value !== '__esModule')
    expect(values.length).toBeGreaterThan(0)
    // The types of an entry can be those of another module, with the same values.
    expect(values).toEqual(Object.keys(await import(new URL(sourceOf(types), import.meta.url).href)))
  },
)
