/**
 * Returns `defaults`, overridden by what `given` defines. Unlike a spread, a key that is `undefined` in `given` keeps its
 * default, since absent and `undefined` mean the same in options.
 */
export function withDefaults<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  const merged = { ...defaults }
  for (const key of Object.keys(given ?? {}) as (keyof T)[]) {
    const value = given?.[key]
    if (value !== undefined) merged[key] = value
  }
  return merged
}
