import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loudness } from '../../../../src/transcode/level.ts'
import { hasChromium, startChromium } from '../../../support/browser/browsers.ts'
import { accessibilityFaults } from '../../../support/browser/page-faults.ts'
import { PageServer } from '../../../support/browser/page-server.ts'
import { talkPage } from '../../../support/e2e/talk-page.ts'
import { until } from '../../../support/until.ts'

/** Hz of what the server plays as a translation. */
const VOICE_HZ = 440
/** A page that asked for the microphone would fail. */
const NO_MICROPHONE = `navigator.mediaDevices.getUserMedia = () => { throw new Error('asked for the microphone') }`

describe.skipIf(!hasChromium)('the page for listening', { timeout: 120_000 }, () => {
  let server: PageServer
  let browser: Browser
  beforeAll(async () => {
    server = await PageServer.listen()
    browser = await startChromium()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  test('speaks the language of the browser, waits, and plays and shows the translation into it', async () => {
    const url = server.address + (await server.listening())
    const { page, faults, heard } = await talkPage(browser, url, {
      ...{ script: NO_MICROPHONE, usable: false, locale: 'fr-CA', viewport: { width: 320, height: 640 } },
    })
    await page.getByText('Pas encore commencé').waitFor()
    expect(await page.locator('#language').inputValue()).toBe('fr-fr')
    expect(await page.locator('#language option:checked').textContent()).toBe('Français')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await accessibilityFaults(page)).toEqual([])
    await server.callIn()
    await page.getByText('En direct').waitFor()
    await page.getByRole('button', { name: 'Écouter' }).click()
    await page.getByRole('button', { name: 'Arrêter' }).waitFor()
    const words = { to: 'fr-fr', translation: 'Bonjour à tous.', soundMs: 2_000 }
    await server.say('en-us', 'Good morning, everyone.', words)
    await page.locator('#captions li:not(.draft)').getByText('Bonjour à tous.').waitFor()
    expect(await page.locator('#captions').textContent()).not.toContain('Good morning')
    await expect
      .poll(async () => loudness((await heard()).slice(-16_000), VOICE_HZ, 16_000), { timeout: 20_000 })
      .toBeGreaterThan(300)
    // The page reconnects, with its language and its sound.
    const before = (await heard()).length
    server.cutListeners()
    await page.getByText('Reconnexion').waitFor()
    await page.getByText('En direct').waitFor({ timeout: 20_000 })
    await server.say('en-us', 'And again.', { ...words, translation: 'Encore une fois.' })
    await page.locator('#captions li').getByText('Encore une fois.').waitFor()
    await expect
      .poll(async () => loudness((await heard()).slice(before).slice(-16_000), VOICE_HZ, 16_000), {
        timeout: 20_000,
      })
      .toBeGreaterThan(300)
    await page.getByRole('button', { name: 'Arrêter' }).click()
    await page.getByRole('button', { name: 'Écouter' }).waitFor()

    await page.selectOption('#language', 'es-es')
    await until(() => server.audiences.includes('es-es'), 10_000, 'the change')
    await server.say('en-us', 'Any questions?', { to: 'es-es', translation: '¿Alguna pregunta?' })
    await page.locator('#captions li').getByText('¿Alguna pregunta?').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await server.revokeListening()
    await page.getByText('le lien a expiré').waitFor({ timeout: 20_000 })
    expect(await page.locator('#play').isVisible()).toBe(false)
    expect(faults).toEqual([])
    await page.context().close()
    await server.hangUp()
  })

  test('says that the language of the browser is not available, and promises nothing by a wrong link', async () => {
    const portuguese = await talkPage(browser, server.address + (await server.listening()), {
      ...{ script: NO_MICROPHONE, usable: false, locale: 'pt-PT' },
    })
    const { page } = portuguese
    await page.getByText('Esta língua não está disponível aqui: Português').waitFor()
    expect(await page.getByRole('button', { name: 'Ouvir' }).isDisabled()).toBe(true)
    await page.selectOption('#language', 'es-es')
    await page.getByRole('button', { name: 'Ouvir' }).click()
    await page.getByRole('button', { name: 'Parar' }).waitFor()
    expect(portuguese.faults).toEqual([])
    await page.context().close()

    const wrong = await talkPage(browser, `${server.address}/listen#join=${'x'.repeat(24)}`, {
      ...{ usable: false, locale: 'es-ES' },
    })
    await wrong.page.getByText('Con este enlace no hay nada que escuchar.').waitFor()
    expect(await wrong.page.locator('#captions-empty').isVisible()).toBe(false)
    await wrong.page.context().close()
  })
})
