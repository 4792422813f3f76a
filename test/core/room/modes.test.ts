import { afterEach, describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { sameLanguage } from '../../../src/common/language.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { OriginalMix } from '../../../src/core/model/invitation.ts'
import { loudness } from '../../../src/transcode/level.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { gainBelow, toneLufs } from '../../support/transcode/loudness-meter.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

/** The first and the fourth have the same language. */
const LANGUAGES = ['en-us', 'es-es', 'fr-fr', 'en-gb', 'de-de'] as const
const gone: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }),
}
/** Speakers are low tones; their translations are high tones that depend on the language. */
const voiceHz = (who: number) => 200 + 50 * who
const translatedHz = (who: number, into: string) =>
  1_000 + 250 * who + 50 * LANGUAGES.indexOf(into as (typeof LANGUAGES)[number])
const PEAK = 4_000
/** Levels of an original before any translation, and under one of this loudness, relative to the speaker's. */
const alone = (original: OriginalMix, who: number, peak = PEAK) =>
  original === 'off' ? 0 : gainBelow(original === 'duck' ? 10 : 20, voiceHz(who), peak)
const under = (original: OriginalMix, who: number, into: string) =>
  original === 'off' ? 0 : gainBelow(20, voiceHz(who), PEAK, toneLufs(translatedHz(who, into), 8_000))

async function room(count: number, original: OriginalMix) {
  r = await rooms()
  const legs = LANGUAGES.slice(0, count).map((language, n) =>
    r.live(`p${n}`, { speaks: language, hears: language, original }, `CA${n}`),
  )
  await r.run(1_000)
  return legs
}
const level = (leg: LiveLeg, hz: number, ms: number) => loudness(leg.lately(ms), hz, 16_000)
/** Answers the speech of `who` in all requested languages. */
const answer = (who: number, ms: number, id = '1') => {
  const from = LANGUAGES[who]!
  for (const { request, closed, live } of r.translator.connections)
    if (request.from === from && !closed && live)
      r.answer(from, request.to, translatedHz(who, request.to), ms, id)
}

describe.each([2, 3, 5])('%i people', count => {
  test.each(['off', 'low', 'duck'] as const)(
    'with original %s: each hears all others in their own language, over the original at that level',
    async original => {
      const legs = await room(count, original)
      for (let speaker = 0; speaker < count; speaker++) {
        r.say(`p${speaker}`, sine(voiceHz(speaker), 4_000, PEAK))
        await r.run(2_000)
        for (const [n, leg] of legs.entries()) {
          const direct = n !== speaker && sameLanguage(LANGUAGES[n]!, LANGUAGES[speaker]!)
          const wanted = n === speaker ? 0 : direct ? 1 : alone(original, speaker)
          expect(level(leg, voiceHz(speaker), 1_000) / PEAK).toBeCloseTo(wanted, 1)
        }
        answer(speaker, 1_500)
        await r.run(1_500)
        for (const [n, leg] of legs.entries()) {
          const direct = n !== speaker && sameLanguage(LANGUAGES[n]!, LANGUAGES[speaker]!)
          const wanted = n === speaker ? 0 : direct ? 1 : under(original, speaker, LANGUAGES[n]!)
          expect(level(leg, voiceHz(speaker), 800) / PEAK).toBeCloseTo(wanted, 1)
          for (const into of LANGUAGES) {
            const mine = n !== speaker && !direct && into === LANGUAGES[n]
            const heard = level(leg, translatedHz(speaker, into), 800)
            if (mine) expect(heard).toBeGreaterThan(6_500)
            else expect(heard).toBeLessThan(60)
          }
        }
        await r.run(3_000)
      }
    },
  )

  test('during an outage for one of them: play that original at full level and translate all others', async () => {
    const legs = await room(count, 'off')
    await r.run(2_000)
    r.translator.autoReady = false
    for (const c of r.translator.connections) if (c.request.from === 'en-us') c.drop(gone)
    r.say('p0', sine(voiceHz(0), 3_000, PEAK))
    r.say('p1', sine(voiceHz(1), 3_000, PEAK))
    await r.run(1_000)
    answer(1, 1_000)
    await r.run(1_000)
    for (const leg of legs.slice(1)) expect(level(leg, voiceHz(0), 800) / PEAK).toBeCloseTo(1, 1)
    expect(level(legs[0]!, translatedHz(1, 'en-us'), 800)).toBeGreaterThan(6_500)
    expect(level(legs[0]!, voiceHz(1), 800)).toBeLessThan(60)
    // It recovers automatically.
    r.translator.autoReady = true
    for (const c of r.translator.connections) if (!c.closed && !c.live) c.sink.ready()
    await r.run(2_000)
    r.say('p0', sine(voiceHz(0), 2_000, PEAK))
    await r.run(500)
    answer(0, 1_000, '2')
    await r.run(1_000)
    expect(level(legs[1]!, voiceHz(0), 500)).toBeLessThan(60)
    expect(level(legs[1]!, translatedHz(0, 'es-es'), 500)).toBeGreaterThan(6_500)
  })

  test('with a service delay of 10 s: hear complete translations, and the originals meanwhile', async () => {
    const legs = await room(count, 'duck')
    r.say('p0', sine(voiceHz(0), 12_000, PEAK))
    await r.run(10_000)
    for (const leg of legs.slice(1)) expect(level(leg, voiceHz(0), 5_000) / PEAK).toBeGreaterThan(0.3)
    answer(0, 2_000)
    await r.run(3_000)
    for (const [n, leg] of legs.entries())
      if (n > 0 && !sameLanguage(LANGUAGES[n]!, 'en-us'))
        expect(level(leg, translatedHz(0, LANGUAGES[n]!), 2_800)).toBeGreaterThan(4_500)
    expect(r.relay.metrics.utterancesDropped).toBe(0)
  })

  test('after one hangs up: hear their last words, and continue as before', async () => {
    const legs = await room(count, 'duck')
    r.say('p0', sine(voiceHz(0), 1_000, PEAK))
    await r.run(1_000)
    void legs[0]!.close({ kind: 'hangup', by: 'remote' })
    await r.run(500)
    answer(0, 1_000)
    await r.run(1_000)
    for (const [n, leg] of legs.entries())
      if (n > 0 && !sameLanguage(LANGUAGES[n]!, 'en-us'))
        expect(level(leg, translatedHz(0, LANGUAGES[n]!), 800)).toBeGreaterThan(6_000)
    await r.run(8_000)
    expect(r.relay.find('p0')).toBeUndefined()
    if (count < 3) return
    r.say('p1', sine(voiceHz(1), 2_000, PEAK))
    await r.run(1_000)
    expect(level(legs[2]!, voiceHz(1), 500) / PEAK).toBeCloseTo(alone('duck', 1), 1)
  })

  test('with one muted, one paused and one hearing a notice', async () => {
    const legs = await room(count, 'duck')
    for (let n = 0; n < count; n++) r.say(`p${n}`, sine(voiceHz(n), 20_000, PEAK / 2))
    r.relay.find('p0')?.change({ muted: true })
    r.relay.find('p1')?.change({ interpreting: false })
    await r.run(2_000)
    for (const [n, leg] of legs.entries())
      for (let speaker = 0; speaker < count; speaker++) {
        const foreign = !sameLanguage(LANGUAGES[n]!, LANGUAGES[speaker]!)
        const paused = n === 1 || speaker === 1
        const wanted =
          speaker === 0 || speaker === n ? 0 : foreign && !paused ? alone('duck', speaker, PEAK / 2) : 1
        expect(level(leg, voiceHz(speaker), 1_000) / (PEAK / 2)).toBeCloseTo(wanted, 1)
      }
    const last = legs.at(-1)!
    r.relay.find(last.id)?.announce({ name: 'notice', pcm: sine(3_000, 1_000, PEAK) })
    await r.run(900)
    expect(level(last, 3_000, 500) / PEAK).toBeCloseTo(1, 1)
    for (const leg of legs.slice(0, -1)) expect(level(leg, 3_000, 500)).toBeLessThan(60)
  })
})
