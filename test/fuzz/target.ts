/** A parser of something that comes from outside, and what must hold whatever it is given. */
export interface FuzzTarget {
  /** Stands in the table of test/faults/CATALOGUE.md. */
  readonly name: string
  /** Good inputs, and crashes of before, to begin with. */
  readonly seeds: readonly Buffer[]
  /** What the parser looks for. */
  readonly words?: readonly string[]
  /** Throws when something holds no more. Nothing else is thrown, whatever `input` is. */
  run(input: Buffer): void
}

/** Fails the case with this reason. */
export function must(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Error(reason)
}

/** Lets `read` throw what it may throw. */
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
