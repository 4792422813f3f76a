import { afterEach, describe, expect, test } from 'vitest'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

const ANNA = 200

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

async function couple() {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(1_000)
  return { a: r.relay.find('anna')!, b: r.relay.find('bob')! }
}

describe('the speech intervals of texts', () => {
  const finals = () =>
    r.captions
      .filter(({ final }) => final)
      .map(({ from, to, spoken }) => ({ pair: `${from} ${to}`, ...spoken }))

  test('of a sentence cut by a change of language: each part belongs to its language', async () => {
    const { a } = await couple()
    r.say('anna', sine(ANNA, 800, 6_000))
    await r.run(2_000)
    r.answer('en-us', 'es-es', 400, 200, '1')
    // From 3 s on she talks for 4 s, and changes her language in the middle.
    r.say('anna', sine(ANNA, 4_000, 6_000))
    await r.run(2_000)
    a.change({ speaks: 'de-de', hears: 'de-de' })
    await r.run(700)
    r.answer('en-us', 'es-es', 450, 200, '2')
    await r.run(1_800)
    r.answer('de-de', 'es-es', 500, 200, '1')
    await r.run(200)
    expect(finals()).toEqual([
      { pair: 'en-us es-es', fromMs: expect.closeTo(2_000, -2), toMs: expect.closeTo(2_800, -2) },
      { pair: 'en-us es-es', fromMs: expect.closeTo(4_000, -2), toMs: expect.closeTo(6_000, -2) },
      { pair: 'de-de es-es', fromMs: expect.closeTo(6_000, -2), toMs: expect.closeTo(8_000, -2) },
    ])
  })

  test('of a sentence before the cut whose text is late', async () => {
    const { a } = await couple()
    r.say('anna', sine(ANNA, 800, 6_000))
    await r.run(1_500)
    r.say('anna', sine(ANNA, 3_000, 6_000))
    await r.run(1_000)
    a.change({ speaks: 'de-de', hears: 'de-de' })
    await r.run(300)
    r.answer('en-us', 'es-es', 400, 200, '1')
    await r.run(500)
    r.answer('en-us', 'es-es', 450, 200, '2')
    await r.run(100)
    expect(finals()).toEqual([
      { pair: 'en-us es-es', fromMs: expect.closeTo(2_000, -2), toMs: expect.closeTo(2_800, -2) },
      { pair: 'en-us es-es', fromMs: expect.closeTo(3_500, -2), toMs: expect.closeTo(4_500, -2) },
    ])
  })

  test('of a language requested again before its session was closed continue', async () => {
    const { b } = await couple()
    r.say('anna', sine(ANNA, 3_000, 6_000))
    await r.run(1_000)
    b.change({ hears: 'fr-fr' })
    await r.run(500)
    b.change({ hears: 'es-es' })
    await r.run(2_000)
    r.answer('en-us', 'es-es', 400, 200, '1')
    await r.run(100)
    expect(finals()).toEqual([
      { pair: 'en-us es-es', fromMs: expect.closeTo(2_000, -2), toMs: expect.closeTo(5_000, -2) },
    ])
  })
})
