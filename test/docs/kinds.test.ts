import { XMLParser } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { pages, type Snippet, snippetsOf, title } from './pages.ts'

/** Checkers of the blocks of each language. A block in another one fails. */
const CHECKED: Readonly<Record<string, string>> = {
  '': 'drawings and output: no commands in them (sh.test.ts)',
  text: 'the same',
  sh: 'sh.test.ts, curl.test.ts',
  yaml: 'yaml.test.ts',
  ts: 'programs.test.ts: types, and each is run',
  js: 'programs.test.ts: each is run',
  json: 'below',
  xml: 'below',
  ini: 'below; units of deploy/ by test/deploy',
  nginx: 'below; configurations of deploy/ by test/deploy',
  caddyfile: 'no Caddy here; that of deploy/ by test/deploy as far as can be',
  promql: 'by the tests of metrics',
  env: 'below',
}

/** Pages whose JSON is compared with the responses of servers, and by which test. */
const ANSWERS: Readonly<Record<string, string>> = {
  'docs/guides/control-from-a-program.md': 'test/web/control/control-doc.slow.test.ts',
  'docs/service/http.md': 'test/service/server/contract-commands.slow.test.ts',
  'docs/service/protocol.md': 'test/service/server/contract-doc.test.ts',
  'docs/reference/events.md': 'made from what is sent: test/docs/reference.slow.test.ts',
}

const all = pages().flatMap(snippetsOf)
const of = (language: string) => all.filter(each => each.language === language)
const rows = (blocks: readonly Snippet[]) => blocks.map(block => [title(block), block] as const)

it('every block of code has a checker', () => {
  expect(all.length).toBeGreaterThan(100)
  expect(all.filter(({ language }) => !(language in CHECKED)).map(title)).toEqual([])
})

describe('json', () => {
  it.each(rows(of('json')))('%s: can be read, and is compared somewhere', (_title, { code, page }) => {
    expect(() => JSON.parse(code)).not.toThrow()
    expect(ANSWERS[page], 'no rule says what it is compared with: test/docs/kinds.test.ts').toBeDefined()
  })
})

describe('xml', () => {
  it.each(rows(of('xml')))('%s: is TwiML', (_title, { code }) => {
    expect(new XMLParser().parse(code, true)).toHaveProperty('Response')
  })
})

describe('ini', () => {
  it.each(rows(of('ini')))('%s: has sections with keys', (_title, { code }) => {
    const lines = code.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'))
    expect(lines[0]).toMatch(/^\[\w+\]$/)
    expect(lines.filter(line => !/^(\[\w+\]|[A-Za-z]\w+=.+)$/.test(line))).toEqual([])
  })
})

describe('nginx', () => {
  it.each(rows(of('nginx')))('%s: opens and closes, each directive with its end', (_title, { code }) => {
    const lines = code
      .split('\n')
      .map(line => line.replace(/#.*/, '').trim())
      .filter(line => line !== '')
    expect(lines.filter(line => !/[;{}]$/.test(line))).toEqual([])
    expect(code.split('{').length).toBe(code.split('}').length)
  })
})
