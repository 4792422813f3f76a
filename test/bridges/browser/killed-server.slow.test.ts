import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tones } from '../../../simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../../simulator/service/scripted-service.ts'
import { hasChromium, startChromium } from '../../support/browser/browsers.ts'
import { catalog } from '../../support/cli/doctor-harness.ts'
import { talkPage } from '../../support/e2e/talk-page.ts'
import { Shell } from '../../support/shell.ts'

/** Patience on a busy machine (ms). */
const timeout = 20_000

describe.skipIf(!hasChromium)(
  'kill -9 of the server during a call of two pages',
  { timeout: 240_000 },
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await startChromium()
    })
    afterAll(() => browser?.close())

    test('both return to the same room as the same people; whoever does not return is named', async () => {
      await using service = await ScriptedService.listen({ answer: tones(), http: catalog })
      await using shell = await Shell.open()
      const serve = async (port: string) => {
        const serving = shell.startWith(
          { DRAGOMAN_SERVICE_URL: service.url, DRAGOMAN_SERVICE_API_KEY: service.apiKey },
          ...['serve', '--port', port],
        )
        const [, address = ''] = await serving.says(/^ *talk +(http:\S+)/m)
        return { serving, address }
      }
      const people = (page: Page, ...names: string[]) =>
        expect
          .poll(async () => (await page.locator('#people li b').allTextContents()).sort(), { timeout })
          .toEqual(names.map(name => expect.stringMatching(new RegExp(`^${name}( \\(you\\))?$`))))
      const first = await serve('0')
      const anna = await talkPage(browser, first.address, { ear: false })
      await anna.page.fill('#name', 'Anna')
      await anna.page.click('#start')
      await people(anna.page, 'Anna')
      await anna.page.click('#invite')
      await anna.page.locator('#invited').waitFor()
      const link = await anna.page.locator('#link').inputValue()
      const bob = await talkPage(browser, `${first.address}${new URL(link).hash}`, { ear: false })
      await bob.page.fill('#name', 'Bob')
      await bob.page.click('#start')
      await people(anna.page, 'Anna', 'Bob')

      expect(await first.serving.end('SIGKILL')).toBe(-1)
      for (const { page } of [anna, bob]) await page.locator('#state').getByText('Reconnecting').waitFor()
      const second = await serve(new URL(first.address).port)
      for (const { page } of [anna, bob])
        await page.locator('#state').getByText('Reconnecting').waitFor({ state: 'hidden', timeout })
      await people(anna.page, 'Anna', 'Bob')
      await people(bob.page, 'Anna', 'Bob')
      for (const { page } of [anna, bob])
        expect(await page.locator('#people').textContent()).not.toMatch(/reconnecting|not come back/)
      // The link still leads into this room, for a third person.
      const carla = await talkPage(browser, `${first.address}${new URL(link).hash}`, { ear: false })
      await carla.page.fill('#name', 'Carla')
      await carla.page.click('#start')
      await people(anna.page, 'Anna', 'Bob', 'Carla')

      expect(await second.serving.end('SIGKILL')).toBe(-1)
      await anna.page.locator('#state').getByText('Reconnecting').waitFor()
      await bob.page.context().close()
      await serve(new URL(first.address).port)
      await anna.page.getByText('Bob has not come back.').waitFor({ timeout: 40_000 })
      await people(anna.page, 'Anna', 'Bob', 'Carla')
      expect(await anna.page.locator('#people li', { hasText: 'Bob' }).textContent()).toContain(
        'has not come back',
      )
      for (const { page } of [anna, carla]) {
        expect(await page.getByText('Call ended').isVisible()).toBe(false)
        expect(await page.getByText('no longer works').isVisible()).toBe(false)
        await page.context().close()
      }
    })
  },
)
