import type { TestContext } from 'vitest'

/** A figure of a long run, as a line of its table. */
export interface Figure {
  readonly what: string
  /** The target. */
  readonly goal: string
  readonly measured: string
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figure[]
  }
}

/** Records a measurement of a test in its metadata, for reporters. */
export function figure(
  { task }: Pick<TestContext, 'task'>,
  what: string,
  goal: string,
  measured: string,
): void {
  task.meta.figures ??= []
  task.meta.figures.push({ what, goal, measured })
}

/** The value below which the share `q` (0 to 1) of `values` lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN
}
