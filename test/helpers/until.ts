/** Settles with what `look` finds; rejects after `ms`, naming `what`. Real time, for what really takes time. */
export async function until<T>(look: () => T | undefined | false, ms: number, what: string): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms`)
    await pause(5)
  }
}

/** Real time passes: for what must not happen in it, or takes that long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
