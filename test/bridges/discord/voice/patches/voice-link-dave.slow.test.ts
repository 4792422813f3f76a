import { getVoiceConnection } from '@discordjs/voice'
import { afterEach, describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import { groupOf } from '../../../../../src/bridges/discord/voice/patches/patched-connection.ts'
import { networkingOf } from '../../../../../src/bridges/discord/voice/patches/patched-networking.ts'
import { OpusEncoder } from '../../../../../src/transcode/opus.ts'
import { SILENT_FRAME } from '../../../../../src/transcode/pcm.ts'
import {
  ANNA,
  BEN,
  BOT,
  GUILD,
  Stage,
  type StageOptions,
} from '../../../../support/discord/voice-link-harness.ts'
import { Listener } from '../../../../support/discord/voice-listener.ts'
import { sine } from '../../../../support/transcode/tone.ts'
import { until } from '../../../../support/until.ts'

const opened: Stage[] = []
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage[Symbol.asyncDispose]()
})

/** A link in an encrypted call, listening to Anna, who is present. */
async function encrypted(options?: StageOptions) {
  const stage = await Stage.open(options)
  opened.push(stage)
  const { link, call, counters } = stage
  const listener = new Listener()
  link.listen(ANNA, listener)
  expect(await link.join()).toBeUndefined()
  const anna = call.addUser(ANNA)
  await anna.joined
  await until(() => link.encrypted, 5_000, 'encryption')
  return { stage, link, call, anna, listener, counters, faults: call.faults }
}

test('no plaintext is sent before the encryption is negotiated', async () => {
  const stage = await Stage.open()
  opened.push(stage)
  const { link, call } = stage
  expect(await link.join()).toBeUndefined()
  expect(link.encrypted).toBeUndefined()
  expect(link.playable).toBe(false)
  const packet = new OpusEncoder().encode(SILENT_FRAME)
  for (let n = 0; n < 5; n++) link.play(packet)
  call.addUser(ANNA)
  await until(() => link.playable, 5_000, 'an agreement')
  for (let n = 0; n < 5; n++) link.play(packet)
  await until(() => call.packetsFrom(BOT).packets >= 5, 5_000, 'packets')
  expect(call.packetsFrom(BOT)).toMatchObject({ packets: 5, plaintext: 0, undecryptable: 0 })
})

describe('frames that cannot be decrypted', () => {
  test('in plaintext, above the library’s limit, cost the listener only those frames', async () => {
    const { link, anna, listener, counters, faults } = await encrypted()
    faults.plaintext = true
    await anna.say(sine(600, 1_200))
    await until(() => counters.plaintext >= 60, 5_000, 'plaintext')
    expect(listener.loud(600)).toBe(0)
    faults.plaintext = false
    await anna.say(sine(600, 300))
    await until(() => listener.loud(600) >= 13, 5_000, 'speech')
    expect(link.state).toBe('ready')
    expect(counters.reinitialized).toBe(0)
  })

  test('in plaintext occasionally are missing, without others', async () => {
    const { anna, listener, counters, faults } = await encrypted()
    faults.plaintext = 0.2
    await anna.say(sine(600, 1_000))
    await until(() => listener.packets.length + counters.plaintext >= 55, 5_000, 'packets')
    expect(counters.plaintext).toBeGreaterThan(3)
    expect(counters.plaintext).toBeLessThan(25)
    expect(listener.encrypted).toBe(0)
  })

  test('of a group that we join late are all received', async () => {
    const { call, anna, listener, counters, faults } = await encrypted()
    faults.welcomeDelayMs = 400
    faults.committer = 'user'
    const speech = anna.say(sine(600, 1_500))
    await until(() => listener.packets.length > 5, 5_000, 'packets')
    const ben = call.addUser(BEN)
    await ben.joined
    await speech
    await until(() => listener.packets.length >= 80, 5_000, 'all packets')
    expect(listener.encrypted).toBe(0)
    const { sequence } = listener.packets[0]!
    expect(listener.packets.map(each => (each.sequence - sequence) & 0xffff)).toEqual(
      listener.packets.map((_, n) => n),
    )
    expect(listener.loud(600)).toBeGreaterThanOrEqual(73)
    expect(counters.reinitialized).toBe(0)
  })

  test('at the start are not decoded, and are received when we have the key', async () => {
    const stage = await Stage.open()
    opened.push(stage)
    const { link, call, counters } = stage
    const listener = new Listener()
    link.listen(ANNA, listener)
    await link.join()
    call.faults.welcomeDelayMs = 400
    call.faults.committer = 'user'
    const anna = call.addUser(ANNA)
    await anna.say(sine(600, 2_000))
    await until(() => listener.packets.length >= 105, 5_000, 'all packets')
    expect(listener.loud(600)).toBeGreaterThanOrEqual(98)
    expect(counters.tooEarly).toBeGreaterThan(5)
    expect(counters.decryptedLate).toBeGreaterThan(5)
    expect(listener.encrypted).toBe(0)
    expect(counters.reinitialized).toBe(0)
  })
})

describe('users whose SSRC is never announced', () => {
  test('are identified by their key: two at once are distinguished, and heard from the first syllable', async () => {
    const { link, call, anna, listener, counters, faults } = await encrypted()
    const other = new Listener()
    link.listen(BEN, other)
    const ben = call.addUser(BEN)
    await ben.joined
    await call.settled()
    faults.withholdSpeaking = true
    await Promise.all([anna.say(sine(600, 1_200)), ben.say(sine(900, 1_200))])
    await until(() => listener.packets.length >= 60 && other.packets.length >= 60, 5_000, 'both')
    expect([listener.loud(600), other.loud(900)].every(frames => frames >= 58)).toBe(true)
    expect([listener.loud(900), other.loud(600)]).toEqual([0, 0])
    expect(counters).toMatchObject({ undecryptable: 0, reinitialized: 0 })
  })

  test('are not identified without a listener', async () => {
    const { link, call, anna, listener, counters, faults } = await encrypted()
    const other = new Listener()
    link.unlisten(ANNA, listener)
    link.listen(BEN, other)
    await call.addUser(BEN).joined
    await call.settled()
    faults.withholdSpeaking = true
    await anna.say(sine(600, 1_000))
    expect([listener.packets.length, other.packets.length, counters.packets]).toEqual([0, 0, 0])
    expect(counters.unattributed).toBeGreaterThan(40)
  })
})

describe('a group that changes', () => {
  test('while the connection is lost is resumed, with every transition executed', async () => {
    const { call, anna, listener, counters, faults } = await encrypted()
    faults.missedFirst = true
    // Clients wait 2 s for a bot that does not answer, then continue without it.
    faults.resumeDelayMs = 2_500
    faults.committer = 'user'
    const dave = () => networkingOf(getVoiceConnection(GUILD, groupOf(BOT))!)?.state.dave
    call.dropSocket(BOT)
    // Its commit and the message to execute it are missed, and repeated before op 9.
    await call.addUser(BEN).joined
    await call.settled()
    await until(() => counters.resumed === 1, 5_000, 'being resumed')
    await until(() => dave()?.lastTransitionId === 1, 5_000, 'the change')
    expect([...(dave()?.pendingTransitions.keys() ?? [])]).toEqual([])
    await anna.say(sine(600, 300))
    await until(() => listener.loud(600) >= 13, 5_000, 'speech')
    expect(counters.reinitialized).toBe(0)
  })

  test('with a broken commit is reinitialized, and heard again', async () => {
    const { link, call, anna, listener, counters, faults } = await encrypted()
    faults.committer = 'user'
    faults.badCommits = 1
    const ben = call.addUser(BEN)
    await until(() => counters.reinitialized === 1, 5_000, 'a new beginning')
    await ben.joined
    await call.settled()
    await until(() => link.encrypted, 5_000, 'encryption')
    await anna.say(sine(600, 300))
    await until(() => listener.loud(600) >= 13, 5_000, 'speech')
    expect(counters.recovered).toBe(1)
  })

  test('without ever succeeding ends the link with the reason', async () => {
    const clock = new FakeClock()
    const { link, call, counters, faults } = await encrypted({ clock })
    faults.committer = 'user'
    faults.badCommits = 1_000
    call.addUser(BEN)
    let over = false
    void link.ended.then(() => {
      over = true
    })
    await until(
      () => {
        clock.advance(200)
        return over
      },
      20_000,
      'the end',
    )
    expect(await link.ended).toEqual({ kind: 'refused', code: 'encryption' })
    expect(counters.reinitialized).toBe(6)
    expect(clock.now()).toBeLessThan(60_000)
  })
})
