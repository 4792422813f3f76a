import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/**
 * V8's flags for the memory of our child processes. The command has them in its first line, because they apply only from
 * the start of a process: see `docs/design/architecture.md`, Memory.
 *
 * In a process that steadily creates garbage, V8 otherwise lets the young generation grow to over 100 MB, and chooses by
 * its own speed when it collects the old one.
 */
export const MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=30']

/**
 * On a machine with one processor, V8's marking threads would take it away from the program for a tenth of a second every few
 * seconds, which participants hear. Without them, V8 marks in steps of less than a millisecond. Call it before anything else.
 */
export function markInSteps(processors = availableParallelism()): void {
  if (processors > 1) return
  setFlagsFromString('--no-concurrent-marking')
  // The young generation is collected meanwhile, so that it does not grow.
  setFlagsFromString('--no-separate-gc-phases')
}
