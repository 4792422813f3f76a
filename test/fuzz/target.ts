/** A parser of external input, and its invariants for any input. */
export interface FuzzTarget {
  readonly name: string
  /** Initial inputs: valid ones, and earlier crashes. */
  readonly seeds: readonly Buffer[]
  /** Tokens that the parser recognizes. */
  readonly words?: readonly string[]
  /** Throws only if an invariant is violated, for any `input`. */
  run(input: Buffer): void
}

/** Fails the case with this reason. */
export function must(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Error(reason)
}

/** Allows `read` to throw its documented errors. */
export function allowing<T>(
  errors: readonly (abstract new (...args: never[]) => Error)[],
  read: () => T,
): T | undefined {
  try {
    return read()
  } catch (error) {
    if (errors.some(allowed => error instanceof allowed)) return undefined
    throw error
  }
}

export function texts(...all: readonly string[]): Buffer[] {
  return all.map(text => Buffer.from(text))
}
