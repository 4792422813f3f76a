import { afterEach, describe, expect, test } from 'vitest'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { ReceptionEvent } from '../../../src/core/model/events.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import type { Participant } from '../../../src/core/room/participant.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const ENGLISH = { speaks: 'en-us', hears: 'en-us', name: 'Anna' } as const
const SPANISH = { speaks: 'es-es', hears: 'es-es' } as const
const lost: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }),
}
const unreachable: EndReason = {
  kind: 'failed',
  error: new BridgeError('SERVICE_UNREACHABLE', 'nobody there', { retryable: true }),
}

/** What `listener` gets from Anna: `unavailable refused (missed)`. */
function given(listener: string): string | undefined {
  const found = r.relay.rooms
    .get('r')
    ?.receptionsOf(listener)
    .find(({ speaker }) => speaker === 'anna')
  return found && [found.gets, found.why, found.missed && '(missed)'].filter(Boolean).join(' ')
}

const party = (id: string): Participant => r.relay.find(id)!

const CASES: readonly [string, Partial<Invitation>, (() => void | Promise<void>)[], string | undefined][] = [
  ['another language', SPANISH, [], 'translated'],
  ['the same language', ENGLISH, [], 'original same-language'],
  ['no language chosen', { speaks: 'es-es' }, [], 'original originals-wanted'],
  ['the speaker is muted', SPANISH, [() => void party('anna').change({ muted: true })], 'nothing muted'],
  [
    'interpretation is off',
    SPANISH,
    [() => void party('bob').change({ interpreting: false })],
    'original interpreting-off',
  ],
  ['in the same place', { ...ENGLISH, sharedSpace: 'desk' }, [], 'nothing in-person'],
  ['in the same place, another language', { ...SPANISH, sharedSpace: 'desk' }, [], 'translated'],
  ['a reader', { hears: 'es-es', receives: 'captions' }, [], 'translated'],
  ['a reader of the same language', { hears: 'en-us', receives: 'captions' }, [], 'original same-language'],
  ['no listener', { receives: 'none' }, [], undefined],
  [
    'the connection is lost while others work',
    SPANISH,
    [
      () => {
        r.translator.autoReady = false
        r.connection('en-us', 'es-es').drop(lost)
      },
    ],
    'unavailable no-connection (missed)',
  ],
  [
    'the service does not respond, and a reader of the same language lacks the text as well',
    { hears: 'en-us', receives: 'captions' },
    [
      () => {
        r.translator.refuse = unreachable
        for (const each of r.translator.connections) each.drop(lost)
      },
      () => r.run(10_000),
    ],
    'unavailable service-unavailable (missed)',
  ],
  [
    'the service sends text without a voice',
    SPANISH,
    [
      () => {
        const { sink } = r.connection('en-us', 'es-es')
        sink.result({ utterance: '1', final: true, text: 'hello', translation: 'hola' })
        sink.endOfSpeech('1')
      },
    ],
    'unavailable no-voice (missed)',
  ],
  [
    'a replacement engine translates',
    SPANISH,
    [
      () =>
        r.connection('en-us', 'es-es').sink.result({
          ...{ utterance: '1', final: true, text: 'hello', translation: 'hola' },
          audio: r.maker.tone(1_000, 200),
          standIns: { transcription: 'offline' },
        }),
    ],
    'stand-in replacement-engine',
  ],
]

describe('what a listener gets from a speaker, and why', () => {
  test.each(CASES)('%s', async (_, invitation, steps, expected) => {
    r = await rooms()
    r.join('anna', { ...ENGLISH, sharedSpace: 'desk' })
    r.join('bob', invitation)
    // Somebody else whose translation keeps the service busy.
    r.join('carla', { speaks: 'de-de', hears: 'de-de' })
    r.say('anna', sine(440, 20_000))
    await r.run(500)
    for (const step of steps) {
      await step()
      await r.run(500)
    }
    expect(given('bob')).toBe(expected)
  })

  test('a fallback service is a stand-in, before and after it is used', async () => {
    const fallback = new FakeTranslator()
    r = await rooms({}, { awake: false, fallbacks: [fallback] })
    r.translator.refuse = unreachable
    r.join('anna', ENGLISH)
    r.join('bob', SPANISH)
    r.say('anna', sine(440, 3_000))
    await r.run(3_000)
    expect(fallback.connections.some(({ closed }) => !closed)).toBe(true)
    expect(given('bob')).toBe('stand-in fallback-service')
    // Nobody has spoken in this direction.
    expect(r.relay.receptions).toMatchObject({ 'stand-in': 2, unavailable: 0 })
    fallback.refuse = unreachable
    fallback.last.drop(lost)
    await r.run(5_000)
    expect(r.relay.receptions).toMatchObject({ 'stand-in': 0, unavailable: 2 })
  })
})

test('each change is reported once, with the time for which the speaker was missed', async () => {
  const service = new FakeTranslator()
  r = await rooms({}, { awake: false, translator: service })
  const events: ReceptionEvent[] = []
  r.relay.observer.on('reception', event => events.push(event))
  const told = () =>
    events
      .splice(0)
      .map(({ speaker, listener, gets, why = '', missed, missedMs, over }) =>
        [speaker, listener, gets, why, missed && 'missed', missedMs > 0 && 'again', over && 'over']
          .filter(Boolean)
          .join(' '),
      )
  r.join('anna', ENGLISH)
  expect(told()).toEqual([])
  r.join('bob', SPANISH)
  expect(told()).toEqual(['anna bob translated', 'bob anna translated'])
  r.say('anna', sine(440, 2_000))
  await r.run(3_000)
  expect(told()).toEqual([])
  service.refuse = unreachable
  r.connection('en-us', 'es-es').drop(lost)
  await r.run(3_000)
  // Anna has not spoken since, so Bob misses nothing.
  expect(told()).toEqual([
    'anna bob unavailable no-connection',
    'anna bob unavailable service-unavailable',
    'bob anna unavailable service-unavailable',
  ])
  r.say('anna', sine(440, 1_000))
  await r.run(2_000)
  expect(told()).toEqual(['anna bob unavailable service-unavailable missed'])
  service.refuse = undefined
  await r.run(10_000)
  const back = events.find(({ missedMs }) => missedMs > 0)
  expect(told()).toEqual(expect.arrayContaining(['anna bob translated again', 'bob anna translated']))
  expect(back?.missedMs).toBeGreaterThan(1_500)
  await r.legs.get('bob')!.close({ kind: 'hangup', by: 'remote' })
  await r.run(100)
  expect(told()).toEqual(expect.arrayContaining(['anna bob translated over', 'bob anna translated over']))
})
