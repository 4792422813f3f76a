import type { Reporter, TestCase } from 'vitest/node'

type Run = Parameters<NonNullable<Reporter['onTestRunEnd']>>
type Modules = Run[0]

/** Ends the run with one plain line for scripts: `120 passed, 0 failed, 2 skipped`. */
export class ClosingLine implements Reporter {
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void = line => console.log(line)) {
    this.#print = print
  }

  onTestRunEnd(modules: Modules, unhandled: Run[1]): void {
    const repeated = modules.flatMap(module => [...module.children.allTests()].filter(wasRepeated))
    for (const test of repeated)
      this.#print(`repeated for lack of CPU: ${test.module.relativeModuleId} › ${test.name}`)
    this.#print(closingLine(modules, unhandled.length))
  }
}

function wasRepeated(test: TestCase): boolean {
  return (test.diagnostic()?.retryCount ?? 0) > 0
}

/** Failures outside of tests (a file that cannot be loaded, an uncaught error) count as failed, too. */
export function closingLine(modules: Modules, unhandled: number): string {
  const counts = { passed: 0, failed: unhandled, skipped: 0, pending: 0 }
  for (const module of modules) {
    let failedInside = false
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      counts[state]++
      failedInside ||= state === 'failed'
    }
    if (!failedInside && module.state() === 'failed') counts.failed++
  }
  const rest = counts.skipped + counts.pending
  return `${counts.passed} passed, ${counts.failed} failed${rest > 0 ? `, ${rest} skipped` : ''}`
}
