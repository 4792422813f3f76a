import { afterEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { changedState, initialState } from '../../../src/core/model/participant-state.ts'
import { routesOf } from '../../../src/core/room/routing.ts'
import { FailoverTranslator } from '../../../src/core/translation/failover-translator.ts'
import type { ConnectionSink } from '../../../src/core/translation/translator.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>> | undefined
afterEach(() => r?.relay.close())

const open = (translator: FakeTranslator) =>
  translator.connections.filter(c => !c.closed).map(({ request }) => `${request.to} ${request.voice ?? '-'}`)

describe('the voice that a participant selected', () => {
  test('is reset with another language, unless a new voice is given with it', () => {
    const state = initialState({ room: 'r', speaks: 'en-us', hears: 'es-es', voice: 'es-f' })
    expect(state.voice).toBe('es-f')
    expect(changedState(state, { hears: 'fr-fr' }).voice).toBeUndefined()
    expect(changedState(state, { hears: 'fr-fr', voice: 'fr-m' }).voice).toBe('fr-m')
    expect(changedState(state, { hears: 'es-es' })).toBe(state)
    expect(changedState(state, { voice: null }).voice).toBeUndefined()
    for (const voice of ['', 'a'.repeat(65), 'a\nb', '<b>'])
      expect(() => changedState(state, { voice })).toThrow('voice must be an id')
  })

  test('is requested from the service, in a separate session; others keep theirs, captions appear once', async () => {
    r = await rooms()
    const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es', voice: 'deep' })
    const eve = r.live('eve', { speaks: 'es-es', hears: 'es-es' })
    await r.run(100)
    expect(open(r.translator).sort()).toEqual(['en-us -', 'en-us -', 'es-es -', 'es-es deep'])
    r.say('anna', sine(200, 1_000, 6_000))
    await r.run(1_000)
    for (const [voice, hz] of [
      ['deep', 400],
      [undefined, 900],
    ] as const) {
      const { sink } = r.translator.connections.find(
        ({ request }) => request.to === 'es-es' && request.voice === voice,
      )!
      sink.result({
        utterance: '1',
        final: true,
        text: 'hello',
        translation: 'hola',
        audio: r.maker.tone(hz, 800),
      })
      sink.endOfSpeech('1')
    }
    await r.run(1_500)
    const level = (leg: typeof bob, hz: number) => loudness(leg.lately(1_500), hz, 16_000)
    expect(level(bob, 400)).toBeGreaterThan(10 * level(bob, 900))
    expect(level(eve, 900)).toBeGreaterThan(10 * level(eve, 400))
    expect(level(anna, 400) + level(anna, 900)).toBeLessThan(100)
    expect(r.captions.map(({ translation }) => translation)).toEqual(['hola'])
  })

  test('can change during a call: current speech is played to the end', async () => {
    r = await rooms()
    r.live('anna', { speaks: 'en-us', hears: 'en-us' })
    const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
    await r.run(100)
    r.say('anna', sine(200, 3_000, 6_000))
    await r.run(500)
    r.answer('en-us', 'es-es', 400, 1_000)
    await r.run(300)
    r.relay.find('bob')!.change({ voice: 'deep' })
    await r.run(700)
    expect(loudness(bob.lately(600), 400, 16_000)).toBeGreaterThan(1_000)
    expect(open(r.translator)).toContain('es-es deep')
    r.answer('en-us', 'es-es', 900, 1_000)
    await r.run(1_500)
    expect(loudness(bob.lately(1_300), 900, 16_000)).toBeGreaterThan(1_000)
    expect(r.captions).toHaveLength(2)
  })

  test('costs readers no session', () => {
    const state = { speaks: 'es-es', hears: 'es-es', interpreting: true } as const
    const routes = routesOf([
      { id: 'anna', echo: true, state: { speaks: 'en-us', hears: 'en-us', interpreting: true } },
      { id: 'bob', echo: true, state: { ...state, voice: 'deep' } },
      { id: 'reader', echo: true, receives: 'captions', state },
    ])
    expect(routes.find(({ listener }) => listener === 'reader')).toMatchObject({ to: 'es-es', voice: 'deep' })
  })

  test('is not requested from a fallback, which has other voices', async () => {
    const first = new FakeTranslator()
    const second = new FakeTranslator()
    first.refuse = { kind: 'hangup', by: 'remote' }
    const clock = new FakeClock()
    const gate = new FailoverTranslator([first, second], { clock, random: () => 0.5 })
    const sink: ConnectionSink = {
      ready() {},
      acked() {},
      result() {},
      endOfSpeech() {},
      fault() {},
      ended() {},
    }
    gate.open({ from: 'en-us', to: 'es-es', want: 'speech', voice: 'deep' }, sink)
    for (let n = 0; n < 100 && second.connections.length === 0; n++) {
      clock.advance(100)
      await Promise.resolve()
    }
    expect(first.connections[0]?.request.voice).toBe('deep')
    expect(second.connections[0]?.request).toEqual({ from: 'en-us', to: 'es-es', want: 'speech' })
    await gate.close()
  })
})
