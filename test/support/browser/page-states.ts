import type { Browser, BrowserContextOptions, Page, WebSocketRoute } from 'playwright-core'
import { withoutMicrophone } from '../e2e/talk-page.ts'
import { PAGES_KEY, type PageServer } from './page-server.ts'

/** A state of a page, as a visitor reaches it. */
export interface PageState {
  /** Path, with what follows `#`. */
  readonly path: string | ((server: PageServer) => Promise<string>)
  /** Runs before the page’s own scripts. */
  readonly script?: string
  /** Prepares the page before it is opened. */
  readonly prepare?: (page: Page, server: PageServer) => Promise<unknown>
  readonly reach: (page: Page, server: PageServer) => Promise<unknown>
}

/** Longer than all pictures of a state take, so that it lasts (ms). */
const PLAYED_MS = 30_000
/** Sockets of pages, to cut them. */
const sockets = new WeakMap<Page, WebSocketRoute[]>()

const visible = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()
const shows = (text: string) => (page: Page) => page.getByText(text).first().waitFor()
const press =
  (selector: string, then: (page: Page) => Promise<unknown> = async () => undefined) =>
  async (page: Page): Promise<void> => {
    await page.click(selector)
    await then(page)
  }
const state = (name: string) => (page: Page) => page.locator(`#state[data-now="${name}"]`).waitFor()
/** Chooses a language whatever the browser's is, as the pages of all languages need the same speech. */
const speak = async (page: Page, language: string): Promise<void> => {
  await page.locator('#start:enabled').waitFor()
  await page.selectOption('#speaks', language)
}

async function talking(page: Page, server: PageServer): Promise<void> {
  await speak(page, 'en-us')
  await page.click('#echo-card summary')
  await page.selectOption('#echo-in', 'es-es')
  await page.click('#echo')
  await state('listening')(page)
  await server.say('en-us', 'Good morning.', { translation: 'Buenos días.' })
  await server.say('en-us', 'Where is the station?', { translation: '¿Dónde está la estación?' })
  await shows('estación')(page)
}

/** In a call, alone, after two sentences. */
const call = (reach: PageState['reach'] = async () => undefined): PageState => ({
  path: '/',
  reach: async (page, server) => {
    await talking(page, server)
    await reach(page, server)
  },
})

/** In a call with John and Ana. */
const company = (reach: PageState['reach']): PageState => ({
  path: async server => `/#join=${await server.invitation()}`,
  reach: async (page, server) => {
    await server.callIn()
    await speak(page, 'en-us')
    await page.fill('#name', 'Kim')
    await page.click('#start:enabled')
    await page.locator('#people li').nth(2).waitFor()
    await server.say('es-es', 'Buenos días a todos.', { translation: 'Good morning, everyone.' })
    await server.say('en-us', 'Did the parcel arrive yesterday?', { translation: '¿Llegó ayer el paquete?' })
    await server.say('es-es', 'Sí, llegó por la tarde.', { translation: 'Yes, it came in the afternoon.' })
    await shows('in the afternoon')(page)
    await reach(page, server)
  },
})

/** The service understands only `heard`, and speaks everything. */
function understanding(...heard: readonly string[]): PageState['prepare'] {
  return page =>
    page.route('**/talk/languages', async route => {
      const response = await route.fetch()
      const offer = (await response.json()) as { languages: { id: string; heard: boolean }[] }
      const languages = offer.languages.map(each => ({ ...each, heard: heard.includes(each.id) }))
      await route.fulfill({ response, json: { ...offer, languages, engines: ['pocketsphinx', 'espeak'] } })
    })
}

/** Sends the socket of the page through us, so that it can be cut. */
async function routed(page: Page): Promise<void> {
  const open: WebSocketRoute[] = []
  sockets.set(page, open)
  await page.routeWebSocket(/talk\/socket/, route => {
    if (open.length === 0) route.connectToServer()
    else void route.close()
    open.push(route)
  })
}

/** Hears John and Ana, who talk. */
async function listening(page: Page, server: PageServer): Promise<void> {
  await server.callIn()
  await visible('#language:enabled')(page)
  await page.selectOption('#language', 'en-us')
  await visible('#state[data-state=live]')(page)
  await page.click('#play')
  await server.say('es-es', 'Buenos días a todos.', { to: 'en-us', translation: 'Good morning, everyone.' })
  await server.say('es-es', 'Hoy hablamos de trenes', {
    to: 'en-us',
    translation: 'Today we talk about trains',
    final: false,
  })
  await shows('trains')(page)
}

const dashboard = (reach: PageState['reach']): PageState => ({
  path: `/dashboard#key=${PAGES_KEY}`,
  reach: async (page, server) => {
    await server.callIn()
    await page.locator('.room').first().waitFor()
    for (const soundMs of [800, 1_200, 600]) {
      await server.say('en-us', 'Where is the station?', {
        ...{ soundMs, translation: '¿Dónde está la estación?' },
        timing: { recognitionMs: 300 + soundMs / 4, translationMs: 150, synthesisMs: 200 },
      })
      await page.waitForTimeout(1_500)
    }
    await reach(page, server)
  },
})

const captions = (reach: PageState['reach'] = async () => undefined): PageState => ({
  path: `/captions/desk#key=${PAGES_KEY}`,
  reach: async (page, server) => {
    await server.callIn()
    await server.say('en-us', 'Good morning.', { translation: 'Buenos días.' })
    await server.say('es-es', '¿Nos vemos mañana?', { translation: 'See you tomorrow?' })
    await server.say('en-us', 'Yes, at ten', { final: false })
    await shows('at ten')(page)
    await reach(page, server)
  },
})

/** All states by name. Those that end the server's calls or its service are last. */
export const PAGE_STATES: Readonly<Record<string, PageState>> = {
  'talk-before': { path: '/', reach: visible('#start:enabled') },
  'talk-invited': {
    path: async server => `/#join=${await server.invitation()}`,
    reach: visible('#start:enabled'),
  },
  'talk-alone': { path: '/', reach: press('#start:enabled', visible('#room-note')) },
  'talk-one-language': {
    path: async server => `/#join=${await server.invitation()}`,
    reach: async (page, server) => {
      await server.callIn(['Ana'])
      await speak(page, 'es-es')
      await page.click('#start')
      await page.locator('#people li').nth(1).waitFor()
      await page.locator('#room-note').waitFor()
    },
  },
  'talk-lacking': {
    path: '/',
    script: `Object.defineProperty(navigator, 'languages', { get: () => ['fi-FI'] })`,
    reach: visible('#start:enabled'),
  },
  'talk-english-only': { path: '/', prepare: understanding('en-us'), reach: visible('#truth') },
  'talk-understands-nothing': { path: '/', prepare: understanding(), reach: visible('#more-languages') },
  'talk-choices': {
    path: '/',
    reach: async page => {
      await page.locator('#start:enabled').waitFor()
      for (const summary of await page.locator('summary:visible').all()) await summary.click()
      await visible('#recording')(page)
    },
  },
  'talk-link-expired': { path: `/#join=${'x'.repeat(24)}`, reach: visible('[data-expired] #lead') },
  'talk-code-wrong': {
    path: '/',
    reach: async page => {
      await page.locator('#start:enabled').waitFor()
      await page.click('#code-card summary')
      await page.fill('#code', '123456')
      await page.click('#code-form button')
      await visible('#code-status:not(:empty)')(page)
    },
  },
  'talk-insecure': {
    path: '/',
    script: `Object.defineProperty(window, 'isSecureContext', { get: () => false })`,
    reach: visible('#status[data-kind=bad]'),
  },
  'talk-listening': call(),
  'talk-translating': call(async (page, server) => {
    await server.say('en-us', 'I would like a cup of coffee.')
    await state('translating')(page)
  }),
  'talk-playing': call(async (page, server) => {
    const said = { soundMs: PLAYED_MS, translation: 'Quisiera una taza de café.' }
    await server.say('en-us', 'I would like a cup of coffee.', said)
    await state('playing')(page)
  }),
  'talk-muted': call(press('#mute', state('muted'))),
  'talk-microphone-denied': {
    path: '/',
    script: withoutMicrophone('NotAllowedError'),
    reach: press('#start:enabled', state('unheard')),
  },
  'talk-reconnecting': {
    ...call(async page => {
      await sockets.get(page)?.[0]?.close()
      await state('reconnecting')(page)
    }),
    prepare: routed,
  },
  'talk-company': company(state('listening')),
  'talk-draft': company(async (page, server) => {
    await server.say('es-es', 'Mañana por la', { final: false })
    await shows('Mañana')(page)
  }),
  'talk-scrolled': call(async (page, server) => {
    const more = (n: number) => server.say('en-us', `This is sentence ${n}.`, { translation: `Frase ${n}.` })
    for (let n = 1; n <= 20; n++) await more(n)
    await shows('Frase 20.')(page)
    await page.locator('#captions').evaluate(list => list.scrollTo(0, 0))
    await more(21)
    await visible('#latest')(page)
  }),
  'talk-invitation': call(press('#invite', visible('#invited'))),
  'talk-more': call(async page => {
    // Large windows show what is behind it all the time.
    await page.setViewportSize({ width: 360, height: 640 })
    await press('#more', visible('#speaks'))(page)
  }),
  'talk-after': call(press('#stop', visible('#after-title'))),
  'listen-waiting': {
    path: server => server.listening(),
    reach: visible('#state[data-state=waiting]'),
  },
  'listen-live': {
    path: server => server.listening(),
    reach: listening,
  },
  'listen-over': {
    path: `/listen#join=${'x'.repeat(24)}`,
    reach: visible('#state[data-state=over]'),
  },
  'dashboard-key': { path: '/dashboard', reach: visible('#login') },
  'dashboard-wrong-key': {
    path: '/dashboard#key=not-a-key-of-this-server-at-all',
    reach: visible('#login-problem:not(:empty)'),
  },
  'dashboard-empty': { path: `/dashboard#key=${PAGES_KEY}`, reach: visible('#nobody') },
  'dashboard-simulate': {
    path: `/dashboard#key=${PAGES_KEY}`,
    reach: press('#to-simulate', visible('#simulate select')),
  },
  'dashboard-rooms': dashboard(async () => undefined),
  'dashboard-room': dashboard(press('.room .head button', visible('#room-title'))),
  'dashboard-participant': dashboard(press('.party button', visible('#leg-title'))),
  'captions-entry': { path: '/captions', reach: visible('#entry') },
  'captions-waiting': { path: `/captions/lobby#key=${PAGES_KEY}`, reach: visible('#moment') },
  'captions-live': captions(),
  'captions-settings': captions(press('#open-settings', visible('#settings'))),
  'captions-downloads': captions(press('#open-downloads', visible('#downloads'))),
  'captions-ended': captions(async (page, server) => {
    await server.hangUp()
    await visible('#ended-downloads')(page)
  }),
  'captions-expired': { path: '/captions/desk#token=old', reach: visible('#state[data-state=expired]') },
  'error-403': {
    path: '/rejected',
    prepare: async (page, server) => {
      const language = await page.evaluate<string>('navigator.language')
      await page.route('**/rejected', async route => {
        await route.fulfill(await server.rejected('dragoman.example.com', language))
      })
    },
    reach: visible('h1'),
  },
  'error-404': { path: '/nowhere', reach: visible('h1') },
  'error-expired': { path: '/v1/rooms/desk/captions?token=old', reach: visible('h1') },
  'error-key': { path: '/v1/rooms', reach: visible('h1') },
  'api-reference': { path: '/v1/docs', reach: visible('h1') },
  'talk-original': company(async (page, server) => {
    server.stop()
    await state('original')(page)
  }),
  'dashboard-trouble': {
    path: `/dashboard#key=${PAGES_KEY}`,
    reach: async (page, server) => {
      await server.callIn()
      server.stop()
      await visible('.problem')(page)
    },
  },
}

/** States with a server that others can reach (`PageServer.listen({ publicUrl })`). */
export const PUBLIC_STATES: Readonly<Record<string, PageState>> = {
  'talk-invitation-public': call(press('#invite', visible('#qr svg'))),
}

/** Opens a page in `state`; the caller closes its context. A started call is silent with a silent microphone only. */
export async function openState(
  browser: Browser,
  server: PageServer,
  { path, script, prepare, reach }: PageState,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options })
  try {
    const page = await context.newPage()
    if (script !== undefined) await page.addInitScript(script)
    await prepare?.(page, server)
    await page.goto(server.address + (typeof path === 'string' ? path : await path(server)))
    await reach(page, server)
    return page
  } catch (error) {
    // A page that goes on talking takes the time of the next ones.
    await context.close()
    throw error
  }
}
