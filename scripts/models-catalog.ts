/**
 * For maintainers: checks and completes `src/cli/models/catalog.json`.
 *
 *   node scripts/models-catalog.ts check    asks every address whether it answers, and compares the size
 *   node scripts/models-catalog.ts fill     downloads the files without a digest, and writes digest and size
 *
 * Both need access to the internet, and exit with 1 if something is wrong. Read the license at `source` before you add
 * a model.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CatalogFile, CatalogModel } from '../src/cli/models/catalog.ts'

const PATH = new URL('../src/cli/models/catalog.json', import.meta.url)
/** Time for one answer (ms). */
const ANSWER_MS = 30_000

interface Catalog {
  version: 1
  models: (Omit<CatalogModel, 'files'> & { files: Writable<CatalogFile>[] })[]
}
type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Asks every address; returns what is wrong, one line each. `fetcher` is replaced by tests. */
export async function check(catalog: Catalog, fetcher: typeof fetch = fetch): Promise<string[]> {
  const problems: string[] = []
  for (const { name, files } of catalog.models)
    for (const file of files) {
      if (file.sha256 === undefined) problems.push(`${name}: no digest; run fill`)
      for (const address of file.addresses)
        try {
          const answer = await fetcher(address, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_MS) })
          const size = Number(answer.headers.get('content-length'))
          if (!answer.ok) problems.push(`${name}: ${address} answered ${answer.status}`)
          else if (file.sha256 !== undefined && size > 0 && size !== file.bytes)
            problems.push(`${name}: ${address} has ${size} bytes, the catalog says ${file.bytes}`)
        } catch (error) {
          problems.push(`${name}: ${address} does not answer (${(error as Error).message})`)
        }
    }
  return problems
}

/** Downloads the files that have no digest, and completes their entries. Returns the names of the models. */
export async function fill(catalog: Catalog, fetcher: typeof fetch = fetch): Promise<string[]> {
  const filled: string[] = []
  for (const { name, files } of catalog.models)
    for (const file of files) {
      if (file.sha256 !== undefined) continue
      const answer = await fetcher(file.addresses[0]!)
      if (!answer.ok || !answer.body) throw new Error(`${file.addresses[0]} answered ${answer.status}`)
      const hash = createHash('sha256')
      let bytes = 0
      for await (const piece of answer.body) {
        hash.update(piece)
        bytes += piece.length
      }
      file.bytes = bytes
      file.sha256 = hash.digest('hex')
      filled.push(name)
    }
  return filled
}

async function main(command: string | undefined): Promise<number> {
  const catalog = JSON.parse(await readFile(PATH, 'utf8')) as Catalog
  switch (command) {
    case 'check': {
      const problems = await check(catalog)
      for (const problem of problems) console.log(problem)
      console.log(`${catalog.models.length} models, ${problems.length} problems`)
      return problems.length > 0 ? 1 : 0
    }
    case 'fill': {
      const filled = await fill(catalog)
      await writeFile(PATH, `${JSON.stringify(catalog, undefined, 2)}\n`)
      console.log(`Filled: ${filled.join(', ') || 'nothing was missing'}`)
      return 0
    }
    default:
      console.log('node scripts/models-catalog.ts check | fill')
      return 1
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv[2])
