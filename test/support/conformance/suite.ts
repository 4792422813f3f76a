import { describe, test } from 'vitest'

/** One check of an interface, which every implementation must pass. Rejects on failure. */
export type Check<T> = (subject: T) => Promise<void>

/** The checks of an interface by name. */
export type Checks<T> = Readonly<Record<string, Check<T>>>

/** Declares a test per check. `make` creates a subject; `done` disposes of it. */
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
