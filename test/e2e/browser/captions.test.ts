import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebVTTParser } from 'webvtt-parser'
import { FaultProxy } from '../../../src/simulator/faults/fault-proxy.ts'
import { accessibilityFaults, hasChromium, startChromium, watchFaults } from '../../helpers/chromium.ts'
import { pause } from '../../helpers/until.ts'
import { KEY } from '../../web/control/controlled.ts'
import { bridge, LINE_RATE, recognised, sentence } from '../phones.ts'
import { captionRoom, captionsOn } from './caption-room.ts'

const SAID = 'had he married a more amiable woman he might have been made still more respectable than he was'
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor()
const texts = async (page: Page) => (await captionsOn(page)).map(each => each.texts.at(-1))
/** How far the end of the captions is below what is seen (px). */
const fromEnd = (page: Page) =>
  page.locator('#stage').evaluate(stage => stage.scrollHeight - stage.clientHeight - stage.scrollTop)

describe.skipIf(!hasChromium)('the captions page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('shows who says what in both languages, growing and settled, each once, and has it read out once', async () => {
    const { anna, bob, link, open } = await captionRoom(browser)
    const { page, faults } = await open(await link())
    await isLive(page)
    anna('good', '', false, 'one')
    await page.locator('.caption').getByText('good', { exact: true }).waitFor()
    expect(await captionsOn(page)).toEqual([{ who: 'Anna', texts: ['good'], growing: true }])
    expect(await page.locator('#aloud').textContent()).toBe('')
    anna('good morning', 'buenos días', true, 'one')
    bob('hola', 'hello')
    await page.locator('.caption').getByText('hello').waitFor()
    expect(await captionsOn(page)).toEqual([
      { who: 'Anna', texts: ['good morning', 'buenos días'], growing: false },
      { who: 'Bob', texts: ['hola', 'hello'], growing: false },
    ])
    const language = (text: string) =>
      page.locator('.caption').getByText(text, { exact: true }).getAttribute('lang')
    expect([await language('good morning'), await language('buenos días')]).toEqual(['en-US', 'es-ES'])
    await page.locator('#aloud').getByText('hello').waitFor()
    expect(await page.locator('#aloud').textContent()).toBe('Anna: good morningbuenos díasBob: holahello')
    const colours = await page
      .locator('.who')
      .evaluateAll(names => names.map(each => each.ownerDocument.defaultView.getComputedStyle(each).color))
    expect(new Set(colours).size).toBe(2)
    expect(faults).toEqual([])
  })

  test('is without faults of access in every look, with its panels open', async () => {
    const { anna, bob, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('one')
    bob('two')
    for (const look of ['light', 'dark', 'contrast']) {
      for (const panel of ['Settings', 'Download']) {
        if (panel === 'Settings') {
          await page.getByRole('button', { name: panel }).click()
          await page.getByLabel('Look').selectOption(look)
        } else await page.getByRole('button', { name: panel }).click()
        expect(await accessibilityFaults(page), `${look} ${panel}`).toEqual([])
      }
      await page.getByRole('button', { name: 'Download' }).click()
    }
  })

  test('shows the language and the texts that are wanted, as large as wanted, and remembers it', async () => {
    const { anna, bob, link, open } = await captionRoom(browser)
    const address = await link()
    const { page } = await open(address)
    await isLive(page)
    anna('good morning', 'buenos días')
    bob('hola', 'hello')
    await page.locator('.caption').getByText('hello').waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Show').selectOption('translation')
    await page.getByLabel('Language').selectOption('es-es')
    // Who reads Spanish reads Bob as he speaks, and Anna in Spanish.
    const spanish = [
      { who: 'Anna', texts: ['buenos días'], growing: false },
      { who: 'Bob', texts: ['hola'], growing: false },
    ]
    await expect.poll(() => captionsOn(page)).toEqual(spanish)
    const size = () =>
      page
        .locator('.caption p')
        .first()
        .evaluate(each => Number.parseFloat(each.ownerDocument.defaultView.getComputedStyle(each).fontSize))
    const before = await size()
    await page.getByRole('button', { name: 'Larger type' }).click()
    await page.keyboard.press('+')
    const after = await size()
    expect(after).toBeGreaterThan(before * 1.4)
    await page.reload()
    await isLive(page)
    await expect.poll(() => captionsOn(page)).toEqual(spanish)
    expect(await size()).toBe(after)
    // What the link wishes counts more.
    await page.goto(`${address}&show=original&to=en-us&size=1`)
    await page.reload()
    await expect.poll(() => texts(page)).toEqual(['good morning', 'hola'])
    expect(await size()).toBe(16)
  })

  test('stays still while somebody reads back, and goes on where they want it to', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    for (let n = 1; n <= 30; n++) anna(`sentence ${n}`)
    await expect.poll(async () => (await texts(page)).at(-1)).toBe('es sentence 30')
    expect(await fromEnd(page)).toBeLessThan(2)
    await page.locator('#stage').evaluate(stage => stage.scrollTo(0, stage.scrollHeight / 3))
    const button = page.getByRole('button', { name: /Back to the live captions/ })
    await button.waitFor()
    const seen = page.locator('.caption').nth(12)
    const place = (await seen.boundingBox())?.y
    for (let n = 31; n <= 40; n++) anna(`sentence ${n}`)
    await expect.poll(() => button.textContent()).toBe('Back to the live captions (10 new)')
    expect(await texts(page)).toHaveLength(30)
    expect((await seen.boundingBox())?.y).toBe(place)
    await button.click()
    await expect.poll(async () => (await texts(page)).at(-1)).toBe('es sentence 40')
    expect(await fromEnd(page)).toBeLessThan(2)
    expect(await button.isHidden()).toBe(true)
  })

  test('has everything once after the connection was cut, whatever was said meanwhile', async () => {
    const { anna, link, open, url, run } = await captionRoom(browser)
    await using proxy = await FaultProxy.listen({ to: url })
    const { page } = await open(await link(60, proxy.url))
    await isLive(page)
    anna('one')
    anna('two, not', '', false, 'growing')
    await page.getByText('two, not', { exact: true }).waitFor()
    proxy.accepting = 'refuse'
    proxy.cut()
    await page.locator('#state').getByText('Connection lost').waitFor()
    anna('two, now whole', 'dos', true, 'growing')
    anna('three')
    proxy.heal()
    await isLive(page)
    anna('four')
    await expect.poll(() => texts(page)).toEqual(['es one', 'dos', 'es three', 'es four'])
    expect(await page.locator('.growing').count()).toBe(0)
    // More than the server keeps for those who come back: the transcript has it.
    proxy.accepting = 'refuse'
    proxy.cut()
    await page.locator('#state').getByText('Connection lost').waitFor()
    for (let n = 1; n <= 700; n++) {
      await run(20)
      anna(`more ${n}`)
    }
    proxy.heal()
    await isLive(page)
    const all = new Set<string | undefined>()
    await expect
      .poll(
        async () => {
          for (const text of await texts(page)) all.add(text)
          const earlier = page.getByRole('button', { name: 'Earlier captions' })
          if (await earlier.isVisible()) await earlier.click()
          return all.size
        },
        { timeout: 10_000 },
      )
      .toBe(704)
    const shown = await texts(page)
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown.slice(0, 5)).toEqual(['es one', 'dos', 'es three', 'es four', 'es more 1'])
  })

  test('says that the link is good no more, and asks no more', async () => {
    const { anna, clock, link, open, ask } = await captionRoom(browser)
    const { page } = await open(await link(1))
    await isLive(page)
    anna('one')
    await page.getByText('es one').first().waitFor()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    clock.advance(60_000)
    await page.locator('#notice').getByText('not good any more').waitFor()
    expect(await texts(page)).toEqual(['es one'])
    await pause(500)
    expect(asked).toEqual([])
    // The same when it is revoked, and when it is opened too late.
    const { page: revoked } = await open(await link())
    await isLive(revoked)
    await ask('DELETE', '/rooms/r/captions/link')
    await revoked.locator('#notice').getByText('not good any more').waitFor()
    await revoked.reload()
    await revoked.locator('#notice').getByText('not good any more').waitFor()
  })

  test('says that the conversation has ended, has it for download, and waits for the next one', async () => {
    const { anna, link, open, relay, join, run } = await captionRoom(browser, {
      transcripts: { keep: 'memory' },
    })
    const { page, faults } = await open(await link())
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    await relay.rooms.get('r')?.close()
    await page.locator('#notice').getByText('has ended').waitFor()
    await page.getByRole('button', { name: 'Download' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'TXT' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('captions-r.txt')
    expect(await readFile(await saved.path(), 'utf8')).toBe(
      '[00:00:00] Anna (en-us): one\n    (es-es): es one\n',
    )
    await page.getByRole('button', { name: 'Wait until it opens again' }).click()
    await page.locator('#notice').getByText('Nobody is in this room yet').waitFor()
    join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
    join('bob', { speaks: 'es-es', hears: 'es-es', name: 'Bob' })
    await run(100)
    // The page looks now and then; and at once when the browser tells it that the network is back.
    await page.evaluate('dispatchEvent(new Event("online"))')
    await isLive(page)
    // The same utterance of another conversation is another one.
    anna('two', 'dos', true, '1')
    await expect.poll(() => texts(page)).toEqual(['es one', 'dos'])
    expect(faults.filter(each => !each.includes('404'))).toEqual([])
  })

  test('saves subtitles that are the transcript', async () => {
    const { anna, bob, link, open, ask, run } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('1 < 2 & <b>bold</b>', 'uno')
    await run(100)
    bob('hola', 'hello')
    await page.locator('.caption').getByText('hello').waitFor()
    await page.getByRole('button', { name: 'Download' }).click()
    const save = async (name: string) => {
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ])
      return readFile(await saved.path(), 'utf8')
    }
    const vtt = await save('VTT')
    expect(vtt).toBe((await ask('GET', '/rooms/r/transcript?format=vtt')).text)
    const { cues, errors } = new WebVTTParser({ '&lt': '<', '&gt': '>', '&amp': '&' }).parse(
      vtt,
      'subtitles/captions/descriptions',
    )
    expect([errors, cues.length]).toEqual([[], 2])
    expect(await save('SRT')).toBe((await ask('GET', '/rooms/r/transcript?format=srt')).text)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Language').selectOption('en-us')
    await page.getByLabel('Show').selectOption('translation')
    await page.getByRole('button', { name: 'Download' }).click()
    expect(await save('TXT')).toBe('[00:00:00] Bob (en-us): hello\n')
  })

  test('shows what is said and never does it, however long and in whatever direction', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page, faults } = await open(await link(), PHONE)
    await isLive(page)
    const attack = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    anna(attack, '\u202e\u2066gnip-gnip')
    anna('مرحبا بكم', 'ברוכים הבאים')
    anna('x'.repeat(8_000), 'W'.repeat(8_000))
    await expect.poll(async () => (await captionsOn(page)).length).toBe(3)
    const [first, second, third] = await captionsOn(page)
    expect(first?.texts).toEqual([attack, 'gnip-gnip'])
    expect(third?.texts[1]).toHaveLength(8_000)
    expect(await page.title()).toBe('Captions of r · Dragoman')
    expect(await page.locator('#captions img, #captions script').count()).toBe(0)
    const rtl = page.locator('.caption').nth(1).locator('p')
    expect(second?.texts).toHaveLength(2)
    expect(
      await rtl.evaluateAll(lines =>
        lines.map(each => each.ownerDocument.defaultView.getComputedStyle(each).direction),
      ),
    ).toEqual(['rtl', 'rtl'])
    const wide = () =>
      page.locator('html, #stage').evaluateAll(each => each.map(({ scrollWidth }) => scrollWidth))
    expect(Math.max(...(await wide()))).toBeLessThanOrEqual(360)
    for (let n = 0; n < 12; n++) await page.keyboard.press('+')
    expect(Math.max(...(await wide()))).toBeLessThanOrEqual(360)
    expect(faults).toEqual([])
  })

  test('has a bounded number of captions on the page, of two thousand', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    for (let n = 1; n <= 2_000; n++) {
      anna(`sentence ${n}`)
      if (n % 50 === 0) await pause(1)
    }
    await expect.poll(async () => (await texts(page)).at(-1), { timeout: 10_000 }).toBe('es sentence 2000')
    expect(await page.locator('#captions > li').count()).toBeLessThanOrEqual(120)
    expect(await page.locator('#aloud > *').count()).toBeLessThanOrEqual(10)
    // What a further caption costs (ms), of which there were thousands.
    const began = performance.now()
    for (let n = 1; n <= 20; n++) {
      anna(`later ${n}`)
      await page.getByText(`es later ${n}`, { exact: true }).first().waitFor({ state: 'attached' })
    }
    expect((performance.now() - began) / 20).toBeLessThan(500)
  })

  test('says that the service is away, and that it is back', async () => {
    const { anna, connection, clock, run, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    connection('en-us', 'es-es').drop({ kind: 'hangup', by: 'remote' })
    await page.locator('#notice').getByText('The translation service is away (Anna into Spanish').waitFor()
    clock.advance(200)
    await run(200)
    await page.locator('#notice').getByText('The translation service is back').waitFor()
    anna('two')
    await expect.poll(() => texts(page)).toEqual(['es one', 'es two'])
  })

  test('takes a key that is typed in, and no other; it is in no address', async () => {
    const { anna, url, open } = await captionRoom(browser)
    const { page } = await open(`${url}/captions`)
    await page.getByLabel('Room').fill('r')
    await page.getByLabel('Key of the control API').fill('x'.repeat(24))
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This key is not good.').waitFor()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.getByLabel('Key of the control API').fill(KEY)
    await page.keyboard.press('Enter')
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    await page.reload()
    await isLive(page)
    expect(asked.filter(each => each.includes(KEY))).toEqual([])
    expect(page.url()).toBe(`${url}/captions/r`)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('says so where the server gives no captions', async () => {
    const { url, open } = await captionRoom(browser, { control: { keys: [] } })
    const { page } = await open(`${url}/captions/r#token=a.b`)
    await page.locator('#notice').getByText('This server gives no captions').waitFor()
  })

  test('is used with the keyboard alone', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    for (let n = 1; n <= 30; n++) anna(`sentence ${n}`)
    await expect.poll(async () => (await texts(page)).length).toBe(30)
    const reached: string[] = []
    for (let n = 0; n < 7; n++) {
      await page.keyboard.press('Tab')
      reached.push(await page.locator(':focus').evaluate(({ id, textContent }) => id || textContent))
    }
    expect(reached).toEqual([
      'Talk',
      'smaller',
      'larger',
      'open-settings',
      'open-downloads',
      'full-screen',
      'stage',
    ])
    await page.keyboard.press('PageUp')
    await page.getByRole('button', { name: /Back to the live/ }).waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => fromEnd(page)).toBeLessThan(2)
  })

  test('shows what somebody says on the telephone, recognised and translated by the real engines', async () => {
    const { app, address, dial } = await bridge({ control: { keys: [{ name: 'test', key: KEY }] } })
    onTestFinished(() => app.close())
    const phone = await dial({ room: 'wall', speaks: 'en-us', hears: 'es-es' })
    const headers = { authorization: `Bearer ${KEY}` }
    const asked = await fetch(`${address}/v1/rooms/wall/captions/link`, { method: 'POST', headers })
    const link = (await asked.json()) as { page: string }
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const faults = watchFaults(page, address)
    await page.goto(address + link.page)
    await isLive(page)
    await phone.say(await sentence(4), LINE_RATE)
    await page.locator('.growing').first().waitFor()
    await page.locator('.caption:not(.growing)').first().waitFor({ timeout: 20_000 })
    const shown = await captionsOn(page)
    const words = (index: number) => shown.map(each => each.texts[index] ?? '').join(' ')
    expect(recognised(SAID, words(0))).toBeGreaterThan(0.5)
    expect(words(1)).toMatch(/\b(hombre|mujer|el|la|más|que)\b/)
    await phone.hangUp()
    await page.locator('#notice').getByText('has ended').waitFor({ timeout: 20_000 })
    expect(faults).toEqual([])
  })
})
