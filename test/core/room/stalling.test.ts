import { afterEach, describe, expect, test } from 'vitest'
import type { OriginalMix } from '../../../src/core/model/invitation.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const ANNA = 300
const TRANSLATION = 1_000
/** The pause between two syllables, with its edges (ms). */
const PAUSE_MS = 48
const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)

/** A tone of 160 ms, then 40 ms of silence, repeated: a continuous tone would count as noise. */
function syllables(hz: number, ms: number): Int16Array {
  return sine(hz, ms, 6_000).map((sample, n) => (n % 3_200 < 2_560 ? sample : 0))
}

/** The translation of Anna's speech, all at once. */
function translated(ms: number): void {
  const audio = r.maker.encode(syllables(TRANSLATION, ms))
  const { sink } = r.connection('en-us', 'es-es')
  sink.result({ utterance: '1', final: true, text: 'said', translation: 'told', audio })
  sink.endOfSpeech()
}

/** The longest time from `from` to `to` (ms after joining) in which `leg` receives none of `hz`, in steps of 2 ms. */
function longestGapMs(leg: LiveLeg, hz: number, from: number, to: number): number {
  let [longest, gap] = [0, 0]
  for (let t = from; t + 4 <= to; t += 2) {
    gap = level(leg.between(t, t + 4), hz) < 1_500 ? gap + 2 : 0
    longest = Math.max(longest, gap)
  }
  return longest
}

/**
 * Advances time while Anna talks continuously, but none of it arrives from `stallAt` on for `stallMs`. Packets arrive
 * with jitter; delayed ones are lost, as in a network that drops them, or arrive `atOnce` after the stall.
 */
async function talks(ms: number, stallAt: number, stallMs: number, atOnce: boolean) {
  const anna = r.legs.get('anna')!
  const others = [...r.legs.values()].filter(leg => leg !== anna)
  const speech = syllables(ANNA, ms)
  const frame = (t: number) => speech.subarray(t * 16, t * 16 + FRAME_SAMPLES)
  let least = Number.POSITIVE_INFINITY
  const held: Int16Array[] = []
  for (let t = 0; t < ms; t += 20) {
    r.clock.advance(((t / 20) % 7) / 8)
    if (t >= stallAt && t < stallAt + stallMs) held.push(frame(t))
    else {
      if (atOnce) for (const each of held) anna.uplink?.write(each)
      held.length = 0
      anna.uplink?.write(frame(t))
    }
    for (const leg of others) leg.uplink?.write(new Int16Array(FRAME_SAMPLES))
    r.clock.advance(20 - ((t / 20) % 7) / 8)
    await Promise.resolve()
    if (t > stallAt - 200 && t < stallAt + stallMs + 500)
      least = Math.min(least, r.relay.find('bob')!.playout.aheadMs(r.clock.now()))
  }
  return least
}

describe('buffered audio continues when the speaker’s packets stop', () => {
  for (const original of ['duck', 'low', 'off'] as const satisfies readonly OriginalMix[])
    test.each([
      [200, false],
      [300, false],
      [400, false],
      [600, false],
      [1_200, false],
      [300, true],
      [600, true],
    ])(
      `a translation under \`${original}\`, for %i ms (what was held back comes at once: %s)`,
      async (stallMs, atOnce) => {
        r = await rooms()
        r.live('anna', { speaks: 'en-us', hears: 'en-us' })
        const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original })
        await r.run(500)
        r.say('anna', sine(ANNA, 1_000, 6_000))
        await r.run(1_000)
        translated(4_000)
        const least = await talks(3_500, 1_000, stallMs, atOnce)
        expect(longestGapMs(bob, TRANSLATION, 1_700, 4_900)).toBeLessThanOrEqual(PAUSE_MS)
        // A stall of this process is inaudible, too.
        expect(least).toBeGreaterThan(60)
        // … and the original is audible under it again after the stall.
        if (original !== 'off') expect(level(bob.lately(300), ANNA)).toBeGreaterThan(300)
      },
    )

  test('a notice, while two people hear each other directly', async () => {
    r = await rooms()
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'en-us', hears: 'en-us' })
    await r.run(500)
    await talks(1_000, 1_000, 0, false)
    r.relay.find('bob')!.announce({ name: 'notice', pcm: syllables(TRANSLATION, 3_000) })
    await talks(2_500, 800, 400, false)
    expect(longestGapMs(bob, TRANSLATION, 1_800, 3_900)).toBeLessThanOrEqual(PAUSE_MS)
    expect(level(bob.lately(300), ANNA)).toBeGreaterThan(300)
  })

  test('a translation, while another speaker is played directly whose packets stop', async () => {
    r = await rooms()
    r.live('anna', { speaks: 'es-es', hears: 'es-es' })
    r.live('carl', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(500)
    await talks(1_000, 1_000, 0, false)
    translated(3_000)
    await talks(2_500, 800, 400, false)
    expect(longestGapMs(bob, TRANSLATION, 1_800, 3_900)).toBeLessThanOrEqual(PAUSE_MS)
    expect(level(bob.lately(300), ANNA)).toBeGreaterThan(4_000)
  })

  test('and punctual packets leave no gap in the original either, under any playback', async () => {
    r = await rooms()
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', original: 'low' })
    await r.run(500)
    await talks(1_000, 1_000, 0, false)
    translated(3_000)
    await talks(3_500, 10_000, 0, false)
    // Between two syllables there are 40 ms of silence.
    for (let t = 1_900; t < 4_800; t += 20)
      expect(level(bob.between(t, t + 80), ANNA), `at ${t} ms`).toBeGreaterThan(150)
  })
})
