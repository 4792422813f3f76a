import { afterAll, beforeAll, expect, test } from 'vitest'
import { inEachBrowser } from '../support/browser/browsers.ts'
import { accessibilityFaults, watchFaults } from '../support/browser/page-faults.ts'
import { bridge } from '../support/e2e/phones.ts'

const KEY = 'a-key-that-nobody-would-guess'
/** From the narrowest phone to a large screen. */
const WIDTHS = [320, 768, 1_440]

inEachBrowser('every page', { timeout: 30_000 }, host => {
  let b: Awaited<ReturnType<typeof bridge>>
  beforeAll(async () => {
    b = await bridge({ control: { keys: [{ name: 'test', key: KEY }] } })
    // A participant in a room, so that there is something to show.
    await b.dial({ room: 'desk', name: 'Ana', speaks: 'es-es', hears: 'es-es' })
  })
  afterAll(async () => {
    await b?.app.close()
  })

  test.each([
    ['/', '#start:enabled'],
    ['/dashboard', '#login'],
    [`/dashboard#key=${KEY}`, '#board'],
    ['/captions', '#entry'],
    [`/captions/desk#key=${KEY}`, '#tools'],
    ['/v1/docs', 'h1'],
  ])(
    '%s can be seen, heard and used in each theme, on every screen, and loads nothing from elsewhere',
    async (path, ready) => {
      const page = await host.browser.newPage()
      const faults = watchFaults(page, b.address)
      await page.goto(b.address + path)
      await page.locator(ready).waitFor()
      // Firefox ESR 140 cannot change the theme of a page.
      for (const colorScheme of host.engine === 'Firefox'
        ? (['light'] as const)
        : (['light', 'dark'] as const)) {
        if (host.engine === 'Chromium') await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 700 })
          const wide = await page.locator('html').evaluate(root => root.scrollWidth)
          expect(wide, `${colorScheme}, ${width} px`).toBeLessThanOrEqual(width)
        }
        await page.setViewportSize({ width: colorScheme === 'light' ? 1_440 : 320, height: 700 })
        expect(await accessibilityFaults(page), colorScheme).toEqual([])
      }
      expect(await page.locator('html').getAttribute('lang')).toBe('en')
      expect(await page.title()).toContain('Dragoman')
      expect(faults).toEqual([])
      await page.close()
    },
  )
})
