import { accessSync, constants } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { availableParallelism, homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { childEnvironment } from './child-environment.ts'

/**
 * Size of half the young generation (MiB). In a process that steadily creates garbage, V8 lets it grow to over 100 MB,
 * which costs memory and misses the processor's caches. See `docs/architecture.md`, Memory.
 */
const SEMI_SPACE_MB = 8
/**
 * Garbage in the old space, as a percentage of what is live, that starts a collection. V8 otherwise chooses it by its own
 * speed, so that on a shared machine, twice as much memory piles up now and then, which the process keeps.
 */
const GROWING_PERCENT = 30
/**
 * Flags for a process that has one processor for itself. V8's marking threads would take it away from the process for a
 * tenth of a second every few seconds; without them, the process marks in steps of less than a millisecond. The young
 * generation is collected meanwhile, so that it does not grow, and small, because it takes part in the final pause.
 */
const ONE_PROCESSOR = ['--no-concurrent-marking', '--no-separate-gc-phases']
const ONE_PROCESSOR_SEMI_SPACE_MB = 4
const OPTION = /(^|[\s"'])--max[-_]semi[-_]space[-_]size(?![-\w])/

/**
 * Returns the Node flags with which a long-running process on `processors` processors needs the least memory and CPU,
 * and is interrupted least. Returns none if the flags in `execArgv` or `NODE_OPTIONS` already set a size.
 */
export function memoryFlags(
  execArgv: readonly string[] = [],
  processors: number = availableParallelism(),
): string[] {
  const { NODE_OPTIONS = '' } = childEnvironment()
  if ([NODE_OPTIONS, ...execArgv].some(flags => OPTION.test(flags))) return []
  const one = processors === 1
  return [
    `--max-semi-space-size=${one ? ONE_PROCESSOR_SEMI_SPACE_MB : SEMI_SPACE_MB}`,
    `--heap-growing-percent=${GROWING_PERCENT}`,
    ...(one ? ONE_PROCESSOR : []),
  ]
}

/**
 * Replaces this process by the same program with `memoryFlags`, so that they apply however it was started:
 * `v8.setFlagsFromString` comes too late for them. Process id, arguments, environment and standard streams stay. Call
 * it before anything is opened. Returns if the flags are set or the process cannot be replaced: on Windows, in a worker,
 * with an IPC channel, whose state would be lost, or if Node's permission model forbids it; the program then runs without
 * them. Where the system forbids `execve`, Node aborts.
 */
export function applyMemoryFlags(): void {
  const flags = memoryFlags(process.execArgv)
  if (flags.length === 0 || process.connected || !isMainThread || !process.execve || !canExecute()) return
  try {
    const { argv0, execArgv, argv } = process
    process.execve(process.execPath, [argv0, ...flags, ...execArgv, ...argv.slice(1)])
  } catch {
    // The program runs without the flags, too.
  }
}

/**
 * A failed `execve` aborts the process; Node has possibly been replaced or moved since it was started. One without
 * permission prints a warning first.
 */
function canExecute(): boolean {
  if (process.permission && !process.permission.has('child')) return false
  try {
    accessSync(process.execPath, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Keeps compiled code for the next start, which then takes half as long, in the user's own folder: code that others can
 * write must not be run. Nothing is kept without such a folder. Node's `NODE_COMPILE_CACHE` takes precedence. Only modules
 * that are loaded afterwards are kept: call it before the program is imported.
 */
export function keepCompiledCode(): void {
  const { XDG_CACHE_HOME = '' } = childEnvironment()
  try {
    const folder = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    enableCompileCache(join(folder, 'dragoman', 'compiled'))
  } catch {
    // A user without a home folder, as in some containers.
  }
}
