import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** What a server must choose by the number of its processors, written out here; `youngMb` as in `Seen`. */
export const MEMORY_FLAGS = {
  one: {
    execArgv: [
      '--max-semi-space-size=4',
      '--heap-growing-percent=30',
      '--no-concurrent-marking',
      '--no-separate-gc-phases',
    ],
    youngMb: 8,
  },
  more: { execArgv: ['--max-semi-space-size=8', '--heap-growing-percent=30'], youngMb: 16 },
}
/** What a server must choose on this machine. */
export const MEMORY_FLAGS_HERE = availableParallelism() === 1 ? MEMORY_FLAGS.one : MEMORY_FLAGS.more

/** The figures of one program during its start. */
export interface Seen {
  readonly pid: number
  readonly argv: readonly string[]
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Size to which its young generation grew under a load that needs far more (MiB): both halves. */
  readonly youngMb: number
}

/** Runs before a program's own modules: creates objects that survive, and appends to `file`. */
function source(file: string): string {
  return `
import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
let most = 0
let kept = []
for (let n = 0; n < 400000; n++) {
  kept.push([n])
  if (kept.length > 100000) kept = []
  if (n % 1000 > 0) continue
  const { space_size } = getHeapSpaceStatistics().find(space => space.space_name === 'new_space')
  most = Math.max(most, space_size)
}
const { pid, argv, execArgv, env } = process
const seen = { pid, argv, execArgv, env, youngMb: most / 1024 / 1024 }
appendFileSync(${JSON.stringify(file)}, JSON.stringify(seen) + '\\n')`
}

/**
 * Watches the Node programs started with `options` in `NODE_OPTIONS`, their child processes included, through a
 * file in a folder to which they can write.
 */
export class MemoryProbe {
  readonly options: string
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.options = `--import=data:text/javascript,${encodeURIComponent(source(file))}`
  }

  /** The starts whose script matches `script`, in order; a replaced process has several. */
  of(script: RegExp): Seen[] {
    const lines = readFileSync(this.#file, 'utf8').trim().split('\n')
    return lines.map(line => JSON.parse(line) as Seen).filter(({ argv }) => script.test(argv[1] ?? ''))
  }
}
