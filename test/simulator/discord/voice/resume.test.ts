import { describe, expect, it } from 'vitest'
import { Close, Op } from '../../../../simulator/discord/voice/gateway-message.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { BOT } from '../../../support/simulator/library-voice-bot.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'

describe('a bot whose socket is gone', () => {
  const calls = new Calls()

  it.each([
    ['is closed with 4015', 4015],
    ['is closed with 1001', 1001],
    ['breaks', undefined],
  ])('resumes when it %s, and misses nothing', async (_what, code) => {
    const { call, bot } = await calls.join()
    using _ = bot
    const anna = call.addUser(ANNA)
    await anna.joined
    if (code === undefined) call.dropSocket(BOT)
    else call.closeSocket(BOT, code)
    // All of this happens while the bot is not connected.
    const ben = call.addUser(BEN)
    await ben.joined
    await bot.ready()
    expect(bot.states.filter(status => status === 'signalling')).toEqual([])
    expect(call.connected(BOT)).toBe(true)
    const ear = bot.hear(BEN)
    await Promise.all([ben.say(sine(600, 400)), bot.play(sine(440, 400))])
    await until(() => ear.packets.length >= 25, 5_000, 'the words of Ben')
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words of the bot')
    expect(loudness(ear.pcm().subarray(800, 6_400), 600, 16_000)).toBeGreaterThan(7_000)
    expect(ben.privacyCode).toBe(bot.connection.voicePrivacyCode)
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 20, undecryptable: 0, plaintext: 0 })
  })

  it('starts again when its session is over', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    call.closeSocket(BOT, Close.sessionInvalid)
    await until(() => !call.connected(BOT), 5_000, 'the end of the session')
    await until(() => call.connected(BOT), 5_000, 'the new session')
    expect(bot.asked).toEqual([call.channelId, call.channelId])
  })
})

describe('a bot without answers to its heartbeats', () => {
  const calls = new Calls({ heartbeatMs: 100 })

  it('resumes', async () => {
    const { call, bot } = await calls.join()
    using _ = bot
    call.faults.silentHeartbeat = true
    await until(() => bot.debug.some(line => line.includes('"op":9')), 5_000, 'op 9')
    call.faults.silentHeartbeat = false
    await bot.ready()
    expect(bot.debug.some(line => line.includes(`"op":${Op.resume}`))).toBe(true)
  })
})
