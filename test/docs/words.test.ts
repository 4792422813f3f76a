import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PROJECT, pages } from './pages.ts'

const read = (path: string) => readFileSync(PROJECT + path, 'utf8')

/** What the pages of this server show, and of whom names in italics are that are not ours. */
const SHOWN = ['src/bridges/browser/page/talk.html', 'src/web/dashboard/page/dashboard.html'].map(read).join()
const OTHERS = /^(Developer portal|New Application|Bot|Reset Token)$/

it('what the tutorial and the recipes tell people to press is there', () => {
  const named = pages()
    .filter(({ path }) => path === 'docs/tutorial.md' || path.startsWith('docs/how-to/'))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)/g), ([, word = '']) => ({ path, word })),
    )
    .filter(({ word }) => !OTHERS.test(word))
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ word }) => !SHOWN.includes(`>${word}<`))).toEqual([])
})
