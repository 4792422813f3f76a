import jsqr from 'jsqr'
import { expect, onTestFinished, test, vi } from 'vitest'
import { browserServer } from '../../support/browser/browser-bridge-harness.ts'
import { inEachBrowser } from '../../support/browser/browsers.ts'
import { accessibilityFaults } from '../../support/browser/page-faults.ts'
import { savedFile } from '../../support/browser/saved-file.ts'
import { startEcho, talkPage, withoutMicrophone } from '../../support/e2e/talk-page.ts'

/** A page that the browser treats as opened over plain http. */
const INSECURE = `Object.defineProperty(window, 'isSecureContext', { get: () => false })`

// A CommonJS module, whose types describe its own default export.
const readQrCode = jsqr as unknown as typeof jsqr.default

/** The first request for the microphone fails, later ones succeed. */
const ONCE_WITHOUT_MICROPHONE = `
  const { mediaDevices } = navigator
  const ask = mediaDevices.getUserMedia.bind(mediaDevices)
  let asked = 0
  mediaDevices.getUserMedia = wanted =>
    asked++ === 0 ? Promise.reject(new DOMException('', 'NotFoundError')) : ask(wanted)
`

/** Reads a QR code, drawn as squares of a path, like a camera does. */
function decoded(path: string, size: number): string | undefined {
  const scale = 4
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h/g))
    for (let dy = 0; dy < scale; dy++)
      for (let dx = 0; dx < scale; dx++) {
        const at = ((Number(y) * scale + dy) * size * scale + Number(x) * scale + dx) * 4
        pixels.fill(0, at, at + 3)
      }
  return readQrCode(pixels, size * scale, size * scale)?.data
}

async function opened(options: Parameters<typeof browserServer>[0] = {}) {
  const b = await browserServer(options)
  onTestFinished(() => b.close())
  return b
}

inEachBrowser('the states of the talk page', { timeout: 60_000 }, host => {
  test('shows a muted microphone as muted, not as listening', async () => {
    const b = await opened()
    const { page } = await talkPage(host.browser, b.address, { ear: false })
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
    const { page } = await talkPage(host.browser, b.address, {
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
    const { page } = await talkPage(host.browser, b.address, { ear: false, usable: false, script: INSECURE })
    await page.getByText('isn’t on a secure connection').waitFor()
    expect(await page.locator('#start').isDisabled()).toBe(true)
    expect(await page.locator('#play').isDisabled()).toBe(true)
    await page.context().close()
  })

  test('a link that leads nowhere offers no conversation to join, and does not claim that it was ever valid', async () => {
    const b = await opened({ dashboard: '/dashboard' })
    const { page } = await talkPage(host.browser, `${b.address}/#join=${'x'.repeat(43)}`, {
      ear: false,
      usable: false,
    })
    await page.getByText('This link doesn’t lead to a call.').waitFor()
    expect(await page.locator('#to-dashboard').isVisible()).toBe(false)
    expect(await page.locator('#start').textContent()).toBe('Start talking')
    expect(await page.locator('#start').isDisabled()).toBe(true)
    await page.context().close()
  })

  test('a wrong code is reported at its field', async () => {
    const b = await opened()
    const { page } = await talkPage(host.browser, b.address, { ear: false })
    await page.click('#code-card summary')
    await page.fill('#code', '123456')
    await page.click('#code-form button')
    await page.locator('#code-card').getByText('No call has this code.').waitFor()
    expect(await page.locator('#status').textContent()).toBe('Ready when you are.')
    await page.context().close()
  })

  test('a link that works only on this machine is marked as such, and only existing ways to join are listed', async () => {
    const b = await opened({ numbers: ['+15550000001'] })
    const { page } = await talkPage(host.browser, b.address, { ear: false })
    await page.click('#start')
    await page.click('#invite')
    await page.locator('#invited').waitFor()
    expect(await page.locator('#invite-here').isVisible()).toBe(true)
    // It names the command that gives the server an address for others.
    expect(await page.locator('#tunnel-command').textContent()).toBe(`cloudflared tunnel --url ${b.address}`)
    expect(await page.locator('#qr').isVisible()).toBe(false)
    expect(await page.locator('#code-ways li').allTextContents()).toEqual([
      'By phone: +15550000001',
      'On this page: under “Have a code?”',
    ])
    await page.context().close()
  })

  test('during a call, captions come first, with one state and the controls; afterwards, captions can be downloaded', async () => {
    const b = await opened()
    const { page } = await talkPage(host.browser, b.address, {
      ear: false,
      viewport: { width: 360, height: 640 },
    })
    await startEcho(page)
    await page.locator('#state').getByText('Listening').waitFor()
    const top = async (id: string) => (await page.locator(id).boundingBox())!
    // Everything fits: the page does not scroll, and the controls are at its end.
    const [captions, hangUp] = [await top('#captions'), await top('#stop')]
    expect(captions.y).toBeLessThan(160)
    expect(captions.height).toBeGreaterThan(250)
    expect(hangUp.y + hangUp.height).toBeLessThanOrEqual(640)
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    // Languages are behind More, and the keyboard mutes.
    expect(await page.locator('#speaks').isVisible()).toBe(false)
    await page.click('#more')
    expect(await page.locator('#speaks').isVisible()).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.locator('#speaks').isVisible()).toBe(false)
    await page.keyboard.press('m')
    await page.locator('#state').getByText('Muted').waitFor()
    await page.keyboard.press('m')
    await page.locator('#state').getByText('Listening').waitFor()

    const { sink } = await vi.waitUntil(() => b.translator.connections.at(-1), { timeout: 30_000 })
    sink.result({ utterance: '1', text: 'good morning', final: true })
    await page.locator('#state').getByText('Translating').waitFor()
    sink.result({ utterance: '1', text: 'good morning', translation: 'buenos días', final: true })
    await page.locator('#state').getByText('Listening').waitFor()
    await page.click('#stop')
    await page.getByText('Call ended').waitFor()
    const { name, text } = await savedFile(page, () => page.click('[data-format=srt]'))
    expect(name).toBe('captions.srt')
    expect(text).toMatch(/^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\nGuest: good morning\nbuenos días\n$/)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.context().close()
  })

  test('without a microphone the state says that no one hears, and the microphone can be requested again', async () => {
    const b = await opened()
    const { page } = await talkPage(host.browser, b.address, { ear: false, script: ONCE_WITHOUT_MICROPHONE })
    await page.click('#start')
    await page.locator('#state').getByText('Nobody hears you').waitFor()
    await page.getByText('No microphone found').waitFor()
    await page.click('#fix')
    await page.locator('#state').getByText('Listening').waitFor()
    expect(await page.locator('#fix').isVisible()).toBe(false)
    expect(await page.locator('#status').getAttribute('data-kind')).toBe('')
    await page.context().close()
  })

  test('someone who reads earlier captions is not moved, but told how many are new', async () => {
    const b = await opened()
    const { page } = await talkPage(host.browser, b.address, {
      ear: false,
      viewport: { width: 360, height: 640 },
    })
    await startEcho(page)
    const { sink } = await vi.waitUntil(() => b.translator.connections.at(-1), { timeout: 30_000 })
    const say = (n: number) =>
      sink.result({ utterance: `${n}`, text: `sentence ${n}`, translation: `frase ${n}`, final: true })
    for (let n = 1; n <= 12; n++) say(n)
    await page.getByText('frase 12').waitFor()
    await page.locator('#captions').evaluate(list => list.scrollTo(0, 0))
    say(13)
    say(14)
    await page.getByText('2 new captions').waitFor()
    expect(await page.locator('#captions').evaluate(list => list.scrollTop)).toBe(0)
    await page.getByText('2 new captions').click()
    await page.getByText('frase 14').waitFor()
    expect(await page.locator('#latest').isVisible()).toBe(false)
    await page.context().close()
  })

  test('the QR code of an invitation contains its link, for links that others can open', async () => {
    const b = await opened({ publicUrl: 'https://talk.example.com' })
    const { page, faults } = await talkPage(host.browser, b.address, { ear: false })
    await page.click('#start')
    await page.click('#invite')
    const svg = page.locator('#qr svg')
    await svg.waitFor()
    const size = Number((await svg.getAttribute('viewBox'))?.split(' ')[2])
    const path = (await svg.locator('path').nth(1).getAttribute('d')) ?? ''
    const link = await page.locator('#link').inputValue()
    expect(link).toMatch(/^https:\/\/talk\.example\.com\//)
    expect(decoded(path, size)).toBe(link)
    expect(faults).toEqual([])
    expect(await accessibilityFaults(page)).toEqual([])
    await page.context().close()
  })
})
