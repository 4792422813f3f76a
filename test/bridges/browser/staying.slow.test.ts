import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import { hasChromium, startChromium } from '../../support/browser/browsers.ts'
import { talkPage } from '../../support/e2e/talk-page.ts'

/** Patience on a busy machine (ms). */
const timeout = 15_000

/** Keeps the contexts of a page, and continues none while `blocked`, like a phone during another call. */
const CONTEXTS = `
  window.contexts = []
  window.blocked = false
  window.AudioContext = class extends AudioContext {
    constructor(...given) {
      super(...given)
      window.contexts.push(this)
    }
    resume() {
      return window.blocked ? new Promise(() => {}) : super.resume()
    }
  }
`
/** Two microphones, of which the second can vanish. */
const HEADSET = `
  const { mediaDevices } = navigator
  window.headset = true
  const device = (kind, deviceId, label) => ({ kind, deviceId, label, groupId: '' })
  mediaDevices.enumerateDevices = async () => [
    device('audioinput', 'built-in', 'Built-in microphone'),
    ...(window.headset ? [device('audioinput', 'headset', 'Headset')] : []),
    device('audiooutput', 'built-in', 'Built-in speakers'),
  ]
  const ask = mediaDevices.getUserMedia.bind(mediaDevices)
  window.asked = []
  mediaDevices.getUserMedia = async ({ audio }) => {
    window.asked.push(audio.deviceId?.ideal ?? '')
    return (window.microphone = await ask({ audio: true }))
  }
  window.unplug = () => {
    window.headset = false
    microphone.getAudioTracks()[0].dispatchEvent(new Event('ended'))
    mediaDevices.dispatchEvent(new Event('devicechange'))
  }
  window.plug = () => {
    window.headset = true
    mediaDevices.dispatchEvent(new Event('devicechange'))
  }
`

describe.skipIf(!hasChromium)('staying in a call', { timeout: 120_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  async function opened() {
    const b = await browserServer()
    onTestFinished(() => b.close())
    return b
  }
  const state = (page: Page, text: string) =>
    page.locator('#state-name').getByText(text, { exact: true }).waitFor({ timeout })
  const names = (page: Page) => page.locator('#people li b').allTextContents()

  test('paused sound says that nobody hears them, and continues with a tap; dead sound is opened again', async () => {
    const b = await opened()
    const { page, faults } = await talkPage(browser, b.address, { ear: false, script: CONTEXTS })
    await page.click('#start')
    await state(page, 'Listening to you')
    await page.evaluate('blocked = true, contexts[0].suspend()')
    await state(page, 'Nobody hears you')
    await page.getByText('Tap the page to continue.').waitFor()
    await page.evaluate('blocked = false')
    await page.click('#captions-title')
    await state(page, 'Listening to you')

    await page.evaluate(
      `contexts[0].suspend(), Object.defineProperty(contexts[0], 'state', { get: () => 'running' }), blocked = true`,
    )
    await page.getByText('The sound device doesn’t respond.').waitFor({ timeout })
    await page.evaluate('blocked = false')
    await state(page, 'Listening to you')
    expect(await page.evaluate('contexts.length')).toBe(2)
    expect(faults).toEqual([])
    await page.context().close()
  })

  test('a reloaded page returns as the same person with its captions, and a second tab takes over', async () => {
    const b = await opened()
    const anna = await talkPage(browser, b.address, { ear: false })
    await anna.page.fill('#name', 'Anna')
    await anna.page.click('#start')
    await expect.poll(() => names(anna.page), { timeout }).toEqual(['Anna (you)'])
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const { hash } = new URL(await anna.page.locator('#link').inputValue())
    const bob = await talkPage(browser, `${b.address}/${hash}`, { ear: false })
    await bob.page.fill('#name', 'Bob')
    await bob.page.click('#start')
    await expect.poll(() => names(anna.page), { timeout }).toEqual(['Anna (you)', 'Bob'])
    const ids = () => [...[...b.relay.rooms.values()][0]!.participants.keys()]
    const before = ids()
    const { room } = [...b.relay.rooms.values()].map(({ name }) => ({ room: name }))[0]!
    b.relay.observer.emit('caption', {
      ...{
        room,
        speaker: before[0]!,
        name: 'Anna',
        utterance: 'u1',
        from: 'en-us',
        to: 'es-es',
        final: true,
      },
      ...{ text: 'good morning', translation: 'buenos días' },
    })
    await bob.page.locator('.said .original').getByText('good morning').waitFor({ timeout })

    await bob.page.reload()
    await anna.page.locator('#people').getByText('reconnecting').waitFor({ timeout })
    await bob.page.getByText('Return to the call').waitFor({ timeout })
    // He would be among those who are there.
    expect(await bob.page.locator('#present').isVisible()).toBe(false)
    expect(await bob.page.locator('#name').inputValue()).toBe('Bob')
    await bob.page.click('#start')
    await expect.poll(() => names(bob.page), { timeout }).toEqual(['Anna', 'Bob (you)'])
    await bob.page.locator('.said .original').getByText('good morning').waitFor({ timeout })
    expect(await names(anna.page)).toEqual(['Anna (you)', 'Bob'])
    expect(ids()).toEqual(before)

    const second = await bob.page.context().newPage()
    await second.goto(`${b.address}/${hash}`)
    await second.getByText('Return to the call').click()
    await bob.page.getByText('This call continues in another tab').waitFor({ timeout })
    expect(await bob.page.getByText('Call ended').isVisible()).toBe(false)
    await expect.poll(() => names(second), { timeout }).toEqual(['Anna', 'Bob (you)'])
    await bob.page.getByText('Continue here').click()
    await second.getByText('This call continues in another tab').waitFor({ timeout })
    await expect.poll(() => names(anna.page), { timeout }).toEqual(['Anna (you)', 'Bob'])
    expect(ids()).toEqual(before)

    await bob.page.click('#stop')
    await bob.page.getByText('Call ended').waitFor({ timeout })
    const kept = `Object.keys({ ...localStorage, ...sessionStorage }).filter(key => /visit|dragoman.captions/.test(key))`
    expect(await bob.page.evaluate(kept)).toEqual([])
    await expect.poll(() => names(anna.page), { timeout }).toEqual(['Anna (you)'])
    for (const { page } of [anna, bob]) await page.context().close()
  })

  test('whoever hangs up returns to those they have invited, or starts anew; whoever stays reads that the others have left', async () => {
    const b = await opened()
    const anna = await talkPage(browser, b.address, { ear: false })
    await anna.page.fill('#name', 'Anna')
    await anna.page.click('#start')
    await anna.page.getByText('Nobody else is here yet').waitFor({ timeout })
    await anna.page.click('#invite')
    await anna.page.locator('#invited').waitFor()
    const { hash } = new URL(await anna.page.locator('#link').inputValue())
    const phone = { viewport: { width: 360, height: 640 }, locale: 'es-ES' }
    const eva = await talkPage(browser, `${b.address}/${hash}`, { ear: false, ...phone })
    await eva.page.fill('#name', 'Eva')
    await eva.page.click('#start')
    await expect.poll(() => names(eva.page), { timeout }).toEqual(['Anna', 'Eva (tú)'])
    // A narrow window shows why somebody is not heard, not their language.
    await anna.page.click('#mute')
    await eva.page.locator('#people .condition').getByText('en silencio').waitFor({ timeout })
    const cut = `[...document.querySelectorAll('#people .condition')].some(each => {
      const { right } = each.getBoundingClientRect()
      return right > each.parentElement.getBoundingClientRect().right || right > innerWidth
    })`
    expect(await eva.page.evaluate(cut)).toBe(false)

    await anna.page.click('#stop')
    await eva.page.getByText('Los demás han salido de la llamada.').waitFor({ timeout })
    await anna.page.getByRole('button', { name: 'Return to the call' }).click()
    await expect.poll(() => names(anna.page), { timeout }).toEqual(['Eva', 'Anna (you)'])
    await eva.page.getByText('Los demás han salido').waitFor({ state: 'hidden', timeout })
    await anna.page.click('#stop')
    await anna.page.getByRole('button', { name: 'Start a new call' }).click()
    await anna.page.getByText('Nobody else is here yet').waitFor({ timeout })
    expect(await names(anna.page)).toEqual(['Anna (you)'])
    expect(b.relay.rooms.size).toBe(2)
    await anna.page.click('#stop')
    await anna.page.getByRole('button', { name: 'Talk again' }).waitFor({ timeout })
    for (const { page } of [anna, eva]) await page.context().close()
  })

  test('a headset that vanishes is replaced, and used again when it is back; the call lasts visibly', async () => {
    const b = await opened()
    const { page, faults } = await talkPage(browser, b.address, { ear: false, script: HEADSET })
    await page.click('#sound-card summary')
    await page.click('#try-sound')
    // The own level moves before a call.
    await vi.waitUntil(
      async () =>
        Number(
          await page.evaluate(`document.getElementById('level-test').style.getPropertyValue('--level') || 0`),
        ) > 0,
      { timeout },
    )
    await page.selectOption('#microphone', 'headset')
    await page.click('#start')
    await state(page, 'Listening to you')
    await page.evaluate('unplug()')
    await page.getByText('That microphone is gone. Another one is in use.').waitFor({ timeout })
    await state(page, 'Listening to you')
    expect(await page.evaluate('asked.at(-1)')).toBe('')
    await page.evaluate('plug()')
    await expect.poll(() => page.evaluate('asked.at(-1)'), { timeout }).toBe('headset')
    await expect
      .poll(() => page.locator('#elapsed').textContent(), { timeout })
      .toMatch(/^0:0[1-9]$|^0:[1-5]/)
    expect(faults).toEqual([])
    await page.context().close()
  })
})
