import { expect, test } from 'vitest'
import { type Caption, VisitMemory } from '../../../../src/bridges/browser/page/visit-memory.ts'

class FakeStorage {
  readonly items = new Map<string, string>()
  getItem(key: string): string | null {
    return this.items.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value)
  }
  removeItem(key: string): void {
    this.items.delete(key)
  }
}

const LINK = 'x'.repeat(24)
const VISIT = { call: 'c'.repeat(24), secret: 's'.repeat(24), until: 60_000 }
const caption = (utterance: string): Caption => ({
  ...{ kind: 'caption', mine: true, utterance, from: 'en-us', to: 'es-es', final: true, text: utterance },
})

function tabs() {
  let time = 0
  const browser = new FakeStorage()
  const open = (link?: string, tab = new FakeStorage()) =>
    Object.assign(new VisitMemory({ tab, browser, link, now: () => time }), { tab })
  return { browser, open, at: (ms: number) => (time = ms) }
}

test('a reload has the call, its captions and the name; after hanging up only the name is left', () => {
  const { browser, open, at } = tabs()
  const page = open(LINK)
  page.name = 'Anna'
  page.keep(VISIT)
  page.said(caption('old'))
  at(11 * 60_000 - 30_000)
  const reloaded = open(LINK, page.tab)
  page.said(caption('new'))
  expect(reloaded.captions.map(({ text }) => text)).toEqual(['new'])
  at(30_000)
  expect(reloaded.visit).toEqual(VISIT)
  expect(reloaded.name).toBe('Anna')
  reloaded.forget()
  expect(reloaded.visit).toBeUndefined()
  expect([...page.tab.items.keys()]).toEqual([])
  expect([...browser.items.keys()]).toEqual(['dragoman.name'])
})

test('a second tab with the same link finds the call, one with another link does not, and a call ends with its time', () => {
  const { open, at } = tabs()
  open(LINK).keep(VISIT)
  expect(open(LINK).visit).toEqual(VISIT)
  expect(open().visit).toBeUndefined()
  at(60_000)
  expect(open(LINK).visit).toBeUndefined()
})

test('a tab keeps its own call, and forgets none of another tab', () => {
  const { open } = tabs()
  const first = open()
  first.keep(VISIT)
  const second = open()
  const other = { ...VISIT, call: 'd'.repeat(24) }
  second.keep(other)
  expect(open(undefined, first.tab).visit).toEqual(VISIT)
  first.forget()
  expect(open().visit).toEqual(other)
})

test('without storage, nothing is kept and nothing fails', () => {
  const page = new VisitMemory({ tab: undefined, browser: undefined, link: undefined, now: () => 0 })
  page.keep(VISIT)
  page.said(caption('a'))
  page.name = 'Anna'
  expect([page.works, page.visit, page.captions, page.name]).toEqual([false, undefined, [], ''])
})
