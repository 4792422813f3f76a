import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  FIREFOX_TONE,
  hasChromium,
  hasFirefox,
  startChromium,
  startFirefox,
} from '../../support/browser/browsers.ts'
import { into, THREE_LANGUAGES } from '../../support/e2e/discord-call-harness.ts'
import { hears } from '../../support/e2e/phone-listener.ts'
import { heardBy, type TalkPage, talkPage, WHISTLE } from '../../support/e2e/talk-page.ts'
import { exchange, VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const SAYS_MS = 1_500

const text = (page: Page, selector: string) => page.locator(selector).textContent()
const people = (page: Page) => page.locator('#people li').allTextContents()
const hearing = (talk: TalkPage, hz: number) =>
  until(async () => hears(await heardBy(talk), hz), 20_000, `${hz} Hz`)

/** The link that the page shows, on this machine. */
async function link({ page }: TalkPage, address: string): Promise<string> {
  await page.getByText('Nobody else is here yet').waitFor()
  await page.keyboard.press('i')
  await page.locator('#invited').waitFor()
  const { hash } = new URL(await page.locator('#link').inputValue())
  await page.keyboard.press('Escape')
  return `${address}/${hash}`
}

describe.skipIf(!hasChromium || !hasFirefox)('people who choose nothing', { timeout: 180_000 }, () => {
  let chromium: Browser
  let firefox: Browser
  beforeAll(async () => {
    chromium = await startChromium()
    firefox = await startFirefox({ languages: 'es-ES, es' })
  }, 120_000)
  afterAll(() => Promise.all([chromium?.close(), firefox?.close()]))

  test('an English Chromium, a Spanish Firefox and a French listener: each reads the page and hears the others in their language', async () => {
    await using x = await exchange({ service: THREE_LANGUAGES })
    const address = new URL(x.app.server.listeningOrigin).origin
    const english = await talkPage(chromium, address, { script: WHISTLE })
    expect(await text(english.page, '#lead')).toBe('Speak your language. Be understood in theirs.')
    await english.page.click('#start')
    const spanish = await talkPage(firefox, await link(english, address))
    expect(await spanish.page.locator('html').getAttribute('lang')).toBe('es')
    expect(await spanish.page.title()).toBe('Hablar · Dragoman')
    expect(await text(spanish.page, '#lead')).toBe('Tienes una invitación a una llamada.')
    expect(await spanish.page.locator('#speaks option:checked').textContent()).toBe('Español')
    // Guests have no dashboard.
    expect(await spanish.page.locator('#to-dashboard').isVisible()).toBe(false)
    await spanish.page.click('#start')
    await spanish.page.getByText('Ya tienes conexión').waitFor()

    const [room = ''] = x.app.relay.rooms.keys()
    const { listenLinks } = x.app.server.browser
    const listening = `${address}/listen#join=${await listenLinks.issue(room, 600_000)}`
    const french = await talkPage(chromium, listening, { locale: 'fr-FR', usable: false })
    await french.page.getByRole('button', { name: 'Écouter' }).click()

    // Its microphone is a tone from the start: it has spoken long enough.
    await hearing(english, into(FIREFOX_TONE, 'en-us'))
    await hearing(french, into(FIREFOX_TONE, 'fr-fr'))
    await spanish.page.keyboard.press('m')
    await spanish.page.locator('#state[data-now=muted]').waitFor()
    await english.page.evaluate(`whistle(${VOICE.third}, ${SAYS_MS})`)
    await hearing(spanish, into(VOICE.third, 'es-es'))
    await hearing(french, into(VOICE.third, 'fr-fr'))

    // Nobody hears themselves, and everybody has one name, the same on every page.
    expect(hears(await heardBy(english), into(VOICE.third, 'es-es'))).toBe(false)
    expect(hears(await heardBy(spanish), into(FIREFOX_TONE, 'en-us'))).toBe(false)
    expect(await people(english.page)).toEqual([
      'Guest (you), speaks English',
      'Invitado, speaks Spanish, muted',
    ])
    expect(await text(english.page, '#listeners')).toBe('1 listener: French 1')
    expect(await people(spanish.page)).toEqual([
      'Guest, habla inglés',
      'Invitado (tú), habla español, en silencio',
    ])
    expect(await text(spanish.page, '#listeners')).toBe('1 oyente: francés 1')
    const said = spanish.page.locator('.said:not(.mine)').first()
    expect(await said.locator('.who').textContent()).toBe('Guest')
    expect(await said.locator('.translation').getAttribute('lang')).toBe('es-es')
    expect(await english.page.locator('#room-note').isVisible()).toBe(false)
    expect([...english.faults, ...spanish.faults, ...french.faults]).toEqual([])
    await Promise.all([english, spanish, french].map(({ page }) => page.context().close()))
  })

  test('people of one language read that nothing is translated, until somebody with another one joins', async () => {
    await using x = await exchange({ service: THREE_LANGUAGES })
    const address = new URL(x.app.server.listeningOrigin).origin
    const host = await talkPage(chromium, address, { script: WHISTLE })
    await host.page.click('#start')
    const invitation = await link(host, address)
    const guest = await talkPage(chromium, invitation, { script: WHISTLE })
    await guest.page.click('#start')
    const note =
      'Everyone here hears English. Nothing is translated until somebody with another language joins.'
    for (const { page } of [host, guest]) await page.getByText(note).waitFor()
    // The same name twice would be one person.
    expect(await people(host.page)).toEqual(['Guest (you), speaks English', 'Guest 2, speaks English'])

    const spanish = await talkPage(chromium, invitation, { script: WHISTLE, locale: 'es-MX' })
    await spanish.page.click('#start')
    for (const { page } of [host, guest]) await page.getByText(note).waitFor({ state: 'hidden' })
    await spanish.page.click('#stop')
    for (const { page } of [host, guest]) await page.getByText(note).waitFor()
    await Promise.all([host, guest, spanish].map(({ page }) => page.context().close()))
  })
})
