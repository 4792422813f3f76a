import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandFaults, ownCommands } from './commands.ts'
import { EXECUTED } from './executed.ts'
import { PROJECT, pages, snippets, snippetsOf, title } from './pages.ts'

const blocks = snippets('sh', 'bash', 'shell', 'console')

describe('commands of the pages', () => {
  it('exist', () => expect(blocks.length).toBeGreaterThan(25))

  it.each(blocks.map(block => [title(block), block.code]))('%s: would be accepted', async (_title, code) => {
    expect(await commandFaults(code)).toEqual([])
  })

  it('are really run by a test', () => {
    const all = blocks.flatMap(({ code }) => ownCommands(code))
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(line => !EXECUTED.some(([begins]) => begins.test(line)))).toEqual([])
    for (const [begins, test, mark] of EXECUTED) {
      expect(existsSync(PROJECT + test), test).toBe(true)
      expect(readFileSync(PROJECT + test, 'utf8'), `${test} ${begins}`).toContain(mark)
    }
  })

  it('are in blocks of sh only', () => {
    const plain = pages()
      .filter(({ path }) => !path.startsWith('docs/reference/'))
      .flatMap(snippetsOf)
      .filter(
        ({ language, code }) => ['', 'text'].includes(language) && /^(\$ |npm |curl |dragoman )/m.test(code),
      )
    expect(plain.map(title)).toEqual([])
  })
})

describe('the rules', () => {
  it.each([
    'npm run nothing',
    'npm run dragoman -- call',
    'dragoman serve --prot 80',
    'dragoman keys ad desk',
    'dragoman translate speech.wav --to spanish',
    'DRAGOMAN_PROT=80 npm start',
    'export DRAGOMAN_DISCORD_TOKE=x',
    'npm run example examples/nothing.ts',
    'node examples/clients/nothing.mjs',
    'node examples/own-voice.ts',
    'frobnicate --now',
    'npm start && npm run nothing',
  ])('find what is wrong with %s', async code => expect(await commandFaults(code)).toHaveLength(1))

  it.each([
    'npm start   # the server',
    'npm run demo -- --two-phones',
    'DRAGOMAN_PORT=80 npm start',
    'dragoman serve \\\n  --port 8081',
    'dragoman conformance https://translation.example.com --key … --from en-us',
  ])('take %s', async code => expect(await commandFaults(code)).toEqual([]))
})
