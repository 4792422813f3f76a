import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { numberedFrames } from '../../src/simulator/network/numbered-frames.ts'
import { expectEmpty, LeakWatch } from '../support/leaks.ts'
import { rooms } from '../support/relay/rooms.ts'

test('a server, a timer and a rejection that remain are named', async () => {
  using watch = new LeakWatch()
  const server = createServer()
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  // More than the runner's own timers that can end meanwhile.
  const timers = Array.from({ length: 20 }, () => setTimeout(() => {}, 60_000))
  expect(watch.left.toSorted()).toEqual(['1 × TCPServerWrap', expect.stringMatching(/^\d+ × Timeout$/)])
  await expect(watch.settled(50)).rejects.toThrow('Timeout')
  server.close()
  for (const timer of timers) clearTimeout(timer)
  await watch.settled()
})

test('a relay that was closed during a sentence keeps nothing', async () => {
  const r = await rooms()
  r.join('anna', { speaks: 'en-us', hears: 'en-us' })
  r.join('bert', { speaks: 'es-es', hears: 'es-es' })
  r.say('anna', numberedFrames(0, 50))
  await r.run(600)
  expect(r.relay.replayFragments).toBeGreaterThan(5)
  expect(() => expectEmpty(r.relay)).toThrow('legs')
  await r.relay.close()
  expectEmpty(r.relay, r.clock)
  expect(r.relay.metrics.sessionsEnded).toBe(2)
})
