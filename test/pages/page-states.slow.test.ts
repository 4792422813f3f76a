import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasChromium, startChromium } from '../support/browser/browsers.ts'
import { accessibilityFaults } from '../support/browser/page-faults.ts'
import { PageServer, PUBLIC_URL, silentMicrophone } from '../support/browser/page-server.ts'
import { openState, PAGE_STATES, PUBLIC_STATES } from '../support/browser/page-states.ts'

/** A phone, a large window at 400 % and at 200 %, a tablet, a large screen. */
const WIDTHS = [360, 320, 640, 768, 1920]

/** Buttons with text that does not fit, and content outside the window. */
const CLIPPED = `Array.from(document.querySelectorAll('button, a.button'))
  .filter(each => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map(each => each.textContent)
  .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`

describe.skipIf(!hasChromium)('every state of every page', () => {
  let browser: Browser
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dragoman-states-'))
    browser = await startChromium({ microphone: await silentMicrophone(folder) })
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true })
  })

  async function check(page: Page): Promise<void> {
    expect(await accessibilityFaults(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 640 })
      expect(await page.evaluate(CLIPPED), `${width} px`).toEqual([])
      if (width === WIDTHS[0]) expect(await accessibilityFaults(page)).toEqual([])
    }
    // With reduced motion, nothing moves.
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  }

  describe('on this machine', () => {
    let server: PageServer
    beforeAll(async () => {
      server = await PageServer.listen()
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test.each(Object.entries(PAGE_STATES))('%s', async (_name, state) => {
      const page = await openState(browser, server, state)
      try {
        await check(page)
      } finally {
        await page.context().close()
      }
      await server.hangUp()
    })
  })

  test.each(Object.entries(PUBLIC_STATES))('%s', async (_name, state) => {
    await using server = await PageServer.listen({ publicUrl: PUBLIC_URL })
    const page = await openState(browser, server, state)
    try {
      await check(page)
    } finally {
      await page.context().close()
    }
  })

  test('a screen reader hears final captions once, in the language of its user, and no drafts', async () => {
    await using server = await PageServer.listen()
    const page = await openState(browser, server, PAGE_STATES['talk-draft']!)
    onTestFinished(() => page.context().close())
    const told = await page.locator('#captions-aloud').ariaSnapshot()
    expect(told.match(/: .*/g)).toEqual([
      ': "Ana: Good morning, everyone."',
      ': "Kim: Did the parcel arrive yesterday?"',
      ': "Ana: Yes, it came in the afternoon."',
    ])
  })

  // The longest words are German and French.
  test.each(['es-ES', 'fr-FR', 'de-DE', 'it-IT', 'pt-PT'])('nothing is cut off in %s', async locale => {
    await using server = await PageServer.listen()
    for (const name of ['talk-choices', 'talk-microphone-denied', 'talk-invitation', 'captions-downloads']) {
      const page = await openState(browser, server, PAGE_STATES[name]!, { locale })
      for (const width of [320, 768, 1920]) {
        await page.setViewportSize({ width, height: 640 })
        expect(await page.evaluate(CLIPPED), `${name}, ${width} px`).toEqual([])
      }
      await page.context().close()
      await server.hangUp()
    }
  })

  test('a call needs no mouse, and focus is never lost', async () => {
    await using server = await PageServer.listen()
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 640 } })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(server.address)
    await page.locator('#start:enabled').waitFor()
    const focused = () => page.evaluate('document.activeElement.id')
    const tabTo = async (id: string) => {
      for (let n = 0; n < 40 && (await focused()) !== id; n++) await page.keyboard.press('Tab')
      expect(await focused()).toBe(id)
    }
    await tabTo('start')
    await page.keyboard.press('Enter')
    await page.locator('#state-name').getByText('Listening').waitFor()
    expect(await focused()).toBe('mute')
    await page.keyboard.press('Space')
    await page.locator('#state-name').getByText('Muted').waitFor()
    await page.keyboard.press('m')
    await page.locator('#state-name').getByText('Listening').waitFor()

    await page.keyboard.press('i')
    await page.locator('#invited').waitFor()
    expect(await focused()).toBe('link')
    await page.keyboard.press('Escape')
    await page.locator('#invited').waitFor({ state: 'hidden' })
    expect(await focused()).toBe('invite')

    await tabTo('more')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('speaks')
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('more')
    await tabTo('stop')
    await page.keyboard.press('Enter')
    await page.getByText('Call ended').waitFor()
    expect(await focused()).toBe('after-title')
    await tabTo('start')
    // The invitation is still valid.
    expect(await page.locator('#start').textContent()).toBe('Return to the call')
  })
})
