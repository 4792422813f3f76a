import { afterEach, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { loudness } from '../../../src/transcode/level.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const level = (leg: LiveLeg, hz: number, ms: number) => loudness(leg.lately(ms), hz, 16_000)
const lounge = { sharedSpace: 'lounge' } as const

/** A voice channel with two speakers, one output, and a phone elsewhere. */
async function channel() {
  r = await rooms()
  const only = { ...lounge, receives: 'none' } as const
  const ana = r.live('ana', { ...only, speaks: 'es-es' })
  const bob = r.live('bob', { ...only, speaks: 'en-us' })
  const ear = r.live('ear', { ...lounge, hears: 'en-us' })
  const phone = r.live('phone', { speaks: 'fr-fr', hears: 'en-us' })
  await r.run(1_000)
  return { ana, bob, ear, phone }
}

test('an output of a place plays translations of its members, never their originals; others as usual', async () => {
  const { ana, bob, ear, phone } = await channel()
  r.say('ana', sine(300, 4_000, 4_000))
  r.say('bob', sine(450, 4_000, 4_000))
  await r.run(1_500)
  expect(level(ear, 300, 800)).toBeLessThan(5)
  expect(level(ear, 450, 800)).toBeLessThan(5)
  expect(level(phone, 450, 800)).toBeGreaterThan(3_500)
  expect(level(phone, 300, 800)).toBeGreaterThan(500)
  r.answer('es-es', 'en-us', 1_200, 1_500)
  await r.run(1_000)
  expect(level(ear, 1_200, 500)).toBeGreaterThan(6_500)
  expect(level(ear, 300, 500)).toBeLessThan(5)
  expect(level(phone, 1_200, 500)).toBeGreaterThan(6_500)
  r.say('phone', sine(600, 4_000, 4_000))
  await r.run(2_000)
  expect(level(ear, 600, 800)).toBeGreaterThan(500)
  for (const leg of [ana, bob]) expect(leg.lately(6_000).every(sample => sample === 0)).toBe(true)
})

test('while the service is unavailable, an output of the place still plays no member twice', async () => {
  const { ear, phone } = await channel()
  const error = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })
  r.translator.refuse = { kind: 'failed', error }
  for (const connection of r.translator.connections) connection.drop({ kind: 'failed', error })
  r.say('ana', sine(300, 4_000, 4_000))
  await r.run(2_000)
  expect(level(ear, 300, 800)).toBeLessThan(5)
  expect(level(phone, 300, 800)).toBeGreaterThan(3_500)
})

test.each([
  ['no output understands', 'fr-fr'],
  ['the first output understands', 'en-us'],
  ['the second output understands', 'es-es'],
])(
  'while the service is unavailable, one output of a place plays the original of a speaker %s',
  async (_whom, speaks) => {
    r = await rooms()
    const legs = ['en-us', 'es-es'].map(hears =>
      r.live(`ear ${hears}`, { ...lounge, hears, original: 'off' }),
    )
    r.live('bob', { ...lounge, receives: 'none', speaks: 'de-de' })
    r.live('phone', { speaks, hears: 'de-de' })
    await r.run(1_000)
    const error = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })
    r.translator.refuse = { kind: 'failed', error }
    for (const connection of r.translator.connections) connection.drop({ kind: 'failed', error })
    r.say('phone', sine(600, 4_000, 4_000))
    await r.run(2_000)
    const levels = legs.map(leg => level(leg, 600, 800)).toSorted((a, b) => a - b)
    expect(levels[0]).toBeLessThan(5)
    expect(levels[1]).toBeGreaterThan(3_500)
  },
)

test('when only one of two languages is unavailable, its output plays the original', async () => {
  r = await rooms()
  const english = r.live('ear en', { ...lounge, hears: 'en-us', original: 'off' })
  const spanish = r.live('ear es', { ...lounge, hears: 'es-es', original: 'off' })
  r.live('phone', { speaks: 'fr-fr', hears: 'en-us' })
  await r.run(1_000)
  const error = new BridgeError('SERVICE_LOST', 'gone', { retryable: true })
  r.translator.refuse = { kind: 'failed', error }
  r.connection('fr-fr', 'es-es').drop({ kind: 'failed', error })
  r.say('phone', sine(600, 4_000, 4_000))
  await r.run(2_000)
  expect(level(spanish, 600, 800)).toBeGreaterThan(3_500)
  expect(level(english, 600, 800)).toBeLessThan(5)
  // The other language fails as well, and only the first output plays the original.
  r.connection('fr-fr', 'en-us').drop({ kind: 'failed', error })
  r.say('phone', sine(600, 4_000, 4_000))
  await r.run(2_000)
  expect([level(english, 600, 800) > 3_500, level(spanish, 600, 800) < 5]).toEqual([true, true])
})

test('a reader receives captions and no audio, including the last words of a leaving speaker', async () => {
  r = await rooms()
  const ana = r.live('ana', { ...lounge, receives: 'none', speaks: 'es-es' })
  const reader = r.live('reader', { ...lounge, receives: 'captions', hears: 'en-us' })
  r.say('ana', sine(300, 2_000, 4_000))
  await r.run(2_000)
  r.answer('es-es', 'en-us', 1_200, 1_000)
  await r.run(2_000)
  expect(r.captions).toMatchObject([{ speaker: 'ana', from: 'es-es', to: 'en-us', translation: 'en-us 1' }])
  expect(reader.lately(4_000).every(sample => sample === 0)).toBe(true)
  await ana.close({ kind: 'hangup', by: 'remote' })
  await r.run(500)
  r.answer('es-es', 'en-us', 1_200, 1_000, '2')
  await r.run(20_000)
  expect(r.captions.at(-1)).toMatchObject({ translation: 'en-us 2' })
  expect(r.translator.connections.every(({ closed }) => closed)).toBe(true)
})

test('untranslated speech is transcribed for a reader until a listener needs a translation', async () => {
  r = await rooms()
  r.live('bob', { ...lounge, receives: 'none', speaks: 'en-us' })
  r.live('reader', { ...lounge, receives: 'captions', hears: 'en-gb' })
  await r.run(500)
  expect(r.translator.connections.map(({ request }) => request)).toEqual([
    { from: 'en-us', to: 'en-us', want: 'captions' },
  ])
  r.live('other', { ...lounge, receives: 'captions', hears: 'es-es' })
  await r.run(30_000)
  expect(r.translator.connections.map(({ request, closed }) => [request.to, request.want, closed])).toEqual([
    ['en-us', 'captions', true],
    ['es-es', 'speech', false],
  ])
})

test('unused sessions free their slots at once when languages change; others end after the last words', async () => {
  r = await rooms()
  r.live('ana', { ...lounge, receives: 'none', speaks: 'es-es' })
  r.live('bob', { ...lounge, receives: 'none', speaks: 'en-us' })
  r.live('reader', { ...lounge, receives: 'captions', hears: 'fr-fr' })
  r.say('ana', sine(300, 300, 4_000))
  await r.run(500)
  r.relay.find('ana')?.change({ speaks: 'pt-br' })
  r.relay.find('bob')?.change({ speaks: 'de-de' })
  await r.run(100)
  const open = () => r.translator.connections.flatMap(({ closed, request }) => (closed ? [] : request.from))
  expect(open().sort()).toEqual(['de-de', 'es-es', 'pt-br'])
  await r.run(10_000)
  expect(open().sort()).toEqual(['de-de', 'pt-br'])
})
