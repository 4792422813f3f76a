import { afterEach, describe, expect, test } from 'vitest'
import { rooms } from '../helpers/rooms.ts'
import { sine } from '../helpers/tone.ts'

type Rooms = Awaited<ReturnType<typeof rooms>>
let r: Rooms
afterEach(() => r.relay.close())

describe('one who leaves', () => {
  async function couple() {
    r = await rooms()
    const anna = r.join('anna', { speaks: 'en-us', hears: 'en-us', original: 'off' })
    const bob = r.join('bob', { speaks: 'es-es', hears: 'es-es', original: 'off' })
    await r.run(100)
    return { anna, bob }
  }

  test('a long translation of one who hung up is heard to its end', async () => {
    const { anna, bob } = await couple()
    r.say('anna', sine(440, 600))
    await r.run(700)
    void anna.close({ kind: 'hangup', by: 'remote' })
    await r.run(200)
    r.answer('en-us', 'es-es', 1_800, 10_000)
    await r.run(11_000)
    expect(bob.heard().length / 16).toBeGreaterThanOrEqual(10_000)
    expect(r.utterances.map(e => e.stage)).not.toContain('dropped')
    await r.run(7_000)
    expect(r.connection('en-us', 'es-es').closed).toBe(true)
  })

  test('a voice without an end does not keep the session of one who hung up for ever', async () => {
    const { anna } = await couple()
    await r.run(100)
    void anna.close({ kind: 'hangup', by: 'remote' })
    await r.run(100)
    const { sink } = r.connection('en-us', 'es-es')
    for (let n = 0; n < 20; n++) {
      sink.result({ utterance: '1', final: true, audio: r.maker.tone(1_800, 8_000) })
      await r.run(4_000)
    }
    expect(r.connection('en-us', 'es-es').closed).toBe(true)
  })

  test('utterances have names of their own, also when a pair of languages comes back', async () => {
    r = await rooms()
    r.join('anna', { speaks: 'en-us', hears: 'en-us' })
    for (const listener of ['bob', 'carl']) {
      const leg = r.join(listener, { hears: 'es-es' })
      await r.run(100)
      r.answer('en-us', 'es-es', 1_800, 200)
      await r.run(500)
      await leg.close({ kind: 'hangup', by: 'remote' })
      await r.run(100)
    }
    expect(r.captions).toHaveLength(2)
    expect(new Set(r.captions.map(caption => caption.utterance)).size).toBe(2)
  })
})

describe('the relay', () => {
  test('counts a voice that runs dry, and an original that is left out', async () => {
    r = await rooms()
    r.join('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.join('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(100)
    const { sink } = r.connection('en-us', 'es-es')
    sink.result({ utterance: '1', final: true, text: 'x', audio: r.maker.tone(1_800, 400) })
    await r.run(1_500)
    expect(r.relay.metrics.starved).toBe(1)
    // Nobody reads at bob's end for a while: originals go by.
    bob.congested = true
    await r.run(100)
    bob.congested = false
    const before = r.relay.metrics.originalFramesDropped
    for (let n = 0; n < 40; n++) r.legs.get('anna')?.uplink?.write(sine(440, 20))
    expect(r.relay.metrics.originalFramesDropped).toBeGreaterThan(before)
  })

  test('counts lost speech while the service is still away', async () => {
    r = await rooms({ replayMs: 1_000 })
    r.translator.autoReady = false
    r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    r.say('anna', sine(440, 5_000))
    await r.run(5_000)
    expect(r.relay.metrics.lostMs).toBeGreaterThan(2_000)
    const counted = r.relay.metrics.lostMs
    r.legs.get('anna')?.close({ kind: 'hangup', by: 'remote' })
    await r.run(100)
    expect(r.relay.metrics.lostMs).toBeGreaterThanOrEqual(counted)
    expect(r.relay.metrics.lostMs).toBeLessThanOrEqual(4_100)
  })
})
