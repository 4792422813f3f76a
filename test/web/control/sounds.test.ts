import { expect, test } from 'vitest'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { loudness } from '../../../src/transcode/level.ts'
import type { FeedEvent } from '../../../src/web/captions/caption-feed.ts'
import { until } from '../../support/until.ts'
import { controlled, JINGLE_HZ } from '../../support/web/control-harness.ts'

async function three() {
  const it = await controlled()
  const anna = it.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = it.live('bob', { speaks: 'es-es', hears: 'es-es' })
  const carl = it.live('carl', { speaks: 'de-de', hears: 'es-es' })
  await it.run(200)
  return { ...it, anna, bob, carl }
}

test('plays a text to each participant in their language, synthesized once per language', async () => {
  const { ask, run, anna, bob, carl, announcer } = await three()
  const { status, body } = await ask('POST', '/rooms/r/say', {
    text: 'Five minutes left.',
    language: 'en-us',
  })
  expect(status).toBe(202)
  expect(body.announcements).toEqual([
    { id: 'announcement-1', participant: 'anna', language: 'en-us' },
    { id: 'announcement-2', participant: 'bob', language: 'es-es' },
    { id: 'announcement-3', participant: 'carl', language: 'es-es' },
  ])
  expect(announcer.asked).toEqual(['say en-us', 'say es-es'])
  await run(1_000)
  for (const [leg, own, foreign] of [
    [anna, 'en-us', 'es-es'],
    [bob, 'es-es', 'en-us'],
    [carl, 'es-es', 'en-us'],
  ] as const) {
    expect(loudness(leg.lately(1_000), toneOf(own), 16_000)).toBeGreaterThan(3_000)
    expect(loudness(leg.lately(1_000), toneOf(foreign), 16_000)).toBeLessThan(60)
  }
})

test('plays it to the requested participants only', async () => {
  const { ask, run, anna, bob } = await three()
  await ask('POST', '/rooms/r/say', { text: 'hello', language: 'en-us', to: ['bob', 'bob'] })
  await ask('POST', '/rooms/r/play', { file: 'jingle', to: ['anna'] })
  await run(1_000)
  expect(loudness(bob.lately(1_000), toneOf('es-es'), 16_000)).toBeGreaterThan(3_000)
  expect(loudness(anna.lately(1_000), toneOf('en-us'), 16_000)).toBeLessThan(60)
  expect(loudness(anna.lately(1_000), JINGLE_HZ, 16_000)).toBeGreaterThan(3_000)
  expect(loudness(bob.lately(1_000), JINGLE_HZ, 16_000)).toBeLessThan(60)
})

test('stops an announcement at once; stopping it again is harmless', async () => {
  const { ask, run, anna, bob, services } = await three()
  const { body } = await ask('POST', '/rooms/r/play', { file: 'jingle' })
  const [{ id }] = body.announcements
  await run(500)
  expect(await ask('DELETE', `/announcements/${id}`)).toMatchObject({
    status: 200,
    body: { id, ended: true },
  })
  await run(600)
  expect(loudness(anna.lately(400), JINGLE_HZ, 16_000)).toBeLessThan(60)
  expect(loudness(bob.lately(400), JINGLE_HZ, 16_000)).toBeGreaterThan(3_000)
  await run(2_000)
  await until(() => services.announcements.size === 0, 5_000, 'the end')
  expect((await ask('DELETE', `/announcements/${id}`)).status).toBe(200)
  expect((await ask('DELETE', '/announcements/announcement-99')).body.error).toBe('announcement_unknown')
})

test('reports a language without a voice for its listeners only, or as the response if it is the only one', async () => {
  const { ask, run, join, anna } = await three()
  join('xaver', { speaks: 'xx-xx', hears: 'xx-xx' })
  await run(40)
  const { status, body } = await ask('POST', '/rooms/r/say', { text: 'hello', language: 'en-us' })
  expect(status).toBe(202)
  expect(body.announcements.at(-1)).toEqual({
    participant: 'xaver',
    language: 'xx-xx',
    error: 'speech_unavailable',
  })
  await run(800)
  expect(loudness(anna.lately(800), toneOf('en-us'), 16_000)).toBeGreaterThan(3_000)
  expect(
    await ask('POST', '/rooms/r/say', { text: 'hello', language: 'en-us', to: ['xaver'] }),
  ).toMatchObject({
    status: 503,
    body: { code: 'unavailable', error: 'speech_unavailable' },
  })
})

test('times out after 20 s if the service never speaks', async () => {
  const { ask, clock, announcer } = await three()
  const asking = ask('POST', '/rooms/r/say', { text: 'never', language: 'en-us', to: ['anna'] })
  await until(() => announcer.asked.length > 0, 5_000, 'the request')
  clock.advance(20_000)
  expect((await asking).body.error).toBe('speech_unavailable')
})

test('rejects a text or file that cannot be played', async () => {
  const { ask } = await three()
  const error = async (path: string, body: object) => (await ask('POST', path, body)).body.error
  expect(await error('/rooms/r/play', { file: 'none' })).toBe('file_unknown')
  expect(await error('/rooms/r/play', { file: 'broken' })).toBe('sound_unavailable')
  expect(await error('/rooms/r/play', { file: '../../etc/passwd' })).toBe('value_not_allowed')
  expect(await error('/rooms/r/play', { file: 'jingle', to: ['dora'] })).toBe('participant_unknown')
  expect(await error('/rooms/none/play', { file: 'jingle' })).toBe('room_unknown')
  for (const text of ['', '   ', 'x'.repeat(1_001), 'a\u0000b', 5])
    expect(await error('/rooms/r/say', { text, language: 'en-us' }), String(text).slice(0, 9)).toBe(
      'value_not_allowed',
    )
  await ask('POST', '/rooms', { name: 'empty' })
  expect(await error('/rooms/empty/say', { text: 'hello', language: 'en-us' })).toBe('nobody_there')
  const bare = await controlled({ bare: true })
  bare.join('anna')
  expect(await bare.ask('POST', '/rooms/r/play', { file: 'jingle' })).toMatchObject({
    status: 501,
    body: { error: 'sounds_off' },
  })
})

test('adds what is announced to the whole room to captions and transcripts, as the words of the system', async () => {
  const { ask, run, services } = await three()
  const seen: FeedEvent[] = []
  services.feed.on((_, event) => seen.push(event))
  await run(800)
  await ask('POST', '/rooms/r/say', { text: 'Five minutes left.', language: 'en-us' })
  // Announcements to some participants only on request.
  await ask('POST', '/rooms/r/say', { text: 'Only for you.', language: 'en-us', to: ['anna'] })
  await ask('POST', '/rooms/r/say', { text: 'Not to be read.', language: 'en-us', captions: false })
  await run(2_000)
  await ask('POST', '/rooms/r/say', { text: 'To you.', language: 'en-us', to: ['bob'], captions: true })
  const said = {
    speaker: 'system',
    system: true,
    utterance: expect.stringMatching(/^system\./),
    from: 'en-us',
  }
  const { entries } = (await ask('GET', '/rooms/r/transcript')).body
  expect(entries).toEqual([
    { ...said, to: 'en-us', text: 'Five minutes left.', translation: '', startMs: 1_000, endMs: 1_600 },
    {
      ...said,
      to: 'es-es',
      text: 'Five minutes left.',
      translation: 'es-es: Five minutes left.',
      startMs: 1_000,
      endMs: 1_600,
    },
    { ...said, to: 'es-es', text: 'To you.', translation: 'es-es: To you.', startMs: 3_000, endMs: 3_600 },
  ])
  const captions = seen.flatMap(event => (event.kind === 'caption' ? [event.caption] : []))
  expect(captions.map(({ system, final, to }) => [system, final, to])).toEqual([
    [true, true, 'en-us'],
    [true, true, 'es-es'],
    [true, true, 'es-es'],
  ])
  const { text } = await ask('GET', '/rooms/r/transcript?format=text&to=es-es')
  expect(text).toContain(
    '[00:00:01] system (en-us): Five minutes left.\n    (es-es): es-es: Five minutes left.',
  )
})

test('omits texts that were not played from captions', async () => {
  const { ask } = await three()
  await ask('POST', '/rooms/r/say', { text: 'unspeakable', language: 'en-us' })
  expect((await ask('GET', '/rooms/r/transcript')).body.entries).toEqual([])
})
