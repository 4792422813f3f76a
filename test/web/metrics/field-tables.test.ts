import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../../../src/app/app.ts'
import { FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'

/** Sources by path. */
const SOURCES = new Map<string, string>(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => [`src/${name}`, readFileSync(`src/${name}`, 'utf8')] as const),
)

/** Every match of the first group of `pattern`, with its file. */
function matches(pattern: RegExp): { readonly file: string; readonly match: string }[] {
  return Array.from(SOURCES).flatMap(([file, text]) =>
    Array.from(text.matchAll(pattern), ([, match]) => ({ file, match: match! })),
  )
}

describe('a metric is added in the file of its field table', () => {
  test('which is the file of the counters', () => {
    const tables = matches(/: FieldTable<(?:Pick<)?(\w+)/g).filter(({ match }) => match !== 'T')
    expect(tables.length).toBeGreaterThan(15)
    const apart = tables.filter(
      ({ file, match }) => !new RegExp(`\\b(?:class|interface) ${match}\\b`).test(SOURCES.get(file)!),
    )
    expect(apart).toEqual([])
  })

  test('and is exported from there, under a name that is in no other file', async () => {
    await using app = await buildApp(
      {
        ...{ host: '127.0.0.1', port: 0, service: {}, languages: { speaks: 'en-us', hears: 'es-es' } },
        twilio: { authTokens: [], insecure: true },
      },
      { translator: new FakeTranslator() },
    )
    const written = matches(/(?<=['"`])(dragoman_[a-z0-9_]+)(?=['"`])/g)
    const files = Map.groupBy(written, ({ match }) => match)
    const { families } = app.server.metrics
    expect(families.length).toBeGreaterThan(150)
    const unknown = Array.from(files.keys()).filter(name => !families.some(family => family.name === name))
    expect(unknown).toEqual([])
    for (const { name } of families.filter(family => family.name.startsWith('dragoman_')))
      expect([name, new Set(files.get(name)?.map(({ file }) => file)).size]).toEqual([name, 1])
  })
})
