import type { BrowserContextOptions } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { ScriptedService, tones } from '../../../simulator/index.ts'
import { type AppConfig, buildApp } from '../../../src/app/app.ts'
import { inEachBrowser } from '../../support/browser/browsers.ts'
import { accessibilityFaults, watchFaults } from '../../support/browser/page-faults.ts'
import { hello } from '../../support/relay/hello.ts'

const KEY = 'a-key-that-nobody-would-guess'
const WAIT_MS = 15_000
const config: AppConfig = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  twilio: { authToken: ['a token of the account that nobody has'] },
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
    await page.goto(address + path)
    return { page, faults }
  }

  test('follows a simulated call started on it: shown, changed, muted, hung up', async () => {
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
    await page.getByText('All systems normal').waitFor()
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)

    await page.getByRole('button', { name: 'Simulate a call' }).click()
    await page.getByRole('button', { name: 'Start simulated call' }).click()
    const row = page.locator('.party').filter({ hasText: 'Simulated phone 1' })
    await row.getByText('English (US) → Spanish').waitFor()
    await row.getByText(/Translation of their own voice into Spanish.*: translating/).waitFor()
    const room = page.locator('.room').filter({ has: page.getByRole('heading', { name: 'simulated-1' }) })
    await room.locator('.head').getByText('1 participant · 1 open session').waitFor()
    await row.getByText('Speaking').waitFor()
    // The latency of utterances, by stage.
    await page
      .locator('.tiles')
      .getByText(/median of \d+ utterances?, .* · bridge \d+ ms/)
      .waitFor()

    await row.getByRole('button', { name: /^Control/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Hears').selectOption('fr-fr')
    await dialog.getByText('Changed.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByLabel('Muted').check()
    const [party] = app.relay.rooms.get('simulated-1')!.participants.values()
    await eventually(() => party?.state.muted === true, WAIT_MS, 'the muting')
    expect(party?.state).toMatchObject({ muted: true, hears: 'fr-fr' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await row.locator('.chip').getByText('Muted').waitFor()
    await page.locator('#events li').filter({ hasText: 'hears French (France)' }).first().waitFor()
    await page.getByLabel('Show').selectOption('bad')
    await page.getByText('No events yet.').waitFor()

    await row.getByRole('button', { name: /^Control/ }).click()
    await dialog.getByRole('button', { name: 'Hang up' }).click()
    await dialog.getByRole('button', { name: 'Confirm hang-up' }).click()
    await page.getByRole('heading', { name: 'No active calls' }).waitFor()
    await eventually(
      async () => (await page.locator('.calls > li').count()) === 0,
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
    expect(await shut.locator('#key').isVisible()).toBe(false)

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

  test('shows 200 participants, finds one, and fits on a phone', async () => {
    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    const ids = Array.from({ length: 200 }, (_, n) => `leg ${n}`)
    for (const [n, id] of ids.entries())
      app.relay.admit(new FakeLeg(id), {
        room: `room ${n >> 1}`,
        speaks: n % 2 ? 'es-es' : 'en-us',
        hears: 'en-us',
      })
    const { page, faults } = await open(address, `/dashboard#key=${KEY}`, {
      viewport: { width: 360, height: 844 },
      colorScheme: 'dark',
    })
    await page.getByText('100 rooms, 200 participants').waitFor()
    const names = page.locator('.who bdi')
    expect(await names.allTextContents()).toEqual(ids)
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    await page.getByLabel('Filter').fill('leg 77')
    await eventually(async () => (await names.count()) === 1, WAIT_MS, 'the participant that was looked for')
    // A name that changes the writing direction affects only itself.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.who bdi')).unicodeBidi")).toBe(
      'isolate',
    )
    await page.getByRole('button', { name: 'Control leg 77' }).press('Enter')
    await page.getByRole('dialog').getByText('Phone · room 38 · leg 77').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Filter').fill('nobody who is there')
    await page.getByText('No matches.').waitFor()
    await page.getByLabel('Filter').fill('')
    await eventually(async () => (await names.count()) === 200, WAIT_MS, 'all participants')
    expect(await names.allTextContents()).toEqual(ids)
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
    const row = page
      .locator('.party')
      .filter({ has: page.getByText('Luz', { exact: true }) })
      .last()
    await row.getByText('Translation of Anna').waitFor()
    await service.close()
    const alert = page.getByRole('alert').filter({ hasText: 'Translation service unavailable.' })
    await alert.waitFor()
    expect(await alert.textContent()).toContain('Participants hear original voices.')
    expect(await alert.textContent()).toMatch(/Fix: Start the service at service\.url/)
    await row.getByText(/Original of Anna, not Spanish.*: the service is unavailable/).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('opens a room, creates a link to its captions, and ends it only if confirmed', async () => {
    const app = await buildApp(config, { ownAuthTokens: true, translator: new FakeTranslator() })
    onTestFinished(() => app.close())
    const address = await app.listen()
    app.relay.admit(new FakeLeg('anna'), { room: 'desk', speaks: 'en-us', hears: 'es-es' })
    const { page, faults } = await open(address, `/dashboard#key=${KEY}`, {
      viewport: { width: 360, height: 740 },
    })
    const details = page.getByRole('button', { name: 'Details of desk' })
    await details.click()
    const panel = page.getByRole('dialog', { name: 'desk' })
    await panel.getByRole('button', { name: 'Captions link' }).click()
    await panel.getByText('Valid for one hour for anyone with the link.').waitFor()
    expect(await panel.getByLabel('Captions link').inputValue()).toContain('/captions/desk#token=')
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('find')

    await details.click()
    await panel.getByRole('button', { name: 'End room' }).click()
    expect(app.relay.rooms.has('desk')).toBe(true)
    await panel.getByLabel('Play a goodbye first').uncheck()
    // After five seconds the button asks again.
    await eventually(
      async () => {
        await panel
          .locator('.danger')
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
