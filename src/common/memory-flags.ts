/**
 * V8's flags for the memory of our child processes. The command has them in its first line, because they apply only from
 * the start of a process: see `docs/architecture.md`, Memory.
 *
 * In a process that steadily creates garbage, V8 otherwise lets the young generation grow to over 100 MB, and chooses by
 * its own speed when it collects the old one.
 */
export const MEMORY_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=30']
