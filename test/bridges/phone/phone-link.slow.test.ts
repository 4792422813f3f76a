import { describe, expect, test } from 'vitest'
import { PhoneRig } from '../../support/faults/phone-link-harness.ts'
import { slowdown } from '../../support/transcode/slowdown.ts'
import { pause } from '../../support/until.ts'

const WHOLE = { lost: [], repeated: 0, late: 0, foreign: [] }
/** A dead stream is detected after 3 s instead of 15. */
const QUICK = { pingAfterMs: 1_000, lostAfterMs: 3_000 }
const STALLED = { bytesPerSecond: 0 }

/** Stalls the network for `ms`, on both sides at once. */
async function stall(rig: PhoneRig, ms: number): Promise<void> {
  rig.spoil(STALLED)
  await pause(ms)
  rig.spoil({})
}

/** Exactly one stretch of at most `ms` is lost. */
function expectOneHole(lost: readonly number[], ms: number): void {
  const [first = 0] = lost
  expect(lost).toEqual(lost.map((_, n) => first + n))
  expect(lost.length * 20).toBeLessThanOrEqual(ms)
}

describe('between the phones and us', () => {
  test.each<[string, (rig: PhoneRig) => void | Promise<void>]>([
    ['latency of 50 ms', rig => rig.spoil({ latencyMs: 50 })],
    ['latency of 500 ms', rig => rig.spoil({ latencyMs: 500 })],
    ['jitter of 200 ms', rig => rig.spoil({ jitterMs: 200 })],
    [
      'losses, which TCP makes stalls of: 200 ms, four times',
      async rig => {
        for (let n = 0; n < 4; n++) {
          await stall(rig, 200)
          await pause(150)
        }
      },
    ],
    [
      '32 kbit/s for 2 s, a quarter of what speech needs',
      async rig => {
        rig.spoil({ bytesPerSecond: 4_000 })
        await pause(2_000)
        rig.spoil({})
      },
    ],
    ['nothing for 2 s', rig => stall(rig, 2_000)],
  ])('%s: every frame is played once, on the same streams', async (_name, spoil) => {
    await using rig = await PhoneRig.open()
    const said = rig.say(200)
    await pause(600)
    await spoil(rig)
    await said
    expect(await rig.count()).toEqual(WHOLE)
    expect(rig.streams).toEqual([1, 1])
    // Each message, including its frame, fits one packet of any network.
    expect(rig.largest).toBeLessThan(1_100)
  })

  test('two seconds without audio for a listener: 400 ms are played, then they are live again', async () => {
    await using rig = await PhoneRig.open('voice')
    const said = rig.say(200)
    await pause(600)
    await stall(rig, 2_000)
    await said
    const { lost, repeated, foreign } = await rig.count()
    expect([repeated, foreign]).toEqual([0, []])
    // A busy machine prolongs the stall.
    expect(lost.length).toBeLessThan(150)
    expect(rig.streams).toEqual([1, 1])
  })

  test.each<[string, (rig: PhoneRig) => void]>([
    ['nothing for longer than a stream is waited for', rig => rig.annas.set(STALLED)],
    ['a black hole from the phone', rig => rig.annas.set({ swallow: true }, 'up')],
    ['a black hole both ways, as when a peer lost its power', rig => rig.annas.set({ swallow: true })],
  ])('%s: a new stream, and only speech from the gap is lost', async (_name, spoil) => {
    await using rig = await PhoneRig.open('translation', QUICK)
    const said = rig.say(300)
    await pause(600)
    const healed = rig.healedWhenLost()
    spoil(rig)
    const noticedMs = await healed
    await said
    const { lost, repeated, foreign } = await rig.count()
    expect([repeated, foreign]).toEqual([0, []])
    // Audio that the peer had sent, and 2 s for Twilio's request and the stream.
    expectOneHole(lost, noticedMs + 2_000 * slowdown())
    expect(rig.streams).toEqual([2, 1])
  })

  test.each<[string, (rig: PhoneRig) => void, readonly number[]]>([
    ['reset, both', rig => [rig.annas, rig.bobs].map(proxy => proxy.cut('rst')), [2, 2]],
    ['closed, both', rig => [rig.annas, rig.bobs].map(proxy => proxy.cut('fin')), [2, 2]],
    ['half-closed by the phone', rig => rig.annas.halfClose('up'), [2, 1]],
    ['half-closed towards the listener', rig => rig.bobs.halfClose('down'), [1, 2]],
  ])('%s: new streams, and hardly any loss', async (_name, spoil, streams) => {
    await using rig = await PhoneRig.open('translation', QUICK)
    const said = rig.say(150)
    await pause(600)
    spoil(rig)
    await said
    const { lost, repeated, foreign } = await rig.count()
    expect([repeated, foreign]).toEqual([0, []])
    expectOneHole(lost, 2_000 * slowdown())
    expect(rig.streams).toEqual(streams)
  })
})
