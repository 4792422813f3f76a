import type { Reporter } from 'vitest/node'
import { type CpuTime, cpuTime, total } from './cpu-time.ts'

type Modules = Parameters<NonNullable<Reporter['onTestRunEnd']>>[0]

/** Lists the test files that take most CPU time: `npm run test:cost`. */
export class DearestFiles implements Reporter {
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  onTestRunEnd(modules: Modules): void {
    const files = modules.map(module => ({ file: module.relativeModuleId, ...costOf(module) }))
    for (const line of dearest(files, this.#count)) console.log(line)
    console.log(row('vitest itself', { own: cpuTime().own, started: 0 }))
  }
}

interface FileCost extends CpuTime {
  readonly file: string
}

function costOf(module: Modules[number]): CpuTime {
  return (module.meta() as { cpu?: CpuTime }).cpu ?? { own: 0, started: 0 }
}

/** A table of the `count` dearest files, and the sum of all. */
export function dearest(files: readonly FileCost[], count: number): string[] {
  const sorted = files.toSorted((a, b) => total(b) - total(a)).slice(0, count)
  const sum = { own: 0, started: 0 }
  for (const { own, started } of files) {
    sum.own += own
    sum.started += started
  }
  return [
    '   CPU s      own  started  file',
    ...sorted.map(cost => row(cost.file, cost)),
    row(`all ${files.length} files`, sum),
  ]
}

function row(name: string, cost: CpuTime): string {
  return `${seconds(total(cost))} ${seconds(cost.own)} ${seconds(cost.started)}  ${name}`
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(8)
}
