import type { Reporter, TestCase } from 'vitest/node'

type Run = Parameters<NonNullable<Reporter['onTestRunEnd']>>
type Modules = Run[0]

/** The outcome of a run. */
export interface RunCounts {
  readonly passed: number
  /** Failures outside of tests (a file that cannot be loaded, an uncaught error) included. */
  readonly failed: number
  readonly skipped: number
  /** Files with failures, relative to the project. */
  readonly failedFiles: readonly string[]
}

/** Ends the run with one plain line for scripts: `120 passed, 0 failed, 2 skipped`. */
export class ClosingLine implements Reporter {
  readonly #print: (line: string) => void
  /** Counts of the last run. */
  counts: RunCounts = { passed: 0, failed: 0, skipped: 0, failedFiles: [] }

  constructor(print: (line: string) => void = line => console.log(line)) {
    this.#print = print
  }

  onTestRunEnd(modules: Modules, unhandled: Run[1]): void {
    const repeated = modules.flatMap(module => [...module.children.allTests()].filter(wasRepeated))
    for (const test of repeated)
      this.#print(`repeated for lack of CPU: ${test.module.relativeModuleId} › ${test.name}`)
    this.counts = countsOf(modules, unhandled.length)
    this.#print(closingLine(this.counts))
  }
}

function wasRepeated(test: TestCase): boolean {
  return (test.diagnostic()?.retryCount ?? 0) > 0
}

function countsOf(modules: Modules, unhandled: number): RunCounts {
  const counts = { passed: 0, failed: unhandled, skipped: 0, pending: 0 }
  const failedFiles: string[] = []
  for (const module of modules) {
    const before = counts.failed
    for (const test of module.children.allTests()) counts[test.result().state]++
    if (counts.failed === before && module.state() === 'failed') counts.failed++
    if (counts.failed > before) failedFiles.push(module.relativeModuleId)
  }
  const { passed, failed, skipped, pending } = counts
  return { passed, failed, skipped: skipped + pending, failedFiles }
}

export function closingLine({ passed, failed, skipped }: Omit<RunCounts, 'failedFiles'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
