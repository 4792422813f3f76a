import { afterEach, describe, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { keypadOptions } from '../../../src/core/calls/settings.ts'
import { SpokenNotices } from '../../../src/core/calls/spoken-notices.ts'
import type { NoticeName } from '../../../src/core/model/announcer.ts'
import type { Recorder, RecordingState } from '../../../src/core/model/recording.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { FakeAnnouncer, noticeHz } from '../../support/relay/fake-announcer.ts'
import type { LiveLeg } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { sine } from '../../support/transcode/tone.ts'

const lost = { kind: 'failed', error: new BridgeError('SERVICE_LOST', 'gone', { retryable: true }) } as const
let r: Awaited<ReturnType<typeof rooms>>
let notices: SpokenNotices
afterEach(async () => {
  notices[Symbol.dispose]()
  await r.relay.close()
})

const heard = (leg: LiveLeg, hz: number, ms = 1_000) => {
  const pcm = leg.lately(ms)
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    if (loudness(pcm.subarray(at, at + 320), hz, 16_000) > 3_000) return true
  return false
}
const told = (leg: LiveLeg, name: NoticeName, ms?: number) => heard(leg, noticeHz(name), ms)

async function couple(
  options: Parameters<typeof keypadOptions>[0] = {},
  more: { recorder?: Recorder; maxMinutes?: number } = {},
) {
  r = await rooms()
  const announcer = new FakeAnnouncer()
  const commands: string[] = []
  const keys: string[] = []
  r.relay.observer.on('command', ({ participant, action }) => commands.push(`${participant} ${action}`))
  r.relay.observer.on('dtmf', ({ digit }) => keys.push(digit))
  notices = new SpokenNotices({
    relay: r.relay,
    announcer,
    settings: keypadOptions(options),
    clock: r.clock,
    ...more,
  })
  notices.start()
  const anna = r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(500)
  const press = async (leg: LiveLeg, pressed: string, ms = 1_000) => {
    for (const key of pressed) leg.press(key)
    await r.run(ms)
  }
  return { announcer, commands, keys, anna, bob, press }
}

describe('by keys', () => {
  test('*1 pauses and resumes interpreting, and notifies both in their own language', async () => {
    const { announcer, commands, keys, anna, bob, press } = await couple()
    r.say('bob', sine(300, 20_000, 6_000))
    await press(anna, '*1')
    expect(announcer.asked).toEqual(['interpreting-paused en-us', 'interpreting-paused es-es'])
    expect(told(anna, 'interpreting-paused') && told(bob, 'interpreting-paused')).toBe(true)
    await r.run(1_000)
    expect(loudness(anna.lately(500), 300, 16_000)).toBeGreaterThan(5_900)
    await press(anna, '*1')
    expect(announcer.asked.slice(2)).toEqual(['interpreting-resumed en-us', 'interpreting-resumed es-es'])
    await r.run(1_000)
    expect(loudness(anna.lately(500), 300, 16_000)).toBeLessThan(2_500)
    expect(commands).toEqual(['anna pause', 'anna pause'])
    expect(keys).toEqual(['*', '1', '*', '1'])
  })

  test('*1 in a room of three notifies only the participant who pressed it', async () => {
    const { announcer, anna, press } = await couple()
    r.live('carl', { speaks: 'fr-fr', hears: 'fr-fr' })
    await press(anna, '*1')
    expect(announcer.asked).toEqual(['interpreting-paused en-us'])
  })

  test('*2 repeats the last translation, or plays a notice without one', async () => {
    const { bob, press } = await couple()
    await press(bob, '*2')
    expect(told(bob, 'nothing-to-repeat')).toBe(true)
    r.answer('en-us', 'es-es', 450, 500)
    await r.run(3_000)
    expect(heard(bob, 450)).toBe(false)
    await press(bob, '*2')
    expect(heard(bob, 450)).toBe(true)
    expect(told(bob, 'nothing-to-repeat')).toBe(false)
  })

  test('*3 mutes and unmutes', async () => {
    const { anna, bob, press } = await couple()
    r.say('anna', sine(300, 20_000, 6_000))
    await press(anna, '*3')
    expect(told(anna, 'muted')).toBe(true)
    expect(heard(bob, 300, 500)).toBe(false)
    await press(anna, '*3')
    expect(told(anna, 'unmuted')).toBe(true)
    await r.run(500)
    expect(loudness(bob.lately(300), 300, 16_000)).toBeGreaterThan(1_500)
  })

  test('*9 and a digit change the language, with a notice in the new one', async () => {
    const { announcer, bob, press } = await couple({ languages: ['en-us', 'es-es', 'fr-fr'] })
    await press(bob, '*93')
    expect(announcer.asked).toEqual(['language-changed fr-fr'])
    expect(r.relay.find('bob')?.state).toMatchObject({ speaks: 'fr-fr', hears: 'fr-fr' })
    await press(bob, '*97')
    expect(announcer.asked).toHaveLength(1)
    // A participant who hears a different language keeps their spoken language.
    r.relay.find('bob')?.change({ speaks: 'es-es', hears: 'en-us' })
    await press(bob, '*93')
    expect(r.relay.find('bob')?.state).toMatchObject({ speaks: 'es-es', hears: 'fr-fr' })
  })

  test('*0 lists the available keys', async () => {
    const { announcer, anna, press } = await couple()
    await press(anna, '*0')
    expect(announcer.asked).toEqual(['options en-us pause=*1 repeat=*2 mute=*3 options=*0'])
    expect(told(anna, 'options')).toBe(true)
  })

  test('*5 pauses and resumes an active recording', async () => {
    let state: RecordingState | undefined
    const calls: string[] = []
    const status = () => ({ id: '1', room: 'r', state: state!, keptMs: 0 })
    const recorder: Recorder = {
      of: () => (state ? status() : undefined),
      start: status,
      pause(room) {
        calls.push(`pause ${room}`)
        state = 'paused'
        return status()
      },
      resume(room) {
        calls.push(`resume ${room}`)
        throw new BridgeError('STATE', 'this room is not being recorded')
      },
      stop: async () => undefined,
    }
    const { announcer, anna, commands, press } = await couple({ languages: ['en-us', 'es-es'] }, { recorder })
    await press(anna, '*5')
    expect(calls).toEqual([])
    state = 'recording'
    await press(anna, '*5*5*0')
    expect(calls).toEqual(['pause r', 'resume r'])
    expect(commands).toEqual(['anna recording', 'anna recording', 'anna recording', 'anna options'])
    expect(announcer.asked).toEqual([
      'options en-us pause=*1 repeat=*2 mute=*3 recording=*5 language=*9 options=*0',
    ])
  })

  test('plays only the notice of the final state after several quick commands', async () => {
    const { anna, press } = await couple()
    await press(anna, '*3*3*3*3*3', 2_000)
    expect(told(anna, 'muted', 2_000)).toBe(true)
    expect(told(anna, 'unmuted', 2_000)).toBe(false)
    expect(r.relay.find('anna')?.state.muted).toBe(true)
  })

  test('forgets a participant who leaves, and keeps handling the keys of others', async () => {
    const { anna, bob, press } = await couple()
    anna.press('*')
    void anna.close({ kind: 'hangup', by: 'remote' })
    await press(bob, '*3')
    expect(told(bob, 'muted')).toBe(true)
    notices[Symbol.dispose]()
    await press(bob, '*3')
    expect(r.relay.find('bob')?.state.muted).toBe(true)
  })
})

describe('during an outage of the translation', () => {
  test('notifies each listener once of the outage and of recovery; meanwhile they hear originals', async () => {
    const { announcer, anna, bob } = await couple()
    await r.run(3_000)
    r.say('anna', sine(300, 30_000, 6_000))
    r.say('bob', sine(500, 30_000, 6_000))
    r.translator.autoReady = false
    for (const c of r.translator.connections) c.drop(lost)
    await r.run(1_000)
    expect(loudness(bob.lately(500), 300, 16_000)).toBeGreaterThan(5_900)
    expect(announcer.asked).toEqual([])
    await r.run(1_000)
    expect(announcer.asked.toSorted()).toEqual(['service-unavailable en-us', 'service-unavailable es-es'])
    expect(told(anna, 'service-unavailable') && told(bob, 'service-unavailable')).toBe(true)
    await r.run(10_000)
    expect(announcer.asked).toHaveLength(2)
    r.translator.autoReady = true
    for (const c of r.translator.connections) if (!c.closed) c.sink.ready()
    await r.run(2_000)
    expect(announcer.asked.slice(2).toSorted()).toEqual(['service-back en-us', 'service-back es-es'])
    expect(told(bob, 'service-back', 2_000)).toBe(true)
  })

  test('plays no notice for an outage under one second', async () => {
    const { announcer } = await couple()
    r.say('anna', sine(300, 30_000))
    await r.run(3_000)
    for (const c of r.translator.connections) c.drop(lost)
    await r.run(5_000)
    expect(announcer.asked).toEqual([])
  })

  test('repeats the notice at most every 30 s during repeated outages', async () => {
    const { announcer } = await couple()
    r.say('anna', sine(300, 90_000))
    r.say('bob', sine(700, 90_000))
    await r.run(3_000)
    for (let n = 0; n < 10; n++) {
      r.translator.autoReady = false
      for (const c of r.translator.connections) if (!c.closed) c.drop(lost)
      await r.run(3_000)
      r.translator.autoReady = true
      for (const c of r.translator.connections) if (!c.closed) c.sink.ready()
      await r.run(3_000)
    }
    expect(announcer.asked.filter(asked => asked.startsWith('service-unavailable'))).toHaveLength(4)
    expect(announcer.asked.filter(asked => asked.startsWith('service-back'))).toEqual([])
  })

  test('notifies only listeners of the speaker who is not translated, with their name, and only while they speak', async () => {
    const { announcer } = await couple()
    r.relay.find('anna')?.change({ name: 'Anna' })
    r.translator.autoReady = false
    r.connection('en-us', 'es-es').drop({ kind: 'failed', error: new BridgeError('SERVICE_REFUSED', 'no') })
    r.say('bob', sine(300, 60_000))
    await r.run(30_000)
    expect(announcer.asked).toEqual([])
    r.say('anna', sine(400, 5_000))
    await r.run(30_000)
    expect(announcer.asked).toEqual(['speaker-untranslated es-es name=Anna'])
  })

  test('a participant who is alone, and hears only their own translation, is not told that they hear originals', async () => {
    const { announcer, bob } = await couple()
    await bob.close({ kind: 'hangup', by: 'remote' })
    r.relay.find('anna')?.change({ hears: 'es-es' })
    await r.run(200)
    r.translator.autoReady = false
    r.say('anna', sine(400, 5_000))
    r.connection('en-us', 'es-es').drop(lost)
    await r.run(3_000)
    expect(announcer.asked).toEqual(['self-untranslated es-es'])
  })
})

describe('time limit', () => {
  test('announces the remaining time to each participant, counted from their own start', async () => {
    const { announcer, anna } = await couple({}, { maxMinutes: 4 })
    await r.run(60_000)
    r.live('carl', { hears: 'fr-fr' })
    await r.run(58_000)
    expect(announcer.asked).toEqual([])
    await r.run(2_500)
    expect(announcer.asked).toEqual(['minutes-left en-us minutes=2', 'minutes-left es-es minutes=2'])
    expect(told(anna, 'minutes-left', 2_000)).toBe(true)
    await r.run(60_000)
    expect(announcer.asked.slice(2)).toEqual(['minutes-left fr-fr minutes=2'])
  })

  test('does not announce again what a server before has announced', async () => {
    const { announcer } = await couple({}, { maxMinutes: 8 })
    r.live('carl', { hears: 'fr-fr', elapsedMs: 4 * 60_000 })
    await r.run(119_000)
    expect(announcer.asked).toEqual([])
    await r.run(2_500)
    expect(announcer.asked).toEqual(['minutes-left fr-fr minutes=2'])
  })
})
