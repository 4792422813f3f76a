/** Values per block: blocks are never copied, since copying millions of values would delay the load itself. */
const BLOCK = 65_536

/** Counted measurements, for percentiles only. */
export class Samples {
  #blocks: Float64Array[] = []
  #count = 0

  add(value: number): void {
    const at = this.#count++ % BLOCK
    if (at === 0) this.#blocks.push(new Float64Array(BLOCK))
    this.#blocks.at(-1)![at] = value
  }

  clear(): void {
    this.#blocks = []
    this.#count = 0
  }

  summary(): Summary {
    const sorted = new Float64Array(this.#count)
    this.#blocks.forEach((block, n) => {
      sorted.set(block.subarray(0, Math.min(BLOCK, this.#count - n * BLOCK)), n * BLOCK)
    })
    sorted.sort()
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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
