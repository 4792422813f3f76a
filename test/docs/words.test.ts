import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CATALOGS } from '../../src/messages/catalogs.ts'
import { PROJECT, pages } from './pages.ts'

const read = (path: string) => readFileSync(PROJECT + path, 'utf8')

/** Sources of the pages that this server shows, and owners of names in italics that are not ours. */
const SHOWN = [
  ...['dashboard', 'dialogs', 'rooms', 'simulate'].map(name => read(`src/web/dashboard/page/${name}.ts`)),
  ...Object.values({ ...CATALOGS.en.talk, ...CATALOGS.en.captions }).map(text => `>${text}<`),
].join()
const OTHERS =
  /^(Developer portal|New Application|Bot|Reset Token|Copy|Privileged Gateway Intents|Public Bot|Installation|Install Link|None|Manage Server|Primary handler fails)$/

it('the tutorial and the guides name existing buttons', () => {
  const named = pages()
    .filter(({ path }) => path === 'docs/tutorial.md' || path.startsWith('docs/guides/'))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)/g), ([, word = '']) => ({ path, word })),
    )
    .filter(({ word }) => !OTHERS.test(word))
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ word }) => !SHOWN.includes(`>${word}<`))).toEqual([])
})
