/** `npm run reference`: writes docs/reference/ from the schemas, commands, routes and types of the sources. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referencePages } from './reference/pages.ts'

const folder = new URL('../docs/reference/', import.meta.url)
for (const [path, text] of await referencePages()) {
  const file = fileURLToPath(new URL(path, folder))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
