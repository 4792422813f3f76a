import type { Browser, CDPSession } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, startChromium } from '../support/browser/browsers.ts'
import { accessibilityFaults, watchFaults } from '../support/browser/page-faults.ts'
import { bridge } from '../support/e2e/phones.ts'

const KEY = 'a-key-that-nobody-would-guess'
/** Everything that a page loads until it can be used, as it is sent (bytes). */
const MOST_BYTES = 150_000
/** Time to the first paint with a processor that is four times slower (ms). */
const PAINT_MS = 1_000
const SLOWDOWN = 4
/** The fastest of these counts, because other tests use the same processors. */
const ATTEMPTS = 5

const PAGES = [
  ['the talk page', '/', '#start:enabled'],
  ['the dashboard', `/dashboard#key=${KEY}`, '#board'],
  ['the captions page', `/captions/desk#key=${KEY}`, '#tools'],
  ['the reference of the API', '/v1/docs', 'h1'],
  ['the page for an unknown address', '/nowhere', 'h1'],
  ['the page for an expired link', '/v1/rooms/desk/captions?token=old', 'h1'],
  ['the page for an address of programs', '/v1/rooms', 'h1'],
] as const

/** Counts the bytes of complete responses with their headers; the live stream of a page never ends. */
function countBytes(cdp: CDPSession): () => number {
  let bytes = 0
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return () => bytes
}

describe.skipIf(!hasChromium)('the budget of', () => {
  let browser: Browser
  let b: Awaited<ReturnType<typeof bridge>>
  beforeAll(async () => {
    b = await bridge({ control: { keys: [{ name: 'test', key: KEY }] } })
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await b?.app.close()
  })

  test.each(PAGES)(
    '%s: size, first paint, nothing from elsewhere, usable by all',
    async (_name, path, ready) => {
      const paints: number[] = []
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const context = await browser.newContext()
        const page = await context.newPage()
        // Statuses other than 200 are reported as errors.
        const faults = watchFaults(page, b.address)
        const cdp = await context.newCDPSession(page)
        await cdp.send('Network.enable')
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
        const bytes = countBytes(cdp)
        await page.goto(b.address + path)
        await page.locator(ready).first().waitFor()
        await expect.poll(() => page.evaluate(PAINT)).toBeGreaterThan(0)
        paints.push((await page.evaluate(PAINT)) as number)
        expect(bytes()).toBeGreaterThan(500)
        expect(bytes()).toBeLessThan(MOST_BYTES)
        expect(faults.filter(fault => !fault.includes('responded with a status'))).toEqual([])
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
        if (attempt === 0) expect(await accessibilityFaults(page)).toEqual([])
        await context.close()
        if (paints.at(-1)! <= PAINT_MS) break
      }
      expect(Math.min(...paints)).toBeLessThanOrEqual(PAINT_MS)
    },
  )
})

const PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`
