import { apiPages } from './api.ts'
import { cliPage } from './cli.ts'
import type { Declarations } from './declarations.ts'
import { enginesPage } from './engines.ts'
import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { httpPage } from './http.ts'
import { metricsPage } from './metrics.ts'
import { settingsPage } from './settings.ts'

/** Returns the committed pages of `docs/reference/`, generated from the sources, by path. */
export async function referencePages(declarations: Declarations): Promise<Map<string, string>> {
  return new Map([
    ['settings.md', settingsPage()],
    ['cli.md', cliPage()],
    ['engines.md', enginesPage()],
    ['http.md', await httpPage()],
    ['errors.md', errorsPage()],
    ['events.md', await eventsPage(declarations)],
    ['metrics.md', await metricsPage()],
  ])
}

/** Returns the pages of the exported types. They are not committed: `npm run reference:api` writes them. */
export function apiReferencePages(declarations: Declarations): Map<string, string> {
  return new Map(apiPages(declarations))
}
