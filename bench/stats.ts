/** Counted measurements, for percentiles only. */
export class Samples {
  #values: number[] = []

  add(value: number): void {
    this.#values.push(value)
  }

  clear(): void {
    this.#values = []
  }

  summary(): Summary {
    const sorted = Float64Array.from(this.#values).sort()
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
    return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN }
  }
}

/** Milliseconds, `NaN` without measurements. */
export interface Summary {
  count: number
  p50: number
  p99: number
  max: number
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
