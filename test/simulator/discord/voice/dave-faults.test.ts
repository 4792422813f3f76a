import { describe, expect, it } from 'vitest'
import { loudness } from '../../../../src/transcode/level.ts'
import { BOT } from '../../../support/simulator/library-voice-bot.ts'
import { loudParts } from '../../../support/simulator/loud-parts.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'
const WORDS = sine(600, 300)

/** The parts of the library's internals that are modified here. */
interface Connected {
  networking: { state: { dave: { encrypt(packet: Buffer): Buffer } } }
}

describe('under DAVE', () => {
  const calls = new Calls()

  it.each([
    ['the first welcome', 'user'],
    ['the first commit', 'bot'],
  ] as const)('%s is broken, and the bot returns with a new key package', async (_what, committer) => {
    const call = calls.open()
    call.faults.badCommits = 1
    call.faults.committer = committer
    using bot = calls.bot(call)
    const anna = call.addUser(ANNA)
    await bot.ready()
    await until(() => bot.debug.some(line => line.includes('"op":31')), 5_000, 'op 31')
    await until(() => call.transitions.length >= 3, 5_000, 'the way back')
    await call.settled()
    expect(call.transitions.map(({ kind }) => kind)).toEqual(['formed', 'removed', 'added'])
    expect(anna.privacyCode).toBe(bot.connection.voicePrivacyCode)
    const ear = bot.hear(ANNA)
    await Promise.all([anna.say(WORDS), bot.play(sine(440, 300))])
    await until(() => ear.packets.length === 20, 5_000, 'the words')
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words of the bot')
    expect(loudness(ear.pcm().subarray(800, 4_800), 600, 16_000)).toBeGreaterThan(7_000)
    expect(call.packetsFrom(BOT)).toMatchObject({ undecryptable: 0, plaintext: 0 })
  })

  it('a later commit is broken, and a user who talks is still received and still receives audio afterwards', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    call.faults.badCommits = 1
    const ben = call.addUser(BEN)
    await until(() => bot.debug.some(line => line.includes('"op":31')), 5_000, 'op 31')
    await until(
      () => call.transitions.some(({ kind, userIds }) => kind === 'added' && userIds.includes(BOT)),
      5_000,
      'the way back',
    )
    await call.settled()
    const ear = bot.hear(BEN)
    await ben.say(WORDS)
    await until(() => ear.packets.length === 20, 5_000, 'the words')
    expect(loudness(ear.pcm().subarray(800, 4_800), 600, 16_000)).toBeGreaterThan(7_000)
    expect(ben.privacyCode).toBe(bot.connection.voicePrivacyCode)
    expect(anna.privacyCode).toBe(bot.connection.voicePrivacyCode)
  })

  it('frames in plaintext are blocked by the library', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    const ear = bot.hear(ANNA)
    call.faults.plaintext = true
    await anna.say(WORDS)
    await until(() => ear.sequences.length === 20, 5_000, 'the packets')
    expect(ear.packets.length).toBe(5)
    call.faults.plaintext = 0.5
    await anna.say(WORDS)
    await until(() => ear.sequences.length === 40, 5_000, 'the packets')
    expect(ear.packets.length).toBeGreaterThan(10)
    expect(ear.packets.length).toBeLessThan(25)
  })

  it('the library takes ciphertext for Opus while it does not know the group', async () => {
    const call = calls.open()
    call.faults.welcomeDelayMs = 400
    call.faults.committer = 'user'
    using bot = calls.bot(call)
    await bot.ready()
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    await anna.say(WORDS)
    await until(() => ear.packets.length >= 10, 5_000, 'the packets')
    const sealed = ear.packets.filter(
      packet => packet.length > 11 && packet.readUInt16BE(packet.length - 2) === 0xfafa,
    )
    expect(sealed.length).toBeGreaterThan(5)
  })

  it('a repeated message is harmless', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    call.faults.repeatMessages = 4
    const ben = call.addUser(BEN)
    await ben.joined
    await until(() => ben.privacyCode === bot.connection.voicePrivacyCode, 5_000, 'the common code')
    expect(anna.privacyCode).toBe(ben.privacyCode)
  })

  it('a bot that does not encrypt, or with a wrong key, is counted and inaudible', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    const dave = (bot.connection.state as unknown as Connected).networking.state.dave
    await until(() => bot.connection.voicePrivacyCode === anna.privacyCode, 5_000, 'the group')
    const encrypt = dave.encrypt.bind(dave)
    // Plaintext is accepted until the bot has encrypted something.
    await bot.play(WORDS)
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words')
    const before = call.heard(BOT).length
    dave.encrypt = packet => packet
    await bot.play(WORDS)
    await until(() => call.packetsFrom(BOT).silence >= 8, 5_000, 'the plaintext')
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 30, plaintext: 15, undecryptable: 0 })
    dave.encrypt = packet => {
      const sealed = Buffer.from(encrypt(packet))
      if (sealed.length > packet.length) sealed[0] = sealed[0]! ^ 1
      return sealed
    }
    await bot.play(WORDS)
    await until(() => call.packetsFrom(BOT).silence >= 12, 5_000, 'the rubbish')
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 45, plaintext: 15, undecryptable: 15 })
    const meanwhile = call.heard(BOT)
    expect(meanwhile.subarray(0, before).some(sample => Math.abs(sample) > 4_000)).toBe(true)
    expect(meanwhile.subarray(before).every(sample => Math.abs(sample) < 10)).toBe(true)
    dave.encrypt = encrypt
    await bot.play(WORDS)
    await until(() => call.packetsFrom(BOT).silence >= 16, 5_000, 'the words')
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 60, plaintext: 15, undecryptable: 15 })
    expect(
      call
        .heard(BOT)
        .subarray(meanwhile.length)
        .some(sample => Math.abs(sample) > 4_000),
    ).toBe(true)
  })

  it('frames that cannot be decrypted leave a gap of their length', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await until(
      () => anna.privacyCode && bot.connection.voicePrivacyCode === anna.privacyCode,
      5_000,
      'the group',
    )
    const dave = (bot.connection.state as unknown as Connected).networking.state.dave
    const encrypt = dave.encrypt.bind(dave)
    let frames = 0
    dave.encrypt = packet => {
      frames++
      return frames > 5 && frames <= 9 ? packet : encrypt(packet)
    }
    await bot.play(sine(440, 400))
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words')
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 20, plaintext: 4 })
    const heard = call.heard(BOT)
    const begins = heard.findIndex(sample => Math.abs(sample) > 500)
    const gap = heard.subarray(begins + 5 * 320 + 160, begins + 8 * 320)
    expect(gap.every(sample => sample === 0)).toBe(true)
    expect(loudParts(heard, 440)).toBeGreaterThanOrEqual(13)
  })

  it('users have their own group before any bot joins', async () => {
    const call = calls.open()
    const anna = call.addUser(ANNA)
    const ben = call.addUser(BEN)
    await Promise.all([anna.joined, ben.joined])
    expect(anna.privacyCode).toMatch(/^\d{30}$/)
    expect(ben.privacyCode).toBe(anna.privacyCode)
  })
})
