/** Resolves to the result of `look`; rejects after `ms`, naming `what`. For conditions that take real time. */
export async function until<T>(look: () => T | undefined | false, ms: number, what: string): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms`)
    await pause(5)
  }
}

/** Waits in real time: for something that must not happen, or takes this long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
