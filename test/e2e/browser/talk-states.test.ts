import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { browserServer } from '../../harness/browser/browser-bridge-harness.ts'
import { hasChromium, startChromium } from '../../harness/chromium.ts'
import { talkPage, withoutMicrophone } from '../../harness/e2e/talk-page.ts'

/** A page that the browser treats as opened over plain http. */
const INSECURE = `Object.defineProperty(window, 'isSecureContext', { get: () => false })`

async function opened(options: Parameters<typeof browserServer>[0] = {}) {
  const b = await browserServer(options)
  onTestFinished(() => b.close())
  return b
}

describe.skipIf(!hasChromium)('the states of the talk page', { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('shows a muted microphone as muted, not as listening', async () => {
    const b = await opened()
    const { page } = await talkPage(browser, b.address, { ear: false })
    const status = page.locator('#status')
    await page.click('#start')
    await page.getByText('You’re connected. Say something.').waitFor()
    await page.click('#mute')
    expect(await status.textContent()).toBe('Muted. Others can’t hear you.')
    await page.click('#mute')
    expect(await status.textContent()).toBe('You’re connected. Say something.')
    await page.context().close()
  })

  test('a denied microphone is an error, and the page offers a retry', async () => {
    const b = await opened()
    const { page } = await talkPage(browser, b.address, {
      ear: false,
      script: withoutMicrophone('NotAllowedError'),
    })
    await page.click('#start')
    await page.getByText('Microphone access is blocked').waitFor()
    expect(await page.locator('#status').getAttribute('data-kind')).toBe('bad')
    await page.click('#stop')
    expect(await page.locator('#start').textContent()).toBe('Try again')
    await page.context().close()
  })

  test('over plain http the page names https as the cause, and disables buttons that cannot work', async () => {
    const b = await opened()
    const { page } = await talkPage(browser, b.address, { ear: false, usable: false, script: INSECURE })
    await page.getByText('opened over plain http').waitFor()
    expect(await page.locator('#start').isDisabled()).toBe(true)
    expect(await page.locator('#play').isDisabled()).toBe(true)
    await page.context().close()
  })

  test('an expired link offers no conversation to join', async () => {
    const b = await opened()
    const { page } = await talkPage(browser, `${b.address}/#join=${'x'.repeat(43)}`, {
      ear: false,
      usable: false,
    })
    await page.getByText('has expired').waitFor()
    expect(await page.locator('#start').textContent()).toBe('Start talking')
    expect(await page.locator('#start').isDisabled()).toBe(true)
    await page.context().close()
  })

  test('a wrong code is reported at its field', async () => {
    const b = await opened()
    const { page } = await talkPage(browser, b.address, { ear: false })
    await page.fill('#code', '123456')
    await page.click('#code-form button')
    await page.locator('#code-card').getByText('Invalid code.').waitFor()
    expect(await page.locator('#status').textContent()).toBe('Ready when you are.')
    await page.context().close()
  })

  test('a link that works only on this machine is marked as such, and only existing ways to join are listed', async () => {
    const b = await opened({ numbers: ['+15550000001'] })
    const { page } = await talkPage(browser, b.address, { ear: false })
    await page.click('#start')
    await page.click('#invite')
    await page.locator('#invited').waitFor()
    expect(await page.locator('#invite-here').isVisible()).toBe(true)
    expect(await page.locator('#code-ways li').allTextContents()).toEqual([
      'By phone: +15550000001',
      'On this page: under “Have a code?”',
    ])
    await page.context().close()
  })
})
