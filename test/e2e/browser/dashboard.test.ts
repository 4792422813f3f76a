import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AppConfig, buildApp } from '../../../src/app/app.ts'
import { FakeLeg } from '../../../src/simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'
import { ScriptedService, tones } from '../../../src/simulator/index.ts'
import { toneOf } from '../../../src/simulator/service/scripted-answers.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { accessibilityFaults, hasChromium, startChromium, watchFaults } from '../../harness/chromium.ts'
import { HEARD_RATE, keepWhatIsPlayed, takeWhatWasPlayed } from '../../harness/e2e/heard-in-page.ts'
import { sine } from '../../harness/transcode/tone.ts'
import { pause } from '../../harness/until.ts'

const KEY = 'a-key-that-nobody-would-guess'
const WAIT_MS = 15_000
const config: AppConfig = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  twilio: { authTokens: ['a token of the account that nobody has'] },
  control: { keys: [{ name: 'test', key: KEY }] },
}

/** Resolves when `look` returns true. */
async function eventually(look: () => Promise<boolean> | boolean, ms: number, what: string): Promise<void> {
  await expect.poll(look, { timeout: ms, interval: 50, message: what }).toBe(true)
}

describe.skipIf(!hasChromium)('the dashboard', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  async function open(address: string, path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    const faults = watchFaults(page, new URL(address).origin)
    await keepWhatIsPlayed(page)
    await page.goto(address + path)
    return { page, faults }
  }

  test('follows a simulated call placed on it: shown, played, changed, muted, hung up', {
    timeout: 60_000,
  }, async () => {
    const service = await ScriptedService.listen({ apiKey: 'k', answer: tones({ everyMs: 600 }) })
    const app = await buildApp(
      { ...config, service: { url: service.url, apiKey: 'k' } },
      { ownAuthTokens: true },
    )
    onTestFinished(async () => {
      await app.close()
      await service.close()
    })
    const address = await app.listen()
    const { page, faults } = await open(address, `/dashboard#key=${KEY}`)
    await page.getByText('No active calls.').waitFor()
    expect(page.url()).toBe(`${address}/dashboard`)

    await page.getByRole('button', { name: 'Place a simulated call' }).click()
    const row = page.getByRole('row').filter({ hasText: 'simulated' }).filter({ hasText: 'en-us → es-es' })
    await row.getByText('es-es live').waitFor()
    expect(await page.getByRole('rowheader', { name: 'simulated-1' }).textContent()).toContain('1 leg')
    const levels = new Set<string>()
    await eventually(
      async () => {
        levels.add((await row.locator('.level').getAttribute('style')) ?? '')
        return levels.size > 4
      },
      WAIT_MS,
      'levels that move',
    )

    const hears = async (hz: number) => loudness(await takeWhatWasPlayed(page), hz, HEARD_RATE) > 300
    const listen = page.getByRole('button', { name: 'Listen to the phone' })
    await listen.click()
    await eventually(() => hears(toneOf('es-es')), WAIT_MS, 'the translation in Spanish')
    expect(await listen.getAttribute('aria-pressed')).toBe('true')

    await row.getByRole('button', { name: /^Control/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Hears').selectOption('fr-fr')
    await dialog.getByText('Changed.').waitFor()
    await eventually(() => hears(toneOf('fr-fr')), WAIT_MS, 'the translation in French')
    await eventually(async () => !(await hears(toneOf('es-es'))), WAIT_MS, 'the end of the Spanish one')
    expect(await accessibilityFaults(page)).toEqual([])

    await dialog.getByLabel('Muted').check()
    await dialog.getByText('Changed.').waitFor()
    const [party] = app.relay.rooms.get('simulated-1')!.participants.values()
    expect(party?.state).toMatchObject({ muted: true, hears: 'fr-fr' })
    await page.keyboard.press('Escape')
    await page.locator('tr:has-text("muted")').waitFor()
    await eventually(async () => (await row.count()) === 0, WAIT_MS, 'the row with the other language')
    const line = page.locator('#events li').filter({ hasText: 'hears: fr-fr' })
    await line.first().waitFor()

    // The bars of utterances have text alternatives.
    await eventually(
      async () =>
        /the latest took/.test((await page.locator('#stages svg').getAttribute('aria-label')) ?? ''),
      WAIT_MS,
      'an utterance in the chart',
    )
    await page.locator('#stages summary').click()
    await page.locator('#stages tbody tr').first().waitFor()

    await page.getByRole('button', { name: /^Control/ }).click()
    await dialog.getByRole('button', { name: 'Hang up' }).click()
    await dialog.getByRole('button', { name: 'Confirm hang-up' }).click()
    await page.getByText('No active calls.').waitFor()
    await eventually(
      async () => (await page.locator('#calls > li').count()) === 0,
      WAIT_MS,
      'the end of the call',
    )
    await eventually(() => app.relay.legs === 0, WAIT_MS, 'the end of the leg')
    expect(faults).toEqual([])
  })

  test('requires a key, rejects a wrong one, and keeps a valid one in this tab', async () => {
    const closed = await buildApp(
      { ...config, control: {} },
      { ownAuthTokens: true, translator: new FakeTranslator() },
    )
    onTestFinished(() => closed.close())
    const { page: shut } = await open(await closed.listen(), `/dashboard#key=${KEY}`)
    await shut.getByText('The dashboard is disabled').waitFor()
    expect(await shut.locator('#login-form').isVisible()).toBe(false)

    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    const { page } = await open(address, '/dashboard')
    await page.getByRole('textbox', { name: 'Key' }).fill('a-key-that-is-not-the-right-one')
    await page.keyboard.press('Enter')
    await page.getByText('Invalid key').waitFor()
    expect(await page.locator('#board').isVisible()).toBe(false)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Key' }).fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.reload()
    await page.getByRole('textbox', { name: 'Key' }).waitFor()
  })

  test('reports outdated data while the server is unavailable, and reconnects automatically to another one', async () => {
    const first = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    const address = await first.listen()
    first.relay.admit(new FakeLeg('anna'), { room: 'before', speaks: 'en-us', hears: 'es-es' })
    const { page } = await open(address, `/dashboard#key=${KEY}`)
    await page.getByRole('rowheader', { name: 'before' }).waitFor()
    await first.close()
    await page.getByText('Data is outdated').waitFor()
    const port = Number(new URL(address).port)
    const second = await buildApp(
      { ...config, port },
      { ownAuthTokens: true, translator: new FakeTranslator() },
    )
    onTestFinished(() => second.close())
    await second.listen()
    second.relay.admit(new FakeLeg('bob'), { room: 'after', speaks: 'en-us', hears: 'es-es' })
    await page.getByRole('rowheader', { name: 'after' }).waitFor()
    expect(await page.getByRole('rowheader', { name: 'before' }).count()).toBe(0)
    expect(await page.locator('#stale').isVisible()).toBe(false)
  })

  test('shows 200 active legs and stays responsive', async () => {
    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    const legs = Array.from({ length: 200 }, (_, n) => {
      const leg = new FakeLeg(`leg-${n}`)
      app.relay.admit(leg, { room: `room ${n >> 1}`, speaks: n % 2 ? 'es-es' : 'en-us', hears: 'en-us' })
      return leg
    })
    const voices = [sine(440, 20), sine(440, 20, 800), new Int16Array(FRAME_SAMPLES)]
    let talking = true
    onTestFinished(() => {
      talking = false
    })
    const talk = async () => {
      for (let turn = 0; talking; turn++) {
        for (const [n, leg] of legs.entries()) for (let f = 0; f < 5; f++) leg.say(voices[(n + turn) % 3]!)
        await pause(100)
      }
    }
    void talk()
    const { page, faults } = await open(address, `/dashboard#key=${KEY}`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    await page.getByText('100 rooms, 200 legs').waitFor()
    expect(await page.getByRole('button', { name: /^Control/ }).count()).toBe(200)
    // No element is wider than a phone.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.getByLabel('Find').fill('leg-77')
    await eventually(
      async () => (await page.getByRole('button', { name: /^Control/ }).count()) === 1,
      WAIT_MS,
      'the leg that was looked for',
    )
    // All rows keep their order without a filter.
    await page.getByLabel('Find').fill('')
    await eventually(
      async () => (await page.getByRole('button', { name: /^Control/ }).count()) === 200,
      WAIT_MS,
      'all legs',
    )
    expect(await page.locator('.who b').allTextContents()).toEqual(legs.map(({ id }) => id))
    await page.getByLabel('Find').fill('nobody who is there')
    await page.getByText('No matches.').waitFor()
    await page.getByLabel('Find').fill('leg-77')
    // A name that changes the writing direction affects only itself.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.who b')).unicodeBidi")).toBe(
      'isolate',
    )
    await page.getByRole('button', { name: 'Control leg-77' }).press('Enter')
    await page.getByRole('dialog').getByText('leg-77 by fake, in room 38').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults).toEqual([])
  })
})
