import { describe, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { noticeHz } from '../../support/relay/fake-announcer.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'
import { controlled } from '../../support/web/control-harness.ts'

const heard = (leg: LiveLeg, hz: number, ms = 800) => loudness(leg.lately(ms), hz, 16_000)

async function couple() {
  const it = await controlled()
  const anna = it.live('anna', { speaks: 'en-us', hears: 'en-us', name: 'Anna', original: 'low' })
  const bob = it.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await it.run(200)
  /** Both speak from now on, each a tone. */
  const talk = (ms = 60_000) => {
    it.say('anna', sine(440, ms))
    it.say('bob', sine(700, ms))
  }
  return { ...it, anna, bob, talk }
}

test('lists the participants and their settings', async () => {
  const { ask } = await couple()
  const { body } = await ask('GET', '/rooms/r/participants')
  expect(body.participants).toEqual([
    {
      id: 'anna',
      room: 'r',
      channel: 'fake',
      since: '2026-11-20T10:00:00.000Z',
      speaks: 'en-us',
      hears: 'en-us',
      original: 'low',
      name: 'Anna',
      muted: false,
      interpreting: true,
      backlogMs: 0,
      lagMs: 0,
      sessions: [{ to: 'es-es', status: 'live' }],
      receptions: [{ speaker: 'bob', to: 'en-us', gets: 'translated', why: null, missed: false }],
    },
    expect.objectContaining({ id: 'bob', name: null, original: 'duck' }),
  ])
  expect((await ask('GET', '/participants/anna')).body).toEqual(body.participants[0])
  expect(await ask('GET', '/participants/carl')).toMatchObject({
    status: 404,
    body: { error: 'participant_unknown' },
  })
  expect((await ask('GET', '/rooms/none/participants')).body.error).toBe('room_unknown')
})

test('reports waiting translations as backlog', async () => {
  const { ask, answer, run } = await couple()
  answer('en-us', 'es-es', 1_800, 6_000)
  await run(1_000)
  const { backlogMs } = (await ask('GET', '/participants/bob')).body
  expect(backlogMs).toBeGreaterThan(3_000)
  expect(backlogMs).toBeLessThan(6_000)
})

describe('a change', () => {
  test('muted: the participant becomes inaudible and is notified, in both directions', async () => {
    const { ask, talk, run, bob, anna, announcer } = await couple()
    talk()
    await run(1_500)
    expect(heard(bob, 440)).toBeGreaterThan(1_000)
    expect(await ask('PATCH', '/participants/anna', { muted: true })).toMatchObject({
      status: 200,
      body: { muted: true },
    })
    await run(1_500)
    expect(heard(bob, 440)).toBeLessThan(20)
    expect(announcer.asked).toEqual(['muted en-us'])
    expect(heard(anna, noticeHz('muted'), 1_500)).toBeGreaterThan(1_000)
    await ask('PATCH', '/participants/anna', { muted: false, announce: false })
    await run(1_500)
    expect(heard(bob, 440)).toBeGreaterThan(1_000)
    expect(announcer.asked).toEqual(['muted en-us'])
  })

  test('hearing language: others are translated into it, and the original continues without a gap', async () => {
    const { ask, talk, run, anna, translator, announcer } = await couple()
    talk()
    await run(1_500)
    const before = anna.heard().length
    const { body } = await ask('PATCH', '/participants/anna', { hears: 'fr_FR' })
    expect(body).toMatchObject({ hears: 'fr-fr', speaks: 'en-us' })
    await run(1_500)
    expect(translator.last.request).toMatchObject({ from: 'es-es', to: 'fr-fr' })
    expect(announcer.asked).toEqual(['language-changed fr-fr'])
    // Bob’s voice never stopped.
    const sound = anna.heard().subarray(before)
    for (let at = 0; at + 1_600 <= Math.min(sound.length, 16_000); at += 1_600)
      expect(loudness(sound.subarray(at, at + 1_600), 700, 16_000), `${at / 16} ms`).toBeGreaterThan(100)
  })

  test('interpreting off: originals at full level in both directions', async () => {
    const { ask, talk, run, anna, bob } = await couple()
    talk()
    await run(1_500)
    expect(heard(anna, 700)).toBeLessThan(2_000)
    await ask('PATCH', '/participants/anna', { interpreting: false, announce: false })
    await run(1_500)
    expect(heard(anna, 700)).toBeGreaterThan(7_000)
    expect(heard(bob, 440)).toBeGreaterThan(7_000)
  })

  test('originals off: silence except for translations', async () => {
    const { ask, talk, run, anna } = await couple()
    talk()
    await ask('PATCH', '/participants/anna', { original: 'off' })
    await run(1_500)
    expect(heard(anna, 700)).toBeLessThan(20)
    expect((await ask('PATCH', '/participants/anna', { name: null, speaks: null })).body).toMatchObject({
      name: null,
      speaks: null,
      original: 'off',
    })
  })

  test('empty or impossible: rejected without any effect', async () => {
    const { ask } = await couple()
    const before = (await ask('GET', '/participants/anna')).body
    for (const [change, error] of [
      [{}, 'value_not_allowed'],
      [{ announce: true }, 'value_not_allowed'],
      [{ hears: 'english' }, 'value_not_allowed'],
      [{ original: 'loud' }, 'value_not_allowed'],
      [{ muted: 'yes' }, 'value_not_allowed'],
      [{ name: '' }, 'value_not_allowed'],
      [{ name: 'a\u0007b' }, 'value_not_allowed'],
      [{ volume: 1 }, 'field_unknown'],
      [{ __proto__x: 1 }, 'field_unknown'],
      [[], 'value_not_allowed'],
      [null, 'value_not_allowed'],
    ] as const) {
      const answer = await ask('PATCH', '/participants/anna', change)
      expect([answer.status, answer.body.error], JSON.stringify(change)).toEqual([400, error])
    }
    expect((await ask('GET', '/participants/anna')).body).toEqual(before)
  })

  test('languages outside the room’s list are rejected', async () => {
    const it = await controlled()
    await it.ask('POST', '/rooms', { name: 'r', languages: ['en-us', 'es-es'] })
    it.live('anna', { speaks: 'en-us', hears: 'es-es' })
    await it.run(40)
    expect(await it.ask('PATCH', '/participants/anna', { hears: 'de-de' })).toMatchObject({
      status: 422,
      body: { error: 'language_not_allowed', description: 'the room does not allow de-de' },
    })
    expect((await it.ask('PATCH', '/participants/anna', { hears: null })).status).toBe(200)
  })
})

test('hanging up ends one leg; the other stays, and repeating the request is harmless', async () => {
  const { ask, anna, relay } = await couple()
  for (const _ of [1, 2])
    expect(await ask('DELETE', '/participants/anna')).toMatchObject({
      status: 200,
      body: { id: 'anna', ended: true },
    })
  expect(await anna.ended).toEqual({ kind: 'hangup', by: 'local' })
  await until(() => relay.legs === 1, 5_000, 'the end')
  expect((await ask('DELETE', '/participants/carl')).body.error).toBe('participant_unknown')
})

test('the time of joining is the same in every response', async () => {
  const { ask, join, run, clock } = await controlled()
  clock.advance(0.6)
  join('anna', { speaks: 'en-us' })
  const seen = new Set<string>()
  for (let n = 0; n < 20; n++) {
    seen.add((await ask('GET', '/participants/anna')).body.since)
    clock.advance(0.3)
  }
  await run(100)
  expect(seen.size).toBe(1)
})
