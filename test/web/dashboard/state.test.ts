import { expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type { LanguageId } from '../../../src/common/language.ts'
import type { ParticipantChange } from '../../../src/core/model/participant-state.ts'
import { sine } from '../../support/transcode/tone.ts'
import { START, watched } from '../../support/web/dashboard-harness.ts'

const ENGLISH = { speaks: 'en-us', hears: 'en-us' } as const
const SPANISH = { speaks: 'es-es', hears: 'es-es' } as const

test('who hears a translation, the original or nothing of whom, and why', async () => {
  const world = await watched()
  const { join, run, hearing, party } = world
  join('anna', { ...ENGLISH, name: 'Anna' })
  join('bob', { ...ENGLISH, name: 'Bob' })
  join('luz', { ...SPANISH, name: 'Luz' })
  join('mute', { hears: 'en-us', name: 'Listener' })
  await run(500)
  expect(hearing('anna')).toEqual([
    'translation of Luz: translating',
    'original of Bob: same language',
    'silence of Listener: only listens',
  ])
  expect(hearing('luz')).toEqual([
    'translation of Anna,Bob: translating',
    'silence of Listener: only listens',
  ])
  party('bob').change({ muted: true })
  party('anna').change({ interpreting: false })
  await run(100)
  expect(hearing('luz')).toEqual([
    'original of Anna: interpretation is off',
    'silence of Bob: muted',
    'silence of Listener: only listens',
  ])
  party('anna').change({ interpreting: true, hears: null })
  await run(100)
  expect(hearing('anna')).toContain('original of Luz: wants originals')
})

test('one alone hears their own voice translated, and readers read captions', async () => {
  const { join, run, hearing } = await watched()
  join('alone', { room: 'a', speaks: 'en-us', hears: 'es-es' })
  join('anna', ENGLISH)
  join('reader', { speaks: 'es-es', hears: 'es-es', receives: 'captions' })
  join('deaf', { receives: 'none' })
  await run(500)
  expect(hearing('alone')).toEqual(['translation of alone: translating'])
  expect(hearing('reader')).toEqual(['captions of anna: translating', 'silence of deaf: only listens'])
  expect(hearing('deaf')).toEqual(['silence of anna,reader: receives nothing'])
})

test('an audience is no participant: it is counted by language, and named when it lacks a translation', async () => {
  const world = await watched()
  world.join('anna', { ...ENGLISH, name: 'Anna' })
  const leg = Object.assign(new FakeLeg('browser-audience-1'), { listeners: 12 })
  world.relay.admit(leg, { room: 'r', hears: 'de-de' })
  world.translator.refuse = {
    kind: 'failed',
    error: new BridgeError('SERVICE_UNREACHABLE', 'nobody there', { retryable: true }),
  }
  world.say('anna', sine(440, 4_000))
  await world.run(3_000)
  const { rooms, events } = world.state()
  expect(rooms[0]).toMatchObject({
    listeners: [{ language: 'de-de', listeners: 12 }],
    participants: [{ name: 'Anna' }],
  })
  expect(events.filter(({ bad }) => bad).map(({ who }) => who)).toContain('Listeners in German (Germany)')
})

test('during an outage: who lacks whom, the reason, and the problem with its fix', async () => {
  const world = await watched()
  world.join('anna', { ...ENGLISH, name: 'Anna' })
  world.join('luz', { hears: 'es-es', name: 'Luz' })
  world.join('carla', { hears: 'de-de', name: 'Carla' })
  world.say('anna', sine(440, 4_000))
  await world.run(1_000)
  world.translator.refuse = {
    kind: 'failed',
    error: new BridgeError('SERVICE_REFUSED', 'limit/minutes_used_up', { retryable: true }),
  }
  world.connection('en-us', 'de-de').drop(world.translator.refuse)
  await world.run(3_000)
  expect(world.hearing('carla')[0]).toBe('original of Anna: no connection to the service!')
  expect(world.hearing('luz')[0]).toBe('translation of Anna: translating')
  const { health, problems, events } = world.state()
  expect(health.listeners).toEqual({ needing: 2, lacking: 1, replaced: 0, why: ['no-connection'] })
  expect(problems[0]).toMatchObject({
    title: '1 of 2 listeners get no translation.',
    effect: 'They hear the original voice of Anna.',
  })
  expect(events.map(({ who, text }) => `${who} ${text}`)).toContain(
    'Carla lacks a translation into German (Germany), hears original: no connection to the service',
  )
  // A refusal is final.
  const refusal = new BridgeError('SERVICE_REFUSED', 'the service reports bad_parameter')
  world.translator.refuse = { kind: 'failed', error: refusal }
  world.join('dora', { hears: 'fr-fr' })
  world.say('anna', sine(440, 2_000))
  await world.run(2_000)
  expect(world.hearing('dora')[0]).toBe('original of Anna: the service refuses it!')
  // Known to be away: also those who have not spoken yet lack their translation.
  const gone = new BridgeError('SERVICE_UNREACHABLE', 'gone', { retryable: true })
  world.translator.refuse = { kind: 'failed', error: gone }
  world.connection('en-us', 'es-es').drop(world.translator.refuse)
  world.say('anna', sine(440, 2_000))
  await world.run(2_000)
  world.join('eve', { room: 'other', ...ENGLISH })
  world.join('fay', { room: 'other', ...SPANISH })
  expect(world.hearing('fay')).toEqual(['original of eve: the service is unavailable!'])
  expect(world.state().problems[0]).toMatchObject({ title: 'Translation service unavailable.' })
})

test('an embedded engine that is missing is shown with its replacement, also if it never started', async () => {
  const world = await watched()
  const requests = { ok: 7, failed: 2, over_budget: 1 }
  const absent = { kind: 'synthesis', engine: 'piper', instead: 'espeak', why: 'failed' }
  world.sources.embedded = () => ({
    running: true,
    restarts: 0,
    figures: {
      engines: [{ kind: 'synthesis', engine: 'espeak', requests }],
      standIns: [absent],
      missing: [{ reason: 'deepl: has no API key' }],
    },
  })
  const { health, problems } = world.state()
  expect(health.embedded?.engines).toEqual([
    { ...absent, requests: 0, failed: 0 },
    { kind: 'synthesis', engine: 'espeak', requests: 10, failed: 2, instead: null, why: null },
  ])
  expect(problems.map(({ title }) => title)).toEqual([
    'Not available: deepl: has no API key.',
    'Engines are replaced: espeak instead of piper.',
  ])
})

test('latency of the last five minutes by stage, and the lag and lost audio of a participant', async () => {
  const world = await watched()
  world.live('anna', { speaks: 'en-us', hears: 'es-es' })
  expect(world.state().health.latency).toBeNull()
  await world.run(500)
  world.say('anna', sine(440, 1_000))
  await world.run(2_000)
  for (const id of ['1', '2', '3']) world.answer('en-us', 'es-es', 900, 3_000, id)
  await world.run(1_000)
  const { latency } = world.state().health
  // Speech ended a second before the results arrived.
  expect(latency).toMatchObject({
    utterances: 1,
    p50Ms: expect.any(Number),
    stages: { bridgeMs: expect.any(Number) },
  })
  expect(latency!.p50Ms).toBeGreaterThan(900)
  expect(latency!.p90Ms).toBeLessThan(1_300)
  // Three results of 3 s arrive at once: the last is heard six seconds late, minus the time saved by catching up.
  expect(world.view('anna')!.lagMs).toBeGreaterThan(2_000)
  expect(world.view('anna')).toMatchObject({ since: START + 1_000, lostMs: { line: 0 }, reconnections: 0 })
  world.clock.advance(300_000)
  expect(world.state().health.latency?.utterances ?? 0).toBeLessThan(3)
})

test('the median time from a word to its translation in the last five minutes', async () => {
  const world = await watched()
  expect(world.state().health.earVoiceMs).toBeNull()
  for (const spanMs of [1_500, 9_000, 2_400])
    world.relay.observer.emit('earVoice', { room: 'r', speaker: 'anna', listener: 'luz', spanMs })
  expect(world.state().health.earVoiceMs).toBe(2_400)
  world.clock.advance(301_000)
  expect(world.state().health.earVoiceMs).toBeNull()
})

test('events are bounded, in words without keys, and name people also after they left', async () => {
  const world = await watched()
  world.phones.set('CA1', { call: 'simulated-1', phone: 1 })
  world.live('phone', ENGLISH, 'CA1')
  world.join('anna', { ...ENGLISH, name: 'Anna' })
  world.join('twilio-a-12', ENGLISH)
  await world.run(1_000)
  expect(world.state().rooms[0]!.participants.map(({ name }) => name)).toEqual([
    'Simulated phone 2',
    'Anna',
    'Phone 12',
  ])
  const words = (change: ParticipantChange) => {
    world.party('anna').change(change)
    return world.state().events.at(-1)?.text
  }
  expect(words({ hears: 'fr-fr' as LanguageId })).toBe('hears French (France)')
  expect(words({ original: 'off' })).toBe('original voices: off')
  expect(words({ muted: true, interpreting: false })).toBe('muted, interpretation off')
  await world.legs.get('phone')!.close({ kind: 'hangup', by: 'remote' })
  await world.run(20)
  expect(world.state().events.at(-1)).toMatchObject({
    who: 'Simulated phone 2',
    text: 'left: hung up',
    bad: false,
  })
  for (let n = 0; n < 1_000; n++)
    world.relay.observer.emit('dtmf', { room: 'r', participant: 'anna', digit: '7' })
  const { events } = world.state()
  expect(events).toHaveLength(100)
  expect(events.at(-1)!.id - events[0]!.id).toBe(99)
  expect(JSON.stringify(events.map(({ text }) => text))).not.toContain('7')
})
