import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { entries } from '../../scripts/reference/api.ts'
import { Declarations } from '../../scripts/reference/declarations.ts'
import { apiReferencePages, referencePages } from '../../scripts/reference/pages.ts'
import { settingRows } from '../../scripts/reference/settings.ts'
import { OPERATIONS as SERVICE } from '../../src/service/server/http/operations.ts'
import { OPERATIONS } from '../../src/web/control/control-api.ts'
import { packed } from '../support/e2e/packed.ts'

const FOLDER = fileURLToPath(new URL('../../docs/reference/', import.meta.url))
// The compiler takes long: its output in the package is the same.
const { unpacked } = await packed()
const declarations = new Declarations(join(unpacked, 'dist'))
const pages = await referencePages(declarations)

/** The committed pages of docs/reference/. */
const written = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md') && !/^api\b/.test(name))
  .sort()

it('contains exactly the generated pages', () => expect(written).toEqual(Array.from(pages.keys()).sort()))

it.each(Array.from(pages))('docs/reference/%s is what the sources say (npm run reference)', (path, text) => {
  expect(readFileSync(FOLDER + path, 'utf8')).toBe(text)
})

it('documents every entry of the package by its exported types', () => {
  const api = apiReferencePages(declarations)
  expect(api.get('api.md')).toContain('## dragoman/simulator')
  expect(api.get('api/dragoman.md')).toContain('### Relay\n')
  expect(api.size).toBe(entries().length + 1)
})

it('exports every type that the signatures of the package name', () => {
  const dist = join(unpacked, 'dist')
  const types = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.d.ts'),
  )
  const declared = new Set(
    types
      .flatMap(name => declarations.of(name.slice(0, -'.d.ts'.length)))
      .filter(({ kind }) => kind !== 'const' && kind !== 'function')
      .map(({ name }) => name),
  )
  // Simulators are for tests, and the members of a class have the types of its parts, which a program only passes on.
  const all = entries().map(({ name, module }) => ({ name, exports: declarations.exportsOf(module) }))
  const exported = new Set(all.flatMap(({ exports }) => exports.map(({ name }) => name)))
  const missing = all
    .filter(({ name }) => name !== 'dragoman/simulator')
    .flatMap(({ exports }) => exports)
    .filter(({ kind }) => kind !== 'class')
    .flatMap(({ name, text }) => namesIn(text).map(used => ({ used, in: name })))
    .filter(({ used }) => declared.has(used) && !exported.has(used))
  expect(missing).toEqual([])
  for (const name of ['Decision', 'ServiceProblem', 'RelaySettingsInput']) expect(exported).toContain(name)
})

/** The names of types in a declaration: not those of fields, and no texts. */
function namesIn(declaration: string): string[] {
  const code = declaration.replace(/\/\*[\s\S]*?\*\//g, '').replace(/'[^'\n]*'|"[^"\n]*"/g, '')
  return code.match(/(?<![.\w])[A-Z]\w*\b(?!\??:)/g) ?? []
}

it('describes every setting: .meta({ about }) in its schema', () => {
  const rows = settingRows()
  expect(rows.length).toBeGreaterThan(190)
  expect(rows.filter(({ about }) => !about).map(({ path }) => path)).toEqual([])
})

it('has every operation', () => {
  for (const { method, path } of OPERATIONS)
    expect(pages.get('http.md')).toContain(`\`${method} /v1${path}\``)
  for (const { method, path } of SERVICE) expect(pages.get('http.md')).toContain(`\`${method} ${path}\``)
})

it('has an example of every webhook, without numbers', () => {
  const page = pages.get('events.md') ?? ''
  expect(page).toContain('"type": "utterance.final"')
  expect(page).toContain('"translation": "Buenos días."')
  expect(page).not.toMatch(/\+1555/)
})
