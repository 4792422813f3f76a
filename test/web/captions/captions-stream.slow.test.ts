import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { hasChromium, startChromium } from '../../support/browser/browsers.ts'
import { accessibilityFaults, watchFaults } from '../../support/browser/page-faults.ts'
import { captionRoom, captionsOn, isLive, texts } from '../../support/e2e/caption-room.ts'
import { bridge, LINE_RATE, recognised, sentence } from '../../support/e2e/phones.ts'
import { sine } from '../../support/transcode/tone.ts'
import { pause } from '../../support/until.ts'
import { KEY } from '../../support/web/control-harness.ts'

const SAID = 'had he married a more amiable woman he might have been made still more respectable than he was'

describe.skipIf(!hasChromium)('the captions page, over time,', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('has everything once after a disconnection, including later captions', async () => {
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
    // More than the server keeps for reconnections: the transcript has it.
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
        { timeout: 30_000 },
      )
      .toBe(704)
    const shown = await texts(page)
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown.slice(0, 5)).toEqual(['es one', 'dos', 'es three', 'es four', 'es more 1'])
  })

  test('detects a dead connection', async () => {
    // The server’s clock stops: it goes silent, like a server that has crashed.
    const { anna, link, open, services, server } = await captionRoom(browser)
    const { page } = await open(`${server.listeningOrigin}/captions`)
    await page.clock.install()
    await page.goto(await link())
    await isLive(page)
    anna('one')
    await expect.poll(() => texts(page)).toEqual(['es one'])
    const again = page.waitForRequest(/captions$/)
    await page.clock.fastForward(30_000)
    expect(services.captionHub.readers).toBe(1)
    expect(await page.locator('#state').textContent()).toBe('Live')
    await page.clock.fastForward(11_000)
    await page.clock.runFor(1_000)
    expect((await again).headers()['last-event-id']).toMatch(/\.1$/)
    await isLive(page)
    anna('two')
    await expect.poll(() => texts(page)).toEqual(['es one', 'es two'])
  })

  test('says that captions start by themselves until someone speaks', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    const moment = page.getByRole('heading', { name: 'Waiting for someone to speak.' })
    await moment.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    anna('one')
    await page.getByText('es one').first().waitFor()
    expect(await moment.isVisible()).toBe(false)
  })

  test('reports an expired link, and stops asking', async () => {
    const { anna, clock, link, open, ask } = await captionRoom(browser)
    const { page } = await open(await link(1))
    await isLive(page)
    anna('one')
    await page.getByText('es one').first().waitFor()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    clock.advance(60_000)
    await page.locator('#notice').getByText('shows no captions').waitFor()
    expect(await texts(page)).toEqual(['es one'])
    await pause(500)
    expect(asked).toEqual([])
    // The same after revocation, and when opened too late.
    const { page: revoked } = await open(await link())
    await isLive(revoked)
    expect(await accessibilityFaults(page)).toEqual([])
    await ask('DELETE', '/rooms/r/captions/link')
    await revoked.locator('#notice').getByText('shows no captions').waitFor()
    await revoked.reload()
    await revoked.getByRole('heading', { name: 'This link shows no captions.' }).waitFor()
    // Unauthorized readers learn nothing about the conversation.
    expect(await revoked.locator('#tools').isVisible()).toBe(false)
    expect(await accessibilityFaults(revoked)).toEqual([])
    await revoked.getByRole('button', { name: 'Open with a key' }).click()
    await revoked.getByLabel('Key of the control API').waitFor()
  })

  test('reports the end of the conversation, offers a download, and waits for the next one', async () => {
    const { anna, link, open, relay, join, run } = await captionRoom(browser, {
      transcripts: { store: 'memory' },
    })
    const { page, faults } = await open(await link())
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    await relay.rooms.get('r')?.close()
    await page.locator('#notice').getByText('has ended').waitFor()
    await page.locator('#notice').getByText('1 caption.').waitFor()
    await page.getByRole('button', { name: 'Save captions' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'As text' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('captions-r.txt')
    expect(await readFile(await saved.path(), 'utf8')).toBe(
      '[00:00:00] Anna (en-us): one\n    (es-es): es one\n',
    )
    await page.getByRole('button', { name: 'Wait for the next call' }).click()
    await page.locator('#notice').getByText('The room is empty').waitFor()
    join('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna' })
    join('bob', { speaks: 'es-es', hears: 'es-es', name: 'Bob' })
    await run(100)
    // The page checks periodically, and at once when the browser reports the network as available.
    await page.evaluate('dispatchEvent(new Event("online"))')
    await isLive(page)
    // The same utterance id in another conversation is another utterance.
    anna('two', 'dos', true, '1')
    await expect.poll(() => texts(page)).toEqual(['es one', 'dos'])
    expect(faults.filter(each => !each.includes('404'))).toEqual([])
  })

  test('keeps a bounded number of captions, out of two thousand', async () => {
    const { anna, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    for (let n = 1; n <= 2_000; n++) {
      anna(`sentence ${n}`)
      if (n % 50 === 0) await pause(1)
    }
    await expect.poll(async () => (await texts(page)).at(-1), { timeout: 60_000 }).toBe('es sentence 2000')
    expect(await page.locator('#captions > li').count()).toBeLessThanOrEqual(120)
    expect(await page.locator('#aloud > *').count()).toBeLessThanOrEqual(10)
    // Cost of another caption after thousands (ms).
    const began = performance.now()
    for (let n = 1; n <= 20; n++) {
      anna(`later ${n}`)
      await page.getByText(`es later ${n}`, { exact: true }).first().waitFor({ state: 'attached' })
    }
    expect((performance.now() - began) / 20).toBeLessThan(500)
  })

  test('reports an outage of the service and its recovery', async () => {
    const { anna, connection, translator, say, run, link, open } = await captionRoom(browser)
    const { page } = await open(await link())
    await isLive(page)
    anna('one')
    await page.locator('.caption').getByText('es one').waitFor()
    translator.autoReady = false
    connection('en-us', 'es-es').drop({ kind: 'hangup', by: 'remote' })
    // Only the translation of someone who speaks is missed.
    say('anna', sine(440, 400))
    await run(400)
    await page.locator('#notice').getByText('Translation unavailable: Anna into Spanish').waitFor()
    connection('en-us', 'es-es').sink.ready()
    await run(400)
    await page.locator('#notice').getByText('The translation service has recovered').waitFor()
    anna('two')
    await expect.poll(() => texts(page)).toEqual(['es one', 'es two'])
  })

  test('reports that the server provides no captions', async () => {
    const { url, open } = await captionRoom(browser, { control: { keys: [] } })
    const { page } = await open(`${url}/captions/r#token=a.b`)
    await page.getByRole('heading', { name: 'Captions are disabled on this server.' }).waitFor()
    await page.getByText('add a key to control.keys').waitFor()
  })

  test('shows speech on the phone, recognized and translated by the real engines', async () => {
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
