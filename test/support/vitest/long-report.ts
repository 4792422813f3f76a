import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Reporter } from 'vitest/node'
import type { Figure } from '../sources/figures.ts'

type Modules = Parameters<NonNullable<Reporter['onTestRunEnd']>>[0]

const BEGIN = '<!-- long run: begin -->'
const END = '<!-- long run: end -->'

/** Writes the measurements of a complete long run into the page, between its two marks, unless a test failed. */
export class LongReport implements Reporter {
  readonly #page: URL | undefined

  /** Without a page it only prints. */
  constructor(page: URL | undefined) {
    this.#page = page
  }

  onTestRunEnd(modules: Modules, unhandled: readonly unknown[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const failed = tests.some(test => test.result().state !== 'passed') || unhandled.length > 0
    const figures = tests.flatMap(test => (test.meta() as { figures?: Figure[] }).figures ?? [])
    for (const { what, goal, measured } of figures) console.log(`${what}: ${measured} (goal ${goal})`)
    for (const line of modules.flatMap(rerunLines)) console.log(line)
    if (failed) console.log('test/faults/CATALOGUE.md was left as it is, as not all tests passed')
    else if (this.#page)
      writeFileSync(this.#page, withFigures(readFileSync(this.#page, 'utf8'), figures, machine(), new Date()))
  }
}

/** Commands that reproduce random failures of this file, by the seeds in test names and messages. */
export function rerunLines(module: Modules[number]): string[] {
  const seeds = new Set<string>()
  for (const test of module.children.allTests()) {
    const { state, errors = [] } = test.result()
    if (state !== 'failed') continue
    const text = [test.name, ...errors.map(({ message }) => message)].join('\n')
    for (const [, seed] of text.matchAll(/\bseed:? (-?\d+)/g)) seeds.add(seed!)
  }
  return Array.from(
    seeds,
    seed => `again: DRAGOMAN_FUZZ_SEED=${seed} npx vitest run ${module.relativeModuleId}`,
  )
}

function machine(): string {
  const model = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'processor'
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`
}

/** The page with this table between its marks. Throws if it has none. */
export function withFigures(page: string, figures: readonly Figure[], where: string, when: Date): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new RangeError(`a page for figures has ${BEGIN} and ${END}`)
  const rows = figures.map(({ what, goal, measured }) => `| ${what} | ${goal} | ${measured} |`)
  const table = ['| what | goal | measured |', '|---|---|---|', ...rows].join('\n')
  return `${before}${BEGIN}\n${when.toISOString().slice(0, 10)}, ${where}:\n\n${table}\n${END}${after}`
}
