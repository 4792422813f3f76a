import { expect, test } from 'vitest'
import webvtt from 'webvtt-parser'
import { inEachBrowser } from '../../support/browser/browsers.ts'
import { accessibilityFaults } from '../../support/browser/page-faults.ts'
import { savedFile } from '../../support/browser/saved-file.ts'
import { captionRoom, captionsOn, fromEnd, isLive, texts } from '../../support/e2e/caption-room.ts'
import { KEY } from '../../support/web/control-harness.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true }

inEachBrowser('the captions page', { timeout: 30_000 }, host => {
  test('shows speakers and both languages, growing and final, each once, and announces them once to screen readers', async () => {
    const { anna, bob, link, open } = await captionRoom(host.browser)
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

  test('has no accessibility faults in any theme, with its panels open', async () => {
    const { anna, bob, link, open } = await captionRoom(host.browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('one')
    bob('two')
    for (const look of ['light', 'dark', 'contrast']) {
      for (const panel of ['Settings', 'Save']) {
        if (panel === 'Settings') {
          await page.getByRole('button', { name: panel, exact: true }).click()
          await page.getByLabel('Theme').selectOption(look)
        } else await page.getByRole('button', { name: panel, exact: true }).click()
        expect(await accessibilityFaults(page), `${look} ${panel}`).toEqual([])
      }
      await page.locator('#open-downloads').click()
    }
  })

  test('shows the requested language, texts and size, and remembers them', async () => {
    const { anna, bob, link, open } = await captionRoom(host.browser)
    const address = await link()
    const { page } = await open(address)
    await isLive(page)
    anna('good morning', 'buenos días')
    bob('hola', 'hello')
    await page.locator('.caption').getByText('hello').waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Show').selectOption('translation')
    await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('es-es')
    // Readers of Spanish see Bob in the original, and Anna in Spanish.
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
    await page.getByRole('button', { name: 'Larger text' }).click()
    await page.keyboard.press('+')
    const after = await size()
    expect(after).toBeGreaterThan(before * 1.4)
    await page.reload()
    await isLive(page)
    await expect.poll(() => captionsOn(page)).toEqual(spanish)
    expect(await size()).toBe(after)
    // The link’s parameters take precedence.
    await page.goto(`${address}&show=original&to=en-us&size=1`)
    await page.reload()
    await expect.poll(() => texts(page)).toEqual(['good morning', 'hola'])
    expect(await size()).toBe(16)
  })

  test('stays in place while scrolled up, and resumes on request', async () => {
    const { anna, link, open } = await captionRoom(host.browser)
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

  test('saves subtitles that match the transcript', async () => {
    const { anna, bob, link, open, ask, run } = await captionRoom(host.browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('1 < 2 & <b>bold</b>', 'uno')
    await run(100)
    bob('hola', 'hello')
    await page.locator('.caption').getByText('hello').waitFor()
    await page.locator('#open-downloads').click()
    const save = async (name: string) =>
      (await savedFile(page, () => page.getByRole('button', { name }).click())).text
    const vtt = await save('As subtitles for a website')
    expect(vtt).toBe((await ask('GET', '/rooms/r/transcript?format=vtt')).text)
    const { cues, errors } = new webvtt.WebVTTParser({ '&lt': '<', '&gt': '>', '&amp': '&' }).parse(
      vtt,
      'subtitles/captions/descriptions',
    )
    expect([errors, cues.length]).toEqual([[], 2])
    expect(await save('As subtitles for a video')).toBe(
      (await ask('GET', '/rooms/r/transcript?format=srt')).text,
    )
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('en-us')
    await page.getByLabel('Show').selectOption('translation')
    await page.locator('#open-downloads').click()
    expect(await save('As text')).toBe('[00:00:00] Bob (en-us): hello\n')
  })

  test('shows markup as text, for any length and writing direction', async () => {
    const { anna, link, open } = await captionRoom(host.browser)
    const { page, faults } = await open(await link(), { ...PHONE, isMobile: host.engine === 'Chromium' })
    await isLive(page)
    const attack = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    anna(attack, '\u202e\u2066gnip-gnip')
    anna('مرحبا بكم', 'ברוכים הבאים')
    anna('x'.repeat(8_000), 'W'.repeat(8_000))
    await expect.poll(async () => (await captionsOn(page)).length).toBe(3)
    const [first, second, third] = await captionsOn(page)
    expect(first?.texts).toEqual([attack, 'gnip-gnip'])
    expect(third?.texts[1]).toHaveLength(8_000)
    expect(await page.title()).toBe('Captions · Dragoman')
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

  test('accepts a typed key, rejects others, and keeps it out of addresses', async () => {
    const { anna, url, open } = await captionRoom(host.browser)
    const { page } = await open(`${url}/captions`)
    await page.getByLabel('Room').fill('r')
    await page.getByLabel('Key of the control API').fill('x'.repeat(24))
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This key is not valid.').waitFor()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.getByLabel('Key of the control API').fill(KEY)
    await page.keyboard.press('Enter')
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    await page.reload()
    await isLive(page)
    await page.goto(`${url}/captions/r#key=${KEY}&to=es-es`)
    await page.reload()
    await isLive(page)
    expect(page.url()).toBe(`${url}/captions/r#to=es-es`)
    await page.goto(`${url}/captions/r`)
    await page.reload()
    await isLive(page)
    expect(asked.filter(each => each.includes(KEY))).toEqual([])
    expect(page.url()).toBe(`${url}/captions/r`)
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('works with the keyboard alone', async () => {
    const { anna, link, open } = await captionRoom(host.browser)
    const { page } = await open(await link())
    await isLive(page)
    for (let n = 1; n <= 30; n++) anna(`sentence ${n}`)
    await expect.poll(async () => (await texts(page)).length).toBe(30)
    const reached: string[] = []
    for (let n = 0; n < 8; n++) {
      await page.keyboard.press('Tab')
      reached.push(await page.locator(':focus').evaluate(({ id, textContent }) => id || textContent))
    }
    expect(reached).toEqual([
      'Talk',
      'page-language',
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
})
