/** `npm run collection`: writes the collection and the environment for an HTTP testing tool into docs/collection/. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { collection, environment } from './collection/collection.ts'

const folder = new URL('../docs/collection/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries({ collection: collection(), environment: environment() }))
  writeFileSync(
    new URL(`dragoman.postman_${name}.json`, folder),
    `${JSON.stringify(content, undefined, 2)}\n`,
  )
