import type { Browser, Page } from 'playwright-core'
import { type App, buildApp } from '../../src/app/app.ts'
import { FakeTranslator } from '../../src/simulator/fakes/fake-translator.ts'
import { placeCall, ScriptedService } from '../../src/simulator/index.ts'
import { THREE_LANGUAGES } from '../../test/harness/e2e/discord-call-harness.ts'
import { withoutMicrophone } from '../../test/harness/e2e/talk-page.ts'

/** A state of a page, as a visitor reaches it. */
interface State {
  readonly path: string
  /** Runs before the page’s own scripts. */
  readonly script?: string
  readonly reach?: (page: Page) => Promise<unknown>
}

const KEY = 'a-key-for-these-pictures-only'
const THEMES = ['light', 'dark'] as const
const WIDTHS = [360, 768, 1_280]
const HEIGHT = 800
/** Time until fonts, levels and charts are drawn (ms). */
const SETTLED_MS = 250

/** Every page in every state that needs no sound, from a server whose translations are scripted. */
export class PageStates implements AsyncDisposable {
  readonly #app: App
  readonly #service: ScriptedService
  readonly #address: string
  readonly #translator: FakeTranslator

  private constructor(app: App, service: ScriptedService, address: string, translator: FakeTranslator) {
    this.#app = app
    this.#service = service
    this.#address = address
    this.#translator = translator
  }

  static async begin(): Promise<PageStates> {
    const translator = new FakeTranslator()
    // It only lists languages.
    const service = await ScriptedService.listen(THREE_LANGUAGES)
    const app = await buildApp(
      {
        host: '127.0.0.1',
        port: 0,
        service: { url: service.url, apiKey: service.apiKey },
        languages: { speaks: 'en-us', hears: 'es-es' },
        control: { keys: [{ name: 'pictures', key: KEY }] },
        twilio: { authTokens: [], insecure: true },
      },
      { translator },
    )
    return new PageStates(app, service, await app.listen(), translator)
  }

  /** Calls `shot` for every state, in every theme and width. */
  async each(browser: Browser, shot: (name: string, page: Page) => Promise<void>): Promise<void> {
    for (const [name, state] of Object.entries(await this.#states())) {
      const context = await browser.newContext({
        reducedMotion: 'reduce',
        viewport: { width: WIDTHS[0] ?? 0, height: HEIGHT },
      })
      const page = await context.newPage()
      if (state.script !== undefined) await page.addInitScript(state.script)
      await page.goto(this.#address + state.path)
      await state.reach?.(page)
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: HEIGHT })
          await page.waitForTimeout(SETTLED_MS)
          await shot(`${name}-${width}-${colorScheme}`, page)
        }
      }
      await context.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close()
    await this.#service.close()
  }

  async #states(): Promise<Readonly<Record<string, State>>> {
    const { links } = this.#app.server.browser
    const invited = await links.issue('desk', 600_000)
    const listening = await links.issue('desk', 600_000, { listening: true })
    const started = async (page: Page) => {
      await page.click('#start')
      await page.locator('#now').waitFor()
    }
    const talking = async (page: Page) => {
      await started(page)
      await page.getByText('You’re connected').waitFor()
      this.#say(['Good morning.', 'Buenos días.'], ['Where is the station?', '¿Dónde está la estación?'])
      await page.getByText('estación').waitFor()
    }
    const after = (then: (page: Page) => Promise<unknown>) => async (page: Page) => {
      await talking(page)
      await then(page)
    }
    return {
      'talk-before': { path: '/', reach: page => page.locator('#start:enabled').waitFor() },
      'talk-joining': { path: `/#join=${invited}`, reach: page => page.locator('#start:enabled').waitFor() },
      'talk-listener': {
        path: `/#join=${listening}`,
        reach: page => page.locator('#start:enabled').waitFor(),
      },
      'talk-link-expired': {
        path: `/#join=${'x'.repeat(24)}`,
        reach: page => page.getByText('has expired').waitFor(),
      },
      'talk-code-wrong': {
        path: '/',
        reach: async page => {
          await page.locator('#start:enabled').waitFor()
          await page.fill('#code', '123456')
          await page.click('#code-form button')
          await page.getByText('Invalid code').waitFor()
        },
      },
      'talk-listening': { path: '/', reach: talking },
      'talk-muted': { path: '/', reach: after(page => page.click('#mute')) },
      'talk-mic-denied': { path: '/', script: withoutMicrophone('NotAllowedError'), reach: started },
      'talk-invite-local': {
        path: '/',
        reach: after(async page => {
          await page.click('#invite')
          await page.locator('#invited').waitFor()
        }),
      },
      'talk-more': { path: '/', reach: after(page => page.click('#more')) },
      'talk-after': {
        path: '/',
        reach: after(async page => {
          await page.click('#stop')
          await page.getByText('Call ended').waitFor()
        }),
      },
      'dashboard-key': { path: '/dashboard', reach: page => page.locator('#login').waitFor() },
      'dashboard-wrong-key': {
        path: '/dashboard#key=not-a-key-of-this-server-at-all',
        reach: page => page.locator('#login-problem:not(:empty)').waitFor(),
      },
      'dashboard-empty': {
        path: `/dashboard#key=${KEY}`,
        reach: page => page.locator('#nobody').waitFor(),
      },
      'captions-waiting': {
        path: `/captions/desk#key=${KEY}`,
        reach: page => page.locator('#moment').waitFor(),
      },
      'captions-expired': { path: '/captions/desk#token=old', reach: page => page.waitForTimeout(1_000) },
      'error-404': { path: '/nowhere' },
      'error-expired': { path: '/v1/rooms/desk/captions?token=old' },
      'error-key': { path: '/v1/rooms' },
      'api-reference': { path: '/v1/docs' },
      'dashboard-rooms': {
        path: `/dashboard#key=${KEY}`,
        reach: async page => {
          await this.#callIn()
          await page.locator('.room').first().waitFor()
        },
      },
      'captions-live': {
        path: `/captions/desk#key=${KEY}`,
        reach: async page => {
          this.#say(['Good morning.', 'Buenos días.'], ['See you tomorrow.', 'Hasta mañana.'])
          await page.getByText('Hasta mañana').waitFor()
        },
      },
    }
  }

  async #callIn(): Promise<void> {
    for (const [name, speaks] of [
      ['John', 'en-us'],
      ['Ana', 'es-es'],
    ]) {
      const query = new URLSearchParams({
        room: 'desk',
        name: `${name}`,
        speaks: `${speaks}`,
        hears: `${speaks}`,
      })
      await placeCall({ webhook: `${this.#address}/twilio/voice?${query}`, allowInsecureStream: true })
    }
  }

  /** Final results of the newest speaker, with their translations. */
  #say(...said: readonly (readonly [text: string, translation: string])[]): void {
    const { sink } = this.#translator.last
    for (const [n, [text, translation]] of said.entries())
      sink.result({ utterance: `${n}`, text, translation, final: true })
  }
}
