import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listen } from '../../../src/cli/call/call.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A phone on which nothing is audible. */
const phone = {
  live: true,
  quietFor: (ms: number) => new Promise<void>(resolve => void setTimeout(resolve, ms)),
}

/** When `listen` returns (ms), looking every 100 ms. */
async function listenedFor(awaited: (now: number) => boolean): Promise<number> {
  const begun = Date.now()
  let until: number | undefined
  void listen(phone, 2_000, () => awaited(Date.now() - begun)).then(() => {
    until = Date.now() - begun
  })
  while (until === undefined) await vi.advanceTimersByTimeAsync(100)
  return until
}

test('call ends after the silence if no caption announces a voice', async () => {
  expect(await listenedFor(() => false)).toBe(2_000)
})

test('call waits for the voice of a caption, however late it is, and gives up after a minute', async () => {
  expect(await listenedFor(now => now < 17_500)).toBe(18_000)
  expect(await listenedFor(() => true)).toBe(60_000)
})
