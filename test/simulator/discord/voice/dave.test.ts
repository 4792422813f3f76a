import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trust } from '../../../../simulator/discord/voice/certificate.ts'
import type { VoiceCall } from '../../../../simulator/discord/voice/voice-call.ts'
import { VoiceServer } from '../../../../simulator/discord/voice/voice-server.ts'
import type { VoiceUser } from '../../../../simulator/discord/voice/voice-user.ts'
import { BOT, GUILD, RealBot } from '../../../support/simulator/library-voice-bot.ts'
import { loudParts } from '../../../support/simulator/loud-parts.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'

let server: VoiceServer
let trusted: Disposable
beforeAll(async () => {
  server = await VoiceServer.listen()
  trusted = trust(server.certificate)
})
afterAll(async () => {
  await server.close()
  trusted[Symbol.dispose]()
})

async function join(channelId: string): Promise<{ call: VoiceCall; bot: RealBot }> {
  const call = server.openCall(GUILD, channelId)
  call.expect({ userId: BOT, sessionId: 'session', token: `token of ${channelId}` })
  const bot = new RealBot(() => server.endpoint, call, { token: `token of ${channelId}` })
  await bot.ready()
  return { call, bot }
}

/** The user says a tone and the bot another: both must be audible, complete and at their level. */
async function bothWays(call: VoiceCall, bot: RealBot, user: VoiceUser): Promise<void> {
  // Without an id to confirm, the bot can be slightly late.
  await until(() => user.privacyCode === (bot.connection.voicePrivacyCode ?? undefined), 5_000, 'the group')
  const ear = bot.hear(user.userId)
  const from = call.heard(BOT).length
  const silence = call.packetsFrom(BOT).silence
  const before = ear.packets.length
  await Promise.all([user.say(sine(600, 500)), bot.play(sine(440, 500))])
  await until(() => ear.packets.length >= before + 30, 5_000, `the words of ${user.userId}`)
  await until(() => call.packetsFrom(BOT).silence >= silence + 4, 5_000, 'the words of the bot')
  expect(ear.packets.length).toBe(before + 30)
  expect(loudParts(ear.pcm(before), 600)).toBeGreaterThanOrEqual(23)
  expect(loudParts(call.heard(BOT).subarray(from), 440)).toBeGreaterThanOrEqual(20)
  const code = bot.connection.voicePrivacyCode ?? undefined
  for (const each of call.users) expect(each.privacyCode).toBe(code)
  expect(code === undefined).toBe(call.daveVersion === 0)
}

describe.each(['bot', 'user'] as const)('a DAVE group where the commit of the %s wins', committer => {
  it('lets everyone hear everyone while users join and leave', async () => {
    const { call, bot } = await join(committer === 'bot' ? '500000000000000001' : '500000000000000002')
    using _ = bot
    call.faults.committer = committer
    const anna = call.addUser(ANNA)
    await anna.joined
    await bothWays(call, bot, anna)
    const ben = call.addUser(BEN)
    await ben.joined
    await bothWays(call, bot, ben)
    anna.leave()
    await call.settled()
    await bothWays(call, bot, ben)
    await call.downgrade()
    expect(call.daveVersion).toBe(0)
    await bothWays(call, bot, ben)
    await call.upgrade()
    await bothWays(call, bot, ben)
    ben.leave()
    await call.settled()
    const again = call.addUser(ANNA)
    await again.joined
    await bothWays(call, bot, again)
    const winners = new Set(
      call.transitions.filter(({ kind }) => kind !== 'downgraded').map(({ by }) => by === BOT),
    )
    // Only the bot is present when the last user leaves, and when the first joins.
    expect([...winners]).toEqual(committer === 'bot' ? [true] : [false, true])
    const counts = call.packetsFrom(BOT)
    expect(counts).toMatchObject({ undecryptable: 0, plaintext: 0, broken: 0, gaps: 0, undecodable: 0 })
    expect(bot.errors).toEqual([])
  })
})
