import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { encodeWav, readWav } from '../src/transcode/wav.ts'
import { startChromium } from '../test/support/browser/browsers.ts'
import { PageServer, PUBLIC_URL, silentMicrophone } from '../test/support/browser/page-server.ts'
import { openState, PAGE_STATES, type PageState, PUBLIC_STATES } from '../test/support/browser/page-states.ts'
import { Conversation, KEY, ROOM } from './screenshots/conversation.ts'

// `npm run screenshots`: writes every page in both themes and two sizes into `screenshots/`, with real engines, phones
// and a microphone; with `-- --docs` also the pictures of the documentation; with names, only those pages. With
// `-- --states`: every page in all its states, in both themes and three widths, with scripted translations.

const FOLDER = fileURLToPath(new URL('../screenshots/', import.meta.url))
const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
/**
 * Looped input of the browser's microphone: a sentence that the offline engines recognize and translate without an
 * error, and silence for the answer (ms).
 */
const SENTENCE = 'we have two dogs and three cats'
const SILENCE_MS = 11_000
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
/** Pictures in the documentation, and their height (px). */
const PICTURES: Readonly<Record<string, number>> = { talk: 800, dashboard: 1_120, captions: 600 }
const THEMES = ['light', 'dark'] as const
/** Time until the next tick of a chart is drawn (ms). */
const SETTLED_MS = 600
/** Sizes of the pictures of states, and the time until fonts, levels and charts are drawn (ms). */
const WIDTHS = [320, 768, 1_920]
const HEIGHT = 800
const LOCALES = ['en-US', 'es-ES', 'fr-FR', 'de-DE', 'it-IT', 'pt-PT']
/** Pages for operators and programmers, which exist in English only. */
const ENGLISH_ONLY = /^(?:dashboard|api)-/
const DRAWN_MS = 100
/** Selected pages; none selects all. */
const wanted = process.argv.slice(2).filter(each => !each.startsWith('--'))
const docs = process.argv.includes('--docs')

await mkdir(FOLDER, { recursive: true })
await mkdir(IMAGES, { recursive: true })
if (process.argv.includes('--states')) {
  await allStates()
  process.exit()
}
await using conversation = await Conversation.begin()
const folder = await mkdtemp(join(tmpdir(), 'dragoman-pictures-'))
const browser = await startChromium({ microphone: await microphone(join(folder, 'microphone.wav')) })
try {
  const { page: captions } = await conversation.ask('POST', `/rooms/${ROOM}/captions/link`)
  // All are open from the start, so that each has content.
  const paths = { captions: `${captions}`, dashboard: `/dashboard#key=${KEY}`, talk: '/', docs: '/v1/docs' }
  const pages: Record<string, Page> = {}
  for (const [name, path] of Object.entries(paths))
    if (wanted.length === 0 || wanted.includes(name)) pages[name] = await opened(path)
  if (pages.talk) await talking(pages.talk)
  await pages.captions?.locator('.caption:not(.growing)').nth(3).waitFor({ timeout: 90_000 })
  for (const [name, page] of Object.entries(pages)) await shoot(name, page)
} finally {
  await browser.close()
  await rm(folder, { recursive: true })
}

/** Pictures of all states, or of those whose name starts with a wanted one. */
async function allStates(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-pictures-'))
  const browser = await startChromium({ microphone: await silentMicrophone(folder) })
  try {
    await shootStates(browser, PAGE_STATES, {})
    await shootStates(browser, PUBLIC_STATES, { publicUrl: PUBLIC_URL })
  } finally {
    await browser.close()
    await rm(folder, { recursive: true })
  }
}

async function shootStates(
  browser: Browser,
  states: Readonly<Record<string, PageState>>,
  options: { readonly publicUrl?: string },
): Promise<void> {
  await using server = await PageServer.listen(options)
  const all = Object.entries(states).flatMap(([name, state]) =>
    LOCALES.slice(0, ENGLISH_ONLY.test(name) ? 1 : undefined).map(locale => ({ name, state, locale })),
  )
  for (const { name, state, locale } of all) {
    if (wanted.length > 0 && !wanted.some(each => name.startsWith(each))) continue
    try {
      await shootState(browser, server, state, `${name}-${locale}`, locale)
      process.stdout.write(`${name} ${locale}\n`)
    } catch (error) {
      // One state that is not reached must not cost the pictures of all others.
      process.stderr.write(`${name} ${locale}: ${error}\n`)
      process.exitCode = 1
    }
    await server.hangUp()
  }
}

async function shootState(
  browser: Browser,
  server: PageServer,
  state: PageState,
  name: string,
  locale: string,
): Promise<void> {
  const viewport = { width: WIDTHS[0] ?? 0, height: HEIGHT }
  const page = await openState(browser, server, state, { locale, viewport })
  try {
    for (const width of WIDTHS)
      for (const colorScheme of THEMES) {
        await page.setViewportSize({ width, height: HEIGHT })
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(DRAWN_MS)
        await page.screenshot({ path: `${FOLDER}${name}-${width}-${colorScheme}.png` })
      }
  } finally {
    await page.context().close()
  }
}

async function opened(path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES.wide, deviceScaleFactor: 1 })
  page.on(
    'console',
    message => message.type() === 'error' && process.stderr.write(`${path} ${message.text()}\n`),
  )
  page.on('pageerror', error => process.stderr.write(`${path} ${error.message}\n`))
  await page.goto(conversation.address + path)
  return page
}

async function microphone(path: string): Promise<string> {
  await promisify(execFile)('flite', ['-voice', 'slt', '-t', SENTENCE, '-o', path])
  const { pcm, rate, channels } = readWav(await readFile(path))
  const padded = new Int16Array(pcm.length + Math.round((SILENCE_MS / 1000) * rate) * channels)
  padded.set(pcm)
  await writeFile(path, encodeWav(padded, rate))
  return path
}

/** One visitor talks in the page, and another one calls. */
async function talking(page: Page): Promise<void> {
  await page.locator('#start:enabled').click()
  await page.locator('#people li').first().waitFor()
  const { rooms } = (await conversation.ask('GET', '/rooms')) as unknown as { rooms: { name: string }[] }
  await conversation.visit(rooms.find(({ name }) => name !== ROOM)?.name ?? '', SILENCE_MS - 4_000)
  await page.locator('#captions li:not(.draft)').nth(4).waitFor({ timeout: 90_000 })
}

async function shoot(name: string, page: Page): Promise<void> {
  await page.bringToFront()
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of THEMES) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(SETTLED_MS)
      await page.screenshot({ path: `${FOLDER}${name}-${size}-${colorScheme}.png` })
      if (size === 'phone')
        await page.screenshot({ path: `${FOLDER}${name}-${size}-${colorScheme}-whole.png`, fullPage: true })
    }
  const height = docs ? PICTURES[name] : undefined
  if (height !== undefined) {
    await page.setViewportSize({ width: SIZES.wide.width, height })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.waitForTimeout(SETTLED_MS)
    await page.screenshot({ path: `${IMAGES}${name}.png` })
  }
  process.stdout.write(`${name}\n`)
}
