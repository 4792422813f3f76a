import { afterEach, expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

/** The output to an audience of 50. */
class AudienceLeg extends FakeLeg {
  readonly listeners = 50
}

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

/** Ana speaks English, alone in the room, to audiences of these languages. */
async function lecture(...languages: string[]) {
  r = await rooms({}, { awake: false })
  const events: string[] = []
  r.relay.observer.on('room', ({ state }) => events.push(state))
  for (const kind of ['admitted', 'left'] as const)
    r.relay.observer.on(kind, ({ participant }) => events.push(`${kind} ${participant}`))
  const ana = r.join('ana', { speaks: 'en-us', hears: 'es-es' })
  const audiences = languages.map(hears => {
    const leg = new AudienceLeg(hears)
    r.relay.admit(leg, { room: 'r', hears })
    return leg
  })
  return { ana, audiences, events, room: r.relay.rooms.get('r')! }
}

/** The languages of open sessions. */
const targets = () => r.translator.connections.flatMap(({ closed, request: { to } }) => (closed ? [] : [to]))
const isLoud = (leg: FakeLeg, hz: number, atLeast = 500) => loudness(leg.heard(), hz, 16_000) > atLeast

test('audiences are no participants; each language costs a session once the participant speaks', async () => {
  const { ana, audiences, events, room } = await lecture('es-es', 'de-de', 'fr-fr', 'en-gb')
  expect([...room.participants.keys()]).toEqual(['ana'])
  expect(room.audiences.map(({ language, listeners }) => `${language} ${listeners}`)).toEqual([
    'es-es 50',
    'de-de 50',
    'fr-fr 50',
    'en-gb 50',
  ])
  await r.run(1_000)
  expect(targets()).toEqual([])
  r.say('ana', sine(300, 1_000))
  await r.run(1_000)
  expect(targets()).toEqual(['es-es', 'de-de', 'fr-fr'])
  r.answer('en-us', 'de-de', 900, 600)
  await r.run(1_000)
  expect(audiences.map(leg => isLoud(leg, 900))).toEqual([false, true, false, false])
  expect(audiences.map(leg => isLoud(leg, 300))).toEqual([true, true, true, true])
  // With an audience, a participant who is alone does not hear their own translation.
  expect(ana.heard().some(sample => sample !== 0)).toBe(false)
  expect(events).toEqual(['opened', 'admitted ana'])
})

test('an audience that understands the speaker reads a transcript', async () => {
  const { audiences, room } = await lecture('en-gb')
  r.say('ana', sine(300, 1_000))
  await r.run(1_000)
  expect(r.translator.connections.map(({ request: { to, want } }) => [to, want])).toEqual([
    ['en-us', 'captions'],
  ])
  r.connection('en-us', 'en-us').sink.result({ utterance: '1', final: true, text: 'hello' })
  expect(r.captions.map(({ text }) => text)).toEqual(['hello'])
  expect(isLoud(audiences[0]!, 300, 2_000)).toBe(true)
  expect(room.receptions).toMatchObject([
    { speaker: 'ana', listener: 'en-gb', gets: 'original', why: 'same-language' },
  ])
})

test('a session ends with its audience', async () => {
  const { audiences, room } = await lecture('de-de', 'fr-fr')
  r.say('ana', sine(300, 1_000))
  await r.run(1_000)
  await audiences[0]!.close({ kind: 'unused' })
  await r.run(100)
  expect([room.sessions, room.audiences.length, room.over]).toEqual([1, 1, false])
})

test('the last words of the last participant reach the audience; then the room ends', async () => {
  const { ana, audiences, events } = await lecture('de-de')
  r.say('ana', sine(300, 1_000))
  await r.run(1_000)
  void ana.close({ kind: 'hangup', by: 'remote' })
  await r.run(500)
  expect(r.relay.rooms.has('r')).toBe(true)
  r.answer('en-us', 'de-de', 900, 3_000)
  await r.run(3_500)
  expect(isLoud(audiences[0]!, 900)).toBe(true)
  await r.run(10_000)
  expect([r.relay.rooms.has('r'), audiences[0]!.over, r.connection('en-us', 'de-de').closed]).toEqual([
    false,
    true,
    true,
  ])
  expect(events).toEqual(['opened', 'admitted ana', 'left ana', 'closed'])
})

test('no audience opens a room, or stays in one where nobody spoke', async () => {
  const { ana, audiences } = await lecture('de-de')
  const early = new AudienceLeg('early')
  expect(() => r.relay.admit(early, { room: 'empty', hears: 'de-de' })).toThrow('not open')
  expect(r.relay.legs).toBe(2)
  void ana.close({ kind: 'hangup', by: 'remote' })
  await r.run(100)
  expect([r.relay.rooms.size, audiences[0]!.over]).toEqual([0, true])
})
