import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { pageFiles } from '../../../src/pages/page-files.ts'
import { captionPage } from '../../../src/web/captions/caption-links.ts'
import { ACTION_MS } from '../browser/browsers.ts'
import { watchFaults } from '../browser/page-faults.ts'
import { controlled, type Wishes } from '../web/control-harness.ts'

/** A room in which Anna speaks English and Bob Spanish, with its captions page; the test controls the service. */
export async function captionRoom(browser: Browser, wishes: Wishes = {}) {
  const room = await controlled({ ...wishes, plugins: [app => pageFiles(app, {}), captionPage] })
  room.join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
  room.join('bob', { speaks: 'es-es', hears: 'es-es', name: 'Bob' })
  await room.run(100)
  let count = 0
  /** Anna speaks, translated into Spanish; without `utterance`, a new utterance. */
  const anna = (text: string, translation = `es ${text}`, final = true, utterance = `${++count}`) =>
    room.connection('en-us', 'es-es').sink.result({ utterance, final, text, translation })
  const bob = (text: string, translation = `en ${text}`, final = true, utterance = `${++count}`) =>
    room.connection('es-es', 'en-us').sink.result({ utterance, final, text, translation })
  /** A page in a separate context, with its errors. */
  const open = async (address: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(ACTION_MS)
    const faults = watchFaults(page, new URL(address).origin)
    await page.goto(address)
    return { page, faults, context }
  }
  /** The address of the page by a link. */
  const link = async (minutes = 60, at = room.url, more = '') =>
    `${at}${(await room.ask('POST', '/rooms/r/captions/link', { minutes })).body.page}${more}`
  return { ...room, anna, bob, open, link }
}

/** Captions on the page: name, texts, and whether they are still growing. */
export async function captionsOn(page: Page): Promise<{ who: string; texts: string[]; growing: boolean }[]> {
  return await page.locator('#captions > li').evaluateAll(items =>
    items.map(item => ({
      who: item.querySelector('.who')?.textContent ?? '',
      texts: Array.from(item.querySelectorAll('p'), ({ textContent }) => textContent ?? ''),
      growing: item.classList.contains('growing'),
    })),
  )
}

export const isLive = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor()

/** The last line of each caption: the translation, if any. */
export const texts = async (page: Page): Promise<(string | undefined)[]> =>
  (await captionsOn(page)).map(each => each.texts.at(-1))

/** Distance between the end of the captions and the visible part (px). */
export const fromEnd = (page: Page): Promise<number> =>
  page.locator('#stage').evaluate(stage => stage.scrollHeight - stage.clientHeight - stage.scrollTop)
