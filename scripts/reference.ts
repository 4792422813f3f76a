/**
 * `npm run reference` writes the committed pages of docs/reference/ from the schemas, commands and routes of the sources.
 * `npm run reference:api` writes the pages of the exported types instead, which are not committed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Declarations } from './reference/declarations.ts'
import { apiReferencePages, referencePages } from './reference/pages.ts'

const folder = new URL('../docs/reference/', import.meta.url)
using declarations = Declarations.generate()
const pages = process.argv.includes('--api')
  ? apiReferencePages(declarations)
  : await referencePages(declarations)
for (const [path, text] of pages) {
  const file = fileURLToPath(new URL(path, folder))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
