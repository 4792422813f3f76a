import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  carrierFaults,
  circleFaults,
  type Fault,
  importFaults,
  layerOf,
  loadedWith,
  packageFaults,
  textFaults,
} from '../support/sources/architecture.ts'
import { importsOf, withoutComments } from '../support/sources/source-text.ts'
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

  it('leave time, environment and default exports to their owners', () =>
    expect(faultsOf(textFaults)).toEqual([]))

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
})

describe('the rules', () => {
  it('find unused exports', () => {
    const a = {
      path: 'src/core/a.ts',
      source: 'export class Used {}\nexport const unused = 1\nexport interface Free {}',
    }
    const b = { path: 'test/core/b.ts', source: 'new Used()\nexport const own = unusedness' }
    expect(unusedExports([a, b])).toEqual(['src/core/a.ts exports unused, which no other file uses'])
  })

  const faulty = (rule: (path: string, source: string) => Fault[], path: string, source: string) =>
    expect(rule(path, source).length, `${path}: ${source}`)

  it.each([
    ['src/transcode/a.ts', "import { b } from '../core/model/b.ts'"],
    ['src/core/model/a.ts', "import type { b } from '../../service/contract.ts'"],
    ['src/core/model/a.ts', "export { b } from '../room/b.ts'"],
    ['src/core/playout/a.ts', "import { b } from '../translation/b.ts'"],
    ['src/core/room/a.ts', "const { b } = await import('../../app/app.ts')"],
    ['src/bridges/phone/twilio/a.ts', "import '../../../service/index.ts'"],
    ['src/bridges/phone/twilio/a.ts', "import b from '../../discord/index.ts'"],
    ['src/bridges/phone/a.ts', "import { b } from './twilio/wire.ts'"],
    ['src/bridges/phone/twilio/a.ts', "import {\n  b,\n} from '../../../web/b.ts'"],
    ['src/service/client/a.ts', "import { b } from '../server/b.ts'"],
    ['src/service/engines/a.ts', "import { b } from '../server/b.ts'"],
    ['src/service/contract.ts', "import { b } from './client/b.ts'"],
    ['src/web/status.ts', "import { b } from '../bridges/phone/twilio/index.ts'"],
    ['simulator/twilio/a.ts', "import { b } from '../../src/bridges/phone/twilio/dialect.ts'"],
    ['simulator/a.ts', "import { b } from '../src/service/client/b.ts'"],
    ['src/app/settings/a.ts', "import { b } from '../../cli/b.ts'"],
    ['src/app/a.ts', "import { b } from '../main.ts'"],
    ['src/core/room/a.ts', "import { b } from '../../../test/helpers/b.ts'"],
    ['src/core/room/a.ts', "import { b } from '../../storage/b.ts'"],
    ['src/storage/a.ts', "import { b } from '../core/room/b.ts'"],
  ])('find what %s must not import: %s', (path, source) => faulty(importFaults, path, source).toBe(1))

  it.each([
    ['src/core/room/a.ts', "import { b } from '../playout/b.ts'\nimport { c } from './c.ts'"],
    ['simulator/a.ts', "import type { b } from '../src/service/contract.ts'"],
    ['src/service/index.ts', "export { b } from './client/b.ts'"],
    ['src/recording/a.ts', "import { b } from '../storage/b.ts'"],
    ['src/app/app.ts', "import a from '../bridges/phone/twilio/index.ts'\nimport b from '../web/status.ts'"],
    ['src/cli/a.ts', "import { b } from '../app/app.ts'\nimport { c } from '../../simulator/index.ts'"],
    ['src/main.ts', "import { b } from './cli/b.ts'"],
    ['src/core/room/a.ts', "// import { b } from '../../app.ts'\n/** import('../../app.ts') */"],
  ])('let %s import %s', (path, source) => faulty(importFaults, path, source).toBe(0))

  it.each([
    ['src/app/plugins.ts', "import a from '../bridges/phone/twilio/index.ts'", 1],
    ['src/cli/serve.ts', "import { b } from '../bridges/phone/acme/settings.ts'", 1],
    ['src/bridges/phone/acme/index.ts', "import { b } from '../twilio/wire.ts'", 1],
    ['src/bridges/phone/carriers.ts', "import { a } from './twilio/settings.ts'", 0],
    ['src/app/plugins.ts', "import a from '../bridges/phone/index.ts'", 0],
    ['src/bridges/phone/acme/index.ts', "import { b } from './wire.ts'\nimport c from '../limits.ts'", 0],
  ])('know who may import a carrier: %s, %s', (path, source, faults) =>
    faulty(carrierFaults, path, source).toBe(faults),
  )

  it.each([
    ['src/core/room/a.ts', 'const a = Date.now()'],
    ['src/bridges/phone/twilio/a.ts', 'setInterval(() => {}, 20)'],
    ['src/app/app.ts', 'const { HOME } = process.env'],
    ['src/core/room/a.ts', 'export default class A {}'],
    ['src/core/room/a.ts', "export { a as default } from './b.ts'"],
    ['src/core/room/a.ts', 'const a: any = 1'],
    ['src/core/room/a.ts', 'const a = b as any'],
    ['src/core/room/a.ts', 'const a: Map<string, any> = new Map()'],
    ['src/core/room/a.ts', 'enum A { b }'],
  ])('find what %s must not say: %s', (path, source) => faulty(textFaults, path, source).toBe(1))

  it.each([
    ['src/core/room/a.ts', '/** any, Date.now, export default */ const a = "process.env"'],
    ['src/app/settings/load.ts', 'export function a(env = process.env) {}'],
    ['src/web/status.ts', 'export default async function status() {}'],
    ['src/cli/call.ts', 'const progress = setInterval(show, 100)'],
    ['src/core/room/a.ts', "const a = AbortSignal.any([b, c])\nconst d = /['\"]/\nconst e = `it's any`"],
  ])('let %s say %s', (path, source) => faulty(textFaults, path, source).toBe(0))

  it('find circles of values, and leave types alone', () => {
    const a = { path: 'src/common/a.ts', source: "import { b, type C } from './b.ts'" }
    const b = { path: 'src/common/b.ts', source: "export { c } from './c.ts'" }
    const c = { path: 'src/common/c.ts', source: "import { a } from './a.ts'" }
    expect(circleFaults([a, b, c])).toHaveLength(1)
    expect(circleFaults([a, b, { ...c, source: "import { type A } from './a.ts'" }])).toEqual([])
    expect(circleFaults([a, b, { ...c, source: "import type { A } from './a.ts'" }])).toEqual([])
    expect(circleFaults([a, b, { ...c, source: "await import('./a.ts')" }])).toEqual([])
  })

  it('find what is loaded with a file', () => {
    const a = {
      path: 'src/cli/a.ts',
      source: "import { b } from './b.ts'\nimport type { D } from '../d.ts'\nawait import('../e.ts')",
    }
    const b = { path: 'src/cli/b.ts', source: "import '../c.ts'\nexport { type D, d } from '../f.ts'" }
    expect(loadedWith(['src/cli/a.ts'], [a, b])).toEqual([
      'src/cli/a.ts',
      'src/cli/b.ts',
      'src/c.ts',
      'src/f.ts',
    ])
  })

  it('find undeclared packages, and network access in the core', () => {
    const check = (path: string, source: string) => packageFaults(path, source, ['ws', '@fastify/websocket'])
    expect(
      check('src/bridges/phone/twilio/a.ts', "import { b } from 'ws'\nimport c from '@fastify/websocket'"),
    ).toEqual([])
    expect(check('src/bridges/phone/twilio/a.ts', "import { b } from '@fastify/cors/c'")).toHaveLength(1)
    expect(check('src/core/room/a.ts', "import { b } from 'ws'")).toHaveLength(1)
    expect(check('src/transcode/a.ts', "import { createServer } from 'node:http'")).toHaveLength(1)
  })

  it('find files without a layer', () => {
    expect(() => layerOf('src/utils/strings.ts')).toThrow('belongs to no layer')
    expect(() => layerOf('src/helpers.ts')).toThrow('belongs to no layer')
  })

  it('read sources like a compiler', () => {
    expect(withoutComments("a('//b') // c\n/* d */ e", { strings: true })).toBe('a(     )     \n        e')
    expect(importsOf('const a = "import { b } from \'c\'"').length).toBeLessThan(2)
    expect(withoutComments('a = b / c // d')).toBe('a = b / c     ')
    expect(withoutComments('a = /[/"]/ // d')).toBe('a = /[/"]/     ')
  })

  it('has scripts that name only files that exist', () => {
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
