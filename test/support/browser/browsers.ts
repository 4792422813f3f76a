import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, firefox } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { hasSoundCard, soundCard } from './sound-card.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const FIREFOX = fileURLToPath(new URL('firefox.sh', import.meta.url))

/** Disables unrequested downloads, and allows the microphone without a click. */
const CHROMIUM_FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
]

/** Time for an action on a page, below that of a test: a failure names the action (ms). */
export const ACTION_MS = 20_000

/** Tone of Firefox’s microphone (Hz). */
export const FIREFOX_TONE = 400

/** The same for Firefox, whose microphone is a tone. Playwright cannot ask it for reduced motion later. */
const FIREFOX_PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'media.autoplay.default': 0,
  'media.navigator.audio.fake_frequency': FIREFOX_TONE,
  'media.navigator.permission.disabled': true,
  'media.navigator.streams.fake': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
  'ui.prefersReducedMotion': 1,
}

/** An installed browser; `npm test` installs Debian's. */
export interface BrowserEngine {
  readonly name: 'Chromium' | 'Firefox'
  readonly installed: boolean
  start(): Promise<Browser>
}

/**
 * Starts headless Chromium; the caller closes it. `microphone` is a WAV file (any rate, 16 bit) that loops as the input
 * of the microphone; without it the microphone beeps.
 */
export async function startChromium({ microphone }: { microphone?: string } = {}): Promise<Browser> {
  return await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      ...CHROMIUM_FLAGS,
      // The sandbox of the browser does not start for root, as in containers; only our own pages are opened.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}`]),
    ],
  })
}

/** Starts headless Firefox, whose pages are asked for in `languages`, and whose sound card runs at `cardHz`; the caller closes it. */
export async function startFirefox({
  languages = 'en-US, en',
  cardHz = 48_000,
}: {
  languages?: string
  cardHz?: number
} = {}): Promise<Browser> {
  const card = hasSoundCard ? await soundCard(cardHz) : undefined
  try {
    const browser = await firefox.launch({
      channel: 'moz-firefox',
      executablePath: FIREFOX,
      env: { ...process.env, DRAGOMAN_TEST_NODE: process.execPath, ...card?.env },
      firefoxUserPrefs: { ...FIREFOX_PREFERENCES, 'intl.accept_languages': languages },
    })
    browser.on('disconnected', () => card?.close())
    return withoutPolicies(browser)
  } catch (error) {
    card?.close()
    throw error
  }
}

/** Addresses of pages. */
const DOCUMENTS = /^https?:\/\/[^/]+\/(talk\/?|dashboard\/?|captions(\/[^/?#]*)?|v1\/docs)?([?#].*)?$/

/**
 * Lets tests look into pages: a policy without `unsafe-eval` forbids Firefox ESR 140 what Playwright evaluates. In Chromium
 * the policies apply.
 */
function withoutPolicies(browser: Browser): Browser {
  const open = browser.newContext.bind(browser)
  browser.newContext = async options => {
    const context = await open(options)
    await context.route(DOCUMENTS, async route => {
      const response = await route.fetch().catch(() => undefined)
      if (!response) return route.abort()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    return context
  }
  return browser
}

export const hasChromium = CHROMIUM !== undefined
export const hasFirefox = existsSync('/usr/bin/firefox-esr')

const ENGINES: readonly BrowserEngine[] = [
  { name: 'Chromium', installed: hasChromium, start: startChromium },
  { name: 'Firefox', installed: hasFirefox, start: startFirefox },
]

/** Describes tests once for each browser engine, or for `only` one; each is started after the previous one has ended. */
export function inEachBrowser(
  name: string,
  { only, ...options }: { readonly timeout?: number; readonly only?: BrowserEngine['name'] },
  tests: (host: { readonly browser: Browser; readonly engine: BrowserEngine['name'] }) => void,
): void {
  for (const engine of ENGINES.filter(each => only === undefined || each.name === only))
    describe.skipIf(!engine.installed)(`${name} in ${engine.name}`, options, () => {
      let browser: Browser | undefined
      beforeAll(async () => {
        browser = await engine.start()
      }, 120_000)
      afterAll(() => browser?.close())
      tests({
        engine: engine.name,
        get browser() {
          if (!browser) throw new Error(`${engine.name} has not started`)
          return browser
        },
      })
    })
}
