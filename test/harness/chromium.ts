import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
/** True if a browser is installed; `npm test` installs Debian's. */
export const hasChromium = PROGRAM !== undefined

/** Disables unrequested downloads, and allows the microphone without a click. */
const FLAGS = [
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

/**
 * Starts headless Chromium; the caller closes it. `microphone` is a WAV file (any rate, 16 bit) that loops as the input
 * of the microphone; without it the microphone beeps.
 */
export async function startChromium({ microphone }: { microphone?: string } = {}): Promise<Browser> {
  return await chromium.launch({
    ...(PROGRAM === undefined ? {} : { executablePath: PROGRAM }),
    args: [
      ...FLAGS,
      // The sandbox of the browser does not start for root, as in containers; only our own pages are opened.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(microphone === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphone}`]),
    ],
  })
}

/** Collects a page's faults: requests to other servers, uncaught errors, violations of its policy. */
export function watchFaults(page: Page, origin: string): string[] {
  const faults: string[] = []
  page.on('request', request => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin) faults.push(`asks ${request.url()}`)
  })
  page.on('pageerror', error => faults.push(`throws ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(`complains: ${message.text()}`)
  })
  return faults
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical findings of axe, as text. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated by the protocol of the developer tools, which the page's policy does not restrict.
  await page.evaluate(axe)
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as readonly Violation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
}
