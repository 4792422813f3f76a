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
