import { apiPages } from './api.ts'
import { cliPage } from './cli.ts'
import { Declarations } from './declarations.ts'
import { eventsPage } from './events.ts'
import { httpPage } from './http.ts'
import { settingsPage } from './settings.ts'

/** Every page of `docs/reference/` that is made from the sources, by its path there. */
export async function referencePages(): Promise<Map<string, string>> {
  using declarations = new Declarations()
  return new Map([
    ['settings.md', settingsPage()],
    ['cli.md', cliPage()],
    ['http.md', await httpPage()],
    ['events.md', await eventsPage(declarations)],
    ...apiPages(declarations),
  ])
}
