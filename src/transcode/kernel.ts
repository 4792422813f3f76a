/** The arithmetic of one resampler, a block at a time; buffers and lengths are its owner's business. */
export interface Kernel {
  /** Samples before the block that it needs to see. */
  readonly history: number
  /** By how many output samples the output lags; may end in a half. */
  readonly delay: number
  /**
   * Makes all output that `count` new samples allow, into `out` from `at` on, and returns where it ends.
   * `x` holds `history` samples from before, then the `count` new ones.
   */
  run(x: Float64Array, count: number, out: Int16Array, at: number): number
  /** As new. The owner clears the history. */
  reset(): void
}
