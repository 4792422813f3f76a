import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  carrierFaults,
  circleFaults,
  type Fault,
  importFaults,
  loadedWith,
  packageFaults,
  textFaults,
} from '../support/sources/architecture.ts'
import { withoutComments } from '../support/sources/source-text.ts'
import { unusedExports } from '../support/sources/unused-exports.ts'

const ROOT = new URL('../../', import.meta.url)
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('package.json', ROOT), 'utf8'),
) as Record<string, Record<string, string>>
const packages = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

function sources(folder: string): { path: string; source: string }[] {
  if (!existsSync(new URL(folder, ROOT))) return []
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|mjs)$/.test(name))
    .map(name => ({
      path: `${folder}/${name}`,
      source: readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8'),
    }))
}

const src = [...sources('src'), ...sources('simulator')]
const everything = [...src, ...['test', 'bench', 'scripts', 'examples'].flatMap(sources)]

function faultsOf(rule: (path: string, source: string) => Fault[], files = src): Fault[] {
  return files.flatMap(({ path, source }) => rule(path, source))
}

/** The packages that a source loads. */
function packagesOf(source: string): string[] {
  return Array.from(
    withoutComments(source).matchAll(/^import (?!type\b).*from '([^.'][^']*)'/gm),
    ([, name = '']) => name,
  ).filter(name => !name.startsWith('node:'))
}

describe('the sources', () => {
  it('import downwards only', () => expect(faultsOf(importFaults)).toEqual([]))

  it('know carriers only where they are composed', () => expect(faultsOf(carrierFaults)).toEqual([]))

  it('use only what is declared as a dependency', () =>
    expect(faultsOf((path, source) => packageFaults(path, source, packages))).toEqual([]))

  it('leave time and environment to their owners', () => expect(faultsOf(textFaults)).toEqual([]))

  it('never import values in circles', () => expect(circleFaults(src)).toEqual([]))

  it('export only what is used', () => expect(unusedExports(everything)).toEqual([]))

  it.each([['src/cli/program.ts'], ['src/cli/serve.ts'], ['src/app/app.ts'], ['src/index.ts']])(
    'load no simulator with %s',
    entry => expect(loadedWith([entry], src).filter(path => path.startsWith('simulator/'))).toEqual([]),
  )

  it('load only light modules with the schema of the settings', () => {
    const loaded = new Set(loadedWith(['src/app/settings/schema.ts'], src))
    const packages = src.filter(({ path }) => loaded.has(path)).flatMap(({ source }) => packagesOf(source))
    expect(Array.from(new Set(packages)).sort()).toEqual(['@fastify/proxy-addr', 'alawmulaw', 'zod'])
    // One for each carrier and each engine, among others.
    expect(loaded.size).toBeLessThan(140)
  })

  it('are all covered', () => expect(src.length).toBeGreaterThan(80))

  it('have scripts that name only files that exist', () => {
    const named = sources('scripts').flatMap(({ path, source }) =>
      Array.from(source.matchAll(/'((?:src|test|bench)\/[\w./-]+\.ts)'/g), ([, file]) => ({
        path,
        file: file!,
      })),
    )
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter(({ file }) => !existsSync(new URL(file, ROOT)))).toEqual([])
  })
})
