import { describe, test } from 'vitest'

/** One promise of an interface: what must hold of every implementation. Rejects when it does not. */
export type Check<T> = (subject: T) => Promise<void>

/** The promises of an interface by what they say. */
export type Checks<T> = Readonly<Record<string, Check<T>>>

/** Declares a test per promise. `make` gives a fresh subject; `done` puts it away. */
export function conforms<T>(
  name: string,
  checks: Checks<T>,
  make: () => T | Promise<T>,
  done: (subject: T) => Promise<void>,
): void {
  describe(name, () => {
    for (const [promise, check] of Object.entries(checks))
      test(promise, async () => {
        const subject = await make()
        try {
          await check(subject)
        } finally {
          await done(subject)
        }
      })
  })
}

/** The promises that `subject` breaks: what shows that a suite can fail. */
export async function broken<T>(checks: Checks<T>, make: () => T): Promise<string[]> {
  const found: string[] = []
  for (const [promise, check] of Object.entries(checks)) {
    try {
      await check(make())
    } catch {
      found.push(promise)
    }
  }
  return found
}
