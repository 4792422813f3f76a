import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, hasChromium, startChromium } from '../../helpers/chromium.ts'
import { captionRoom, captionsOn } from './caption-room.ts'

describe.skipIf(!hasChromium)('the captions page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test('shows who says what in both languages, growing and settled, newest at the bottom', async () => {
    const { anna, bob, link, open } = await captionRoom(browser)
    const { page, faults } = await open(await link())
    await page.getByText('Live', { exact: true }).waitFor()
    anna('good', '', false, 'one')
    await page.getByText('good', { exact: true }).waitFor()
    console.log(await captionsOn(page))
    anna('good morning', 'buenos días', true, 'one')
    bob('hola', 'hello')
    await page.getByText('hello').waitFor()
    console.log(await captionsOn(page))
    await page.screenshot({ path: '/tmp/h5-1.png' })
    console.log(await accessibilityFaults(page))
    expect(faults).toEqual([])
  })
})
