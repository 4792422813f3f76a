import { DAVESession } from '@snazzah/davey'
import { describe, expect, it } from 'vitest'
import { Close, Op } from '../../../../src/simulator/discord/voice/gateway-message.ts'
import type { VoiceCall } from '../../../../src/simulator/discord/voice/voice-call.ts'
import { BOT, GUILD } from '../../../support/simulator/library-voice-bot.ts'
import { RawBot } from '../../../support/simulator/raw-voice-bot.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
const BEN = '400000000000000002'

describe('a bot under DAVE', () => {
  const calls = new Calls()

  /** A bot with a Session Description, and its end of DAVE, which has not sent anything yet. */
  async function connected(call: VoiceCall, userId = BOT): Promise<{ bot: RawBot; session: DAVESession }> {
    const bot = new RawBot(calls.server)
    call.expect({ userId: BOT, sessionId: 'session', token: call.channelId })
    const session = new DAVESession(1, userId, call.channelId)
    await bot.got(Op.hello)
    const identity = { server_id: GUILD, user_id: BOT, session_id: 'session', token: call.channelId }
    bot.say(Op.identify, { ...identity, max_dave_protocol_version: 1 })
    await bot.got(Op.ready)
    const data = { address: '127.0.0.1', port: 9, mode: 'aead_aes256_gcm_rtpsize' }
    bot.say(Op.selectProtocol, { protocol: 'udp', data })
    const sender = await message(bot, Op.externalSender)
    session.setExternalSender(sender.subarray(3))
    return { bot, session }
  }

  const message = (bot: RawBot, op: number) =>
    until(() => bot.binary.find(each => each[2] === op), 5_000, `binary op ${op}`)

  const say = (bot: RawBot, op: number, payload: Buffer) => bot.send(Buffer.concat([Buffer.of(op), payload]))

  it('that never makes a commit is added to the group by that of a user', async () => {
    const call = calls.open()
    call.faults.committer = 'bot'
    const { bot, session } = await connected(call)
    using _ = bot
    const anna = call.addUser(ANNA)
    say(bot, Op.keyPackage, session.getSerializedKeyPackage())
    const welcome = await message(bot, Op.welcome)
    session.processWelcome(welcome.subarray(5))
    expect(session.voicePrivacyCode).toBe(anna.privacyCode)
    expect(call.transitions).toMatchObject([{ kind: 'formed', by: ANNA }])
  })

  it.each([
    ['is no key package', () => Buffer.from('rubbish')],
    ['belongs to another bot', undefined],
  ])('is thrown out when its key package %s; users do not notice', async (_what, make) => {
    const call = calls.open()
    const { bot, session } = await connected(call, make ? BOT : '300000000000000099')
    say(bot, Op.keyPackage, make ? make() : session.getSerializedKeyPackage())
    expect(await bot.ended()).toBe(Close.badRequest)
    const anna = call.addUser(ANNA)
    const ben = call.addUser(BEN)
    await Promise.all([anna.joined, ben.joined])
    expect(anna.privacyCode).toMatch(/^\d{30}$/)
    expect(ben.privacyCode).toBe(anna.privacyCode)
  })

  it.each([
    ['rubbish', () => Buffer.from('rubbish'), false],
    ['a commit of another epoch', (good: Buffer) => changed(good, 4 + 9 + 7), false],
    // The server cannot detect it: it has no key.
    ['a commit with a wrong tag', (good: Buffer) => changed(good, -1), true],
  ])('that sends %s does no lasting harm', async (_what, spoil, wins) => {
    const call = calls.open()
    call.faults.committer = 'bot'
    const { bot, session } = await connected(call)
    const anna = call.addUser(ANNA)
    const ben = call.addUser(BEN)
    say(bot, Op.keyPackage, session.getSerializedKeyPackage())
    const proposals = await message(bot, Op.proposals)
    const { commit, welcome } = session.processProposals(0, proposals.subarray(4), [BOT, ANNA, BEN])
    say(bot, Op.commitWelcome, Buffer.concat([spoil(commit!), welcome!]))
    const first = await until(() => call.transitions[0], 5_000, 'the first group')
    expect(first.by === BOT).toBe(wins)
    call.forget(BOT)
    await until(() => anna.privacyCode && anna.privacyCode === ben.privacyCode, 10_000, 'their group')
    await call.settled()
    expect(ben.privacyCode).toBe(anna.privacyCode)
  })

  it('that corrupts a group from within does not harm its members', async () => {
    const call = calls.open()
    call.faults.committer = 'bot'
    const { bot, session } = await connected(call)
    const anna = call.addUser(ANNA)
    say(bot, Op.keyPackage, session.getSerializedKeyPackage())
    const formed = session.processProposals(0, (await message(bot, Op.proposals)).subarray(4), [BOT, ANNA])
    say(bot, Op.commitWelcome, Buffer.concat([formed.commit!, formed.welcome!]))
    session.processCommit((await message(bot, Op.announceCommit)).subarray(5))
    await call.settled()
    bot.binary.length = 0
    const ben = call.addUser(BEN)
    const added = session.processProposals(0, (await message(bot, Op.proposals)).subarray(4), [
      BOT,
      ANNA,
      BEN,
    ])
    say(bot, Op.commitWelcome, Buffer.concat([changed(added.commit!, -1), added.welcome!]))
    await message(bot, Op.announceCommit)
    call.forget(BOT)
    await call.settled()
    expect(call.transitions.map(({ kind, by }) => [kind, by])).toEqual([
      ['formed', BOT],
      ['added', BOT],
      ['removed', BEN],
      ['added', BEN],
    ])
    expect(anna.privacyCode).toMatch(/^\d{30}$/)
    expect(ben.privacyCode).toBe(anna.privacyCode)
  })
})

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  const index = at < 0 ? copy.length + at : at
  copy[index] = copy[index]! ^ 1
  return copy
}
