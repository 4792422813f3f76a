import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

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
  // One expression: Firefox takes nothing else.
  await page.evaluate(`(() => {${axe}\n})()`)
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as readonly Violation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
}
