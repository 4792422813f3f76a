import { after, type Clock } from './clock.ts'

/** Settles when `work` settles, either way, or after `ms`. Never rejects. */
export async function within(clock: Clock, ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = after(clock, ms, resolve)
  await Promise.race([work?.catch(() => undefined), late])
  timer[Symbol.dispose]()
}
