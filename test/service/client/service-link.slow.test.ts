import { describe, expect, test } from 'vitest'
import { Rig, WHOLE } from '../../support/faults/service-fault-harness.ts'
import { pause } from '../../support/until.ts'

/** Maximum repetition for each new connection (frames): 300 ms. */
const FRAMES_TWICE = 15

/** Stalls the network to the service for `ms`. */
async function stall(rig: Rig, ms: number): Promise<void> {
  rig.proxy.set({ bytesPerSecond: 0 })
  await pause(ms)
  rig.proxy.set({})
}

describe.concurrent('between us and the service', () => {
  test.each<[string, (rig: Rig) => void | Promise<void>]>([
    ['latency of 50 ms', rig => rig.proxy.set({ latencyMs: 50 })],
    ['latency of 200 ms', rig => rig.proxy.set({ latencyMs: 200 })],
    ['latency of 500 ms', rig => rig.proxy.set({ latencyMs: 500 })],
    [
      'losses, which TCP makes stalls of: 200 ms, four times',
      async rig => {
        for (let n = 0; n < 4; n++) {
          await stall(rig, 200)
          await pause(150)
        }
      },
    ],
  ])('%s: every frame is played once, in one session', async (_name, spoil) => {
    await using rig = await Rig.open({ client: { deadlines: {} }, relay: { ackDeadlineMs: 10_000 } })
    await rig.session(1)
    const speaking = rig.speak(0, 120)
    await pause(500)
    await spoil(rig)
    await speaking
    expect(await rig.count(0, 120)).toEqual(WHOLE)
    expect(rig.relay.metrics.sessionsDropped).toBe(0)
  })

  test.each<[string, (rig: Rig) => Promise<void>]>([
    [
      '32 kbit/s for 3 s, an eighth of what speech needs',
      async rig => {
        rig.proxy.set({ bytesPerSecond: 4_000 })
        await pause(3_000)
        rig.proxy.set({})
      },
    ],
    ['nothing for 3 s', rig => stall(rig, 3_000)],
    [
      'a black hole on the way there for 3 s',
      async rig => {
        rig.proxy.set({ swallow: true }, 'up')
        await pause(3_000)
        rig.proxy.heal()
      },
    ],
  ])('%s: all of it is played', async (_name, spoil) => {
    await using rig = await Rig.open()
    await rig.session(1)
    const speaking = rig.speak(0, 200)
    await pause(500)
    await spoil(rig)
    await speaking
    const { lost, repeated, foreign } = await rig.count(0, 200)
    expect([lost, foreign]).toEqual([[], []])
    expect(repeated).toBeLessThanOrEqual(FRAMES_TWICE * rig.relay.metrics.sessionsDropped)
    expect(rig.relay.metrics.lostMs).toBe(0)
  })

  test('keeps the connection active during silence', async () => {
    await using rig = await Rig.open()
    await rig.session(1)
    await pause(1_000)
    const before = rig.proxy.passed.up
    await pause(2_000)
    expect(rig.proxy.passed.up - before).toBeGreaterThan(0)
  })
})
