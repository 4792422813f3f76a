import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withoutComments } from '../support/sources/source-text.ts'

const ROOT = new URL('../../', import.meta.url)
const SOURCES = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => ({
    name,
    code: withoutComments(readFileSync(new URL(`src/${name}`, ROOT), 'utf8'), { strings: true }),
  }))

const SECRET = String.raw`[\w.]*(?:[tT]oken|[sS]ecret|[sS]ignature|[aA]piKey|[pP]assword|[hH]mac|[aA]uthToken)`
const COMPARED = [
  new RegExp(String.raw`\b(${SECRET})\s*[!=]==?\s*(?!undefined|null|\s*['"\d])[\w.(]`, 'g'),
  new RegExp(String.raw`[!=]==?\s*(${SECRET})\b`, 'g'),
]

describe('the sources', () => {
  test('compare no secret in a way that stops at the first difference', () => {
    const found = SOURCES.flatMap(({ name, code }) =>
      COMPARED.flatMap(rule => [...code.matchAll(rule)].map(([text]) => `${name}: ${text}`)),
    )
    expect(found).toEqual([])
    const users = SOURCES.filter(({ code }) => code.includes('timingSafeEqual(')).map(({ name }) => name)
    expect(users.toSorted()).toEqual([
      'bridges/phone/markup/form-signature.ts',
      'bridges/phone/plivo/dialect.ts',
      'common/secrets.ts',
      'service/server/keys/api-keys.ts',
      'web/control/auth.ts',
    ])
  })

  test('write markup in few files, which escape it', () => {
    const markup = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .filter(name =>
        /(?<!\w)<(?:Response|Say|Play|Dial|Stream|Redirect|Gather|Parameter|speak|prosody)\b[^>]*>/.test(
          withoutComments(readFileSync(new URL(`src/${name}`, ROOT), 'utf8')),
        ),
      )
    expect(markup.toSorted()).toEqual([
      'bridges/phone/markup/call-xml.ts',
      'bridges/phone/plivo/dialect.ts',
      'service/engines/vendors/azure/azure.ts',
    ])
  })

  test('evaluate no code and open no archive', () => {
    const found = SOURCES.flatMap(({ name, code }) =>
      /\beval\(|\bnew Function\(|node:vm|unzip|\btar\b|createGunzip|createInflate|brotliDecompress/.test(code)
        ? [name]
        : [],
    )
    // Archives of models: with a known digest, a limit for what comes out, and into an empty folder; and the packages for that.
    expect(found.sort()).toEqual(['cli/models/unpack.ts', 'common/optional-package.ts'])
  })
})

describe('the packages', () => {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as {
    packages: Record<
      string,
      {
        integrity?: string
        resolved?: string
        hasInstallScript?: boolean
        dev?: boolean
        optional?: boolean
        link?: boolean
      }
    >
  }
  const entries = Object.entries(lock.packages).filter(([path]) => path !== '')

  test('are locked by digest, and name no registry', () => {
    expect(
      entries.filter(([, { integrity, link, dev }]) => !integrity && !link && !dev).map(([path]) => path),
    ).toEqual([])
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  test('with an install script are known, and each is allowed by name', () => {
    const { allowScripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
      allowScripts: Record<string, boolean>
    }
    const scripted = entries
      .filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    const known = ['bufferutil', 'koffi', '@evan/opus', 'fsevents']
    expect(scripted.filter(name => !(name in allowScripts) && !known.includes(name))).toEqual([])
  })
})
