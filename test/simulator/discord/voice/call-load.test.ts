import { describe, expect, it } from 'vitest'
import { trust } from '../../../../src/simulator/discord/voice/certificate.ts'
import { EncodedSpeech } from '../../../../src/simulator/discord/voice/speech.ts'
import { VoiceServer } from '../../../../src/simulator/discord/voice/voice-server.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { BOT, GUILD } from '../../../support/simulator/library-voice-bot.ts'
import { loudParts } from '../../../support/simulator/loud-parts.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const SISTER = '300000000000000009'
const users = (count: number) =>
  Array.from({ length: count }, (_, index) => String(400_000_000_000_000_000n + BigInt(index)))

describe('a call with many', () => {
  const calls = new Calls()

  it('sends the bot every voice separately, also of users who joined earlier', async () => {
    const call = calls.open()
    const early = users(5).map(id => call.addUser(id))
    using bot = calls.bot(call)
    await bot.ready()
    const everybody = [...early, call.addUser('400000000000000099')]
    await call.settled()
    const ears = everybody.map(({ userId }) => bot.hear(userId))
    await Promise.all(everybody.map((user, index) => user.say(sine(400 + index * 200, 400))))
    await until(() => ears.every(ear => ear.packets.length === 25), 5_000, 'all words')
    ears.forEach((ear, index) => {
      const pcm = ear.pcm().subarray(800, 6_400)
      everybody.forEach((_, other) => {
        const level = loudness(pcm, 400 + other * 200, 16_000)
        if (other === index) expect(level).toBeGreaterThan(7_000)
        else expect(level).toBeLessThan(200)
      })
    })
    const code = bot.connection.voicePrivacyCode
    expect(everybody.map(({ privacyCode }) => privacyCode)).toEqual(everybody.map(() => code))
  })

  it('lets two bots hear each other, and users both', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    using sister = calls.bot(call, { userId: SISTER })
    await sister.ready()
    const anna = call.addUser(users(1)[0]!)
    await anna.joined
    const ears = [bot.hear(SISTER), sister.hear(BOT)]
    await Promise.all([bot.play(sine(440, 400)), sister.play(sine(600, 400))])
    // A first packet can overtake op 5 or the welcome, as at Discord.
    await until(() => ears.every(ear => ear.packets.length >= 22), 5_000, 'the words of both')
    expect(loudness(ears[0]!.pcm().subarray(800, 6_400), 600, 16_000)).toBeGreaterThan(7_000)
    expect(loudness(ears[1]!.pcm().subarray(800, 6_400), 440, 16_000)).toBeGreaterThan(7_000)
    for (const [id, hz] of [
      [BOT, 440],
      [SISTER, 600],
    ] as const) {
      expect(loudParts(call.heard(id), hz)).toBeGreaterThanOrEqual(15)
    }
  })

  it('gives a user who rejoins another SSRC and another place in the group', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const [id] = users(1)
    const anna = call.addUser(id!)
    await anna.joined
    expect(() => call.addUser(id!)).toThrow('already in the call')
    const words = anna.say(sine(600, 60_000))
    await until(() => bot.connection.receiver.ssrcMap.get(anna.ssrc), 5_000, 'op 5')
    anna.leave()
    await words
    await until(() => !bot.connection.receiver.ssrcMap.get(anna.ssrc), 5_000, 'op 13')
    const again = call.addUser(id!)
    await again.joined
    expect(again.ssrc).not.toBe(anna.ssrc)
    const ear = bot.hear(id!)
    await again.say(sine(600, 300))
    await until(() => ear.packets.length === 20, 5_000, 'the words')
    expect(loudness(ear.pcm().subarray(800, 4_800), 600, 16_000)).toBeGreaterThan(7_000)
    expect(again.privacyCode).toBe(bot.connection.voicePrivacyCode)
  })

  it('lets a bot leave and rejoin', async () => {
    const { call, bot } = await calls.join()
    const anna = call.addUser(users(1)[0]!)
    await anna.joined
    bot[Symbol.dispose]()
    await until(() => !call.connected(BOT), 5_000, 'its leaving')
    await call.settled()
    using again = calls.bot(call)
    await again.ready()
    await until(() => call.transitions.at(-1)?.kind === 'added', 5_000, 'its return into the group')
    await again.play(sine(440, 300))
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'its words')
    expect(call.transitions.map(({ kind }) => kind)).toEqual(['formed', 'removed', 'added'])
    expect(anna.privacyCode).toBe(again.connection.voicePrivacyCode)
    expect(call.packetsFrom(BOT)).toMatchObject({ undecryptable: 0, plaintext: 0, gaps: 0 })
  })

  it('continues elsewhere when the bot is sent to another server', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    await using other = await VoiceServer.listen()
    using __ = trust(other.certificate)
    const there = other.openCall(GUILD, call.channelId)
    const anna = there.addUser(users(1)[0]!)
    there.expect({ userId: BOT, sessionId: 'session', token: 'second' })
    bot.tell(other.endpoint, 'second', 'session')
    await until(() => there.connected(BOT), 5_000, 'the bot on the other server')
    await until(() => !call.connected(BOT), 5_000, 'its leaving')
    await bot.ready()
    await there.settled()
    const ear = bot.hear(anna.userId)
    await anna.say(sine(600, 200))
    await until(() => ear.packets.length >= 15, 5_000, 'the words')
  })
})

describe('a user', () => {
  const calls = new Calls({ dave: false })

  it('has numbers that wrap, and a clock that continues in silence', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(users(1)[0]!, { firstSequence: 65_530, firstTimestamp: 0xffff_f000 })
    const ear = bot.hear(anna.userId)
    await anna.say(sine(600, 200))
    await pause(300)
    await anna.say(sine(600, 200), { frameMs: 40, silenceFrames: 0 })
    await until(() => ear.packets.length === 20, 5_000, 'all words')
    expect(ear.sequences).toEqual([
      ...[0, 1, 2, 3, 4, 5].map(n => 65_530 + n),
      ...Array.from({ length: 14 }, (_, n) => n),
    ])
    const steps = ear.timestamps.slice(1).map((each, at) => (each - ear.timestamps[at]! + 2 ** 32) % 2 ** 32)
    const pauseStep = steps.splice(14, 1)[0]!
    expect(steps).toEqual([...new Array(14).fill(960), ...new Array(4).fill(1_920)])
    // 300 ms of silence, and the duration of both ends of speech.
    expect(pauseStep / 48).toBeGreaterThan(300)
  })

  it('speaks one utterance after the other, until hushed', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(users(1)[0]!)
    const ear = bot.hear(anna.userId)
    await Promise.all([
      anna.say(sine(600, 200), { silenceFrames: 0 }),
      anna.say(sine(900, 200), { pace: 1.2 }),
    ])
    await until(() => ear.packets.length === 25, 5_000, 'both')
    expect(loudness(ear.pcm().subarray(800, 3_000), 600, 16_000)).toBeGreaterThan(6_500)
    expect(loudness(ear.pcm().subarray(4_000, 6_300), 900, 16_000)).toBeGreaterThan(6_500)
    const long = anna.say(sine(600, 60_000))
    await until(() => ear.packets.length > 30, 5_000, 'the beginning of a long one')
    anna.hush()
    await long
  })

  it('speaks audio that was encoded once, and so do others', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const speakers = users(3).map(id => call.addUser(id))
    const ears = speakers.map(({ userId }) => bot.hear(userId))
    const words = new EncodedSpeech(sine(600, 200), { frameMs: 40, silenceFrames: 3 })
    await Promise.all(speakers.map(user => user.say(words)))
    await until(() => ears.every(ear => ear.packets.length === 8), 5_000, 'the words')
    for (const ear of ears) {
      expect(ear.packets).toEqual(words.packets.map(({ frame }) => frame))
      expect(loudness(ear.pcm().subarray(800, 3_000), 600, 16_000)).toBeGreaterThan(6_500)
    }
  })

  it('is sent with levels during speech, and without during silence, as by clients', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(users(1)[0]!)
    const ear = bot.hear(anna.userId)
    await anna.say(sine(600, 100))
    await until(() => ear.packets.length === 10, 5_000, 'the words')
    expect(ear.extended).toEqual([true, true, true, true, true, false, false, false, false, false])
  })

  it('sends the Opus that a fault rewrote', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(users(1)[0]!)
    const ear = bot.hear(anna.userId)
    call.faults.rewrite = () => Buffer.from('no opus')
    await anna.say(sine(600, 40))
    await until(() => ear.packets.length === 7, 5_000, 'the packets')
    expect(ear.packets.every(packet => packet.toString() === 'no opus')).toBe(true)
  })

  it.each([
    [{ frameMs: 30 }, 'frameMs is one of 10, 20, 40, 60, got 30'],
    [{ channels: 3 }, 'channels is 1 or 2, got 3'],
    [{ silenceFrames: -1 }, 'silenceFrames is 0 or more, got -1'],
    [{ pace: 0 }, 'pace is between 0.5 and 2, got 0'],
  ])('says nothing with %o', async (options, complaint) => {
    const user = calls.open().addUser(users(1)[0]!)
    await expect(user.say(sine(600, 20), options as object)).rejects.toThrow(complaint)
  })
})

describe('a moderator', () => {
  const calls = new Calls({ dave: false })

  it('mutes or deafens the bot', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(users(1)[0]!)
    const ear = bot.hear(anna.userId)
    call.restrict(BOT, { mute: true, deaf: true })
    await Promise.all([anna.say(sine(600, 100)), bot.play(sine(440, 100))])
    expect(ear.packets).toEqual([])
    expect(call.packetsFrom(BOT).packets).toBe(0)
    call.restrict(BOT, {})
    await Promise.all([anna.say(sine(600, 100)), bot.play(sine(440, 100))])
    await until(() => ear.packets.length === 10, 5_000, 'the words')
    await until(() => call.packetsFrom(BOT).frames === 5, 5_000, 'the words of the bot')
  })
})
