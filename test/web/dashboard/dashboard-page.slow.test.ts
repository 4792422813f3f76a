import type { BrowserContextOptions } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { type AppConfig, buildApp } from '../../../src/app/app.ts'
import { FakeLeg } from '../../../src/simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'
import { ScriptedService, tones } from '../../../src/simulator/index.ts'
import { toneOf } from '../../../src/simulator/service/scripted-answers.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { inEachBrowser } from '../../support/browser/browsers.ts'
import { accessibilityFaults, watchFaults } from '../../support/browser/page-faults.ts'
import { HEARD_RATE, keepWhatIsPlayed, takeWhatWasPlayed } from '../../support/e2e/heard-in-page.ts'
import { hello } from '../../support/relay/hello.ts'
import { sine } from '../../support/transcode/tone.ts'
import { pause } from '../../support/until.ts'

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

inEachBrowser('the dashboard', { timeout: 30_000, only: 'Chromium' }, host => {
  async function open(address: string, path: string, options: BrowserContextOptions = {}) {
    const context = await host.browser.newContext(options)
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    const faults = watchFaults(page, new URL(address).origin)
    await keepWhatIsPlayed(page)
    await page.goto(address + path)
    return { page, faults }
  }

  test('follows a simulated call placed on it: shown, played, changed, muted, hung up', async () => {
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
    await page.getByRole('heading', { name: 'No active calls' }).waitFor()
    expect(page.url()).toBe(`${address}/dashboard`)
    expect(await page.locator('#system summary').textContent()).toMatch(/^All systems normal/)
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)

    await page.getByRole('button', { name: 'Simulate a call' }).click()
    await page.getByRole('button', { name: 'Start simulated call' }).click()
    const row = page
      .getByRole('row')
      .filter({ hasText: 'Simulated phone 1' })
      .filter({ hasText: 'English (US) → Spanish' })
    await row.getByText('Translating').waitFor()
    const room = page.locator('.room').filter({ has: page.getByRole('heading', { name: 'simulated-1' }) })
    expect(await room.locator('.room-head').textContent()).toContain('1 participant · 1 translation')
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
    await page.locator('tr:has-text("Muted")').waitFor()
    await eventually(async () => (await row.count()) === 0, WAIT_MS, 'the row with the other language')
    const line = page.locator('#events li').filter({ hasText: 'hears French (France)' })
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
    await page.getByRole('heading', { name: 'No active calls' }).waitFor()
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
    await shut.getByRole('heading', { name: 'The dashboard is off' }).waitFor()
    expect(await shut.locator('#login-form').isVisible()).toBe(false)

    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    const { page } = await open(address, '/dashboard')
    await page.getByRole('textbox', { name: 'Key' }).fill('a-key-that-is-not-the-right-one')
    await page.keyboard.press('Enter')
    await page.getByText('Invalid key').waitFor()
    const field = page.getByRole('textbox', { name: 'Key' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.id')).toBe('key')
    expect(await field.evaluate(one => one.getAttribute('aria-describedby'))).toBe('login-problem')
    expect(await page.locator('#board').isVisible()).toBe(false)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Key' }).fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.reload()
    await page.getByRole('textbox', { name: 'Key' }).waitFor()
  })

  test('reports outdated data while the server is unavailable, and reconnects automatically to another one', async () => {
    const first = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    const address = await first.listen()
    first.relay.admit(new FakeLeg('anna'), { room: 'before', speaks: 'en-us', hears: 'es-es' })
    const { page } = await open(address, `/dashboard#key=${KEY}`)
    await page.getByRole('heading', { name: 'before' }).waitFor()
    await first.close()
    await page.getByText(/Connection lost\. Figures below are from \d/).waitFor()
    await page.getByRole('button', { name: 'Try now' }).waitFor()
    const port = Number(new URL(address).port)
    const second = await buildApp(
      { ...config, port },
      { ownAuthTokens: true, translator: new FakeTranslator() },
    )
    onTestFinished(() => second.close())
    await second.listen()
    second.relay.admit(new FakeLeg('bob'), { room: 'after', speaks: 'en-us', hears: 'es-es' })
    await page.getByRole('heading', { name: 'after' }).waitFor()
    expect(await page.getByRole('heading', { name: 'before' }).count()).toBe(0)
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
    await page.getByText('100 rooms, 200 participants').waitFor()
    expect(await page.getByRole('button', { name: /^Control/ }).count()).toBe(200)
    // No element is wider than a phone.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.getByLabel('Filter').fill('leg-77')
    await eventually(
      async () => (await page.getByRole('button', { name: /^Control/ }).count()) === 1,
      WAIT_MS,
      'the leg that was looked for',
    )
    // All rows keep their order without a filter.
    await page.getByLabel('Filter').fill('')
    await eventually(
      async () => (await page.getByRole('button', { name: /^Control/ }).count()) === 200,
      WAIT_MS,
      'all legs',
    )
    expect(await page.locator('.who bdi').allTextContents()).toEqual(legs.map(({ id }) => id))
    await page.getByLabel('Filter').fill('nobody who is there')
    await page.getByText('No matches.').waitFor()
    await page.getByLabel('Filter').fill('leg-77')
    // A name that changes the writing direction affects only itself.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.who bdi')).unicodeBidi")).toBe(
      'isolate',
    )
    await page.getByRole('button', { name: 'Control leg-77' }).press('Enter')
    await page.getByRole('dialog').getByText('fake · room 38 · leg-77').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('reports what is wrong, what participants notice and the fix, until it is over', async () => {
    const service = await ScriptedService.listen({ apiKey: 'k', answer: tones({ everyMs: 600 }) })
    const app = await buildApp(
      { ...config, service: { url: service.url, apiKey: 'k' } },
      { ownAuthTokens: true },
    )
    onTestFinished(() => app.close())
    const address = await app.listen()
    const { page } = await open(address, `/dashboard#key=${KEY}`)
    const anna = new FakeLeg('anna')
    app.relay.admit(anna, { room: 'desk', speaks: 'en-us', hears: 'en-us', name: 'Anna' })
    app.relay.admit(new FakeLeg('luz'), { room: 'desk', speaks: 'es-es', hears: 'es-es', name: 'Luz' })
    hello(anna)
    // Luz's row names Anna too, whose translation she lacks.
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Anna' }) })
    await row.getByText('Translating').waitFor()
    await service.close()
    const alert = page.getByRole('alert').filter({ hasText: 'Translation service unavailable.' })
    await alert.waitFor()
    expect(await alert.textContent()).toContain('Participants hear original voices.')
    expect(await alert.textContent()).toMatch(/Fix: Start the service at service\.url/)
    await row.getByText('Original voice').waitFor()
    await page.getByRole('row').getByText('No translation of Anna').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('shows a room beside the others on a wide screen and above them on a phone, ended only if confirmed', async () => {
    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    app.relay.admit(new FakeLeg('anna'), { room: 'desk', speaks: 'en-us', hears: 'es-es' })
    const { page, faults } = await open(address, `/dashboard#key=${KEY}`, {
      viewport: { width: 1280, height: 900 },
    })
    const details = page.getByRole('button', { name: 'Details of desk' })
    await details.click()
    const panel = page.getByRole('dialog', { name: 'desk' })
    await panel.getByRole('button', { name: 'Captions link' }).click()
    expect(await panel.getByLabel('Captions link').inputValue()).toContain('/captions/desk#token=')
    expect(await panel.evaluate(one => one.matches(':modal'))).toBe(false)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('find')

    await page.setViewportSize({ width: 360, height: 740 })
    await details.click()
    expect(await panel.evaluate(one => one.matches(':modal'))).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await panel.getByRole('button', { name: 'End room' }).click()
    expect(app.relay.rooms.has('desk')).toBe(true)
    await panel.getByLabel('Play a goodbye first').uncheck()
    // After five seconds the button asks again.
    await eventually(
      async () => {
        await panel
          .locator('#room-end')
          .click({ timeout: 1_000 })
          .catch(() => {})
        return !app.relay.rooms.has('desk')
      },
      WAIT_MS,
      'the end of the room',
    )
    await panel.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'No active calls' }).waitFor()
    expect(faults).toEqual([])
  })
})
