import { describe, expect, it } from 'vitest'
import { BotProblems } from '../../../../src/bridges/discord/channel/bot-problems.ts'
import { DISCORD } from '../../../../src/messages/en/discord.ts'

function started({
  voice = true,
  stage = false,
  answer = 'requested' as 'speaks' | 'requested' | 'cannot',
} = {}) {
  const bot = { muted: false, deafened: false, suppressed: false }
  const denied = new Set<string>()
  const reported: string[] = []
  let forbidden = 0
  const problems = new BotProblems({
    view: {
      bot,
      may: (_channel, permission) => !denied.has(permission),
      isStage: () => stage,
      askToSpeak: async () => answer,
    },
    voice,
    report: notice => reported.push(notice(DISCORD.channel)),
    forbidden: () => forbidden++,
  })
  return { bot, denied, reported, problems, forbidden: () => forbidden }
}

describe('problems of the bot', () => {
  it('are reported once each time they start', () => {
    const { bot, reported, problems } = started()
    problems.check('1')
    expect(reported).toEqual([])
    bot.muted = true
    for (let n = 0; n < 3; n++) problems.check('1')
    expect(reported).toEqual([DISCORD.channel.muted])
    bot.muted = false
    problems.check('1')
    bot.muted = true
    problems.check('1')
    expect(reported).toEqual([DISCORD.channel.muted, DISCORD.channel.muted])
  })

  it('include being deafened and not being allowed to speak', () => {
    const { bot, denied, reported, problems } = started()
    bot.deafened = true
    denied.add('Speak')
    problems.check('1')
    expect(reported).toEqual([DISCORD.channel.deafened, DISCORD.channel.noSpeak])
  })

  it('do not include speaking problems without spoken output', () => {
    const { bot, denied, reported, problems } = started({ voice: false })
    bot.muted = true
    denied.add('Speak')
    problems.check('1')
    expect(reported).toEqual([])
  })

  it.each([
    ['speaks', []],
    ['requested', [DISCORD.channel.askedToSpeak]],
    ['cannot', [DISCORD.channel.noSpeak]],
  ] as const)('include the audience of a stage: it %s', async (answer, expected) => {
    const { bot, reported, problems } = started({ stage: true, answer })
    bot.suppressed = true
    problems.check('1')
    problems.check('1')
    await Promise.resolve()
    expect(reported).toEqual(expected)
  })

  it('end the session if the bot is not allowed in the channel', () => {
    const { denied, problems, forbidden } = started()
    denied.add('Connect')
    problems.check('1')
    expect(forbidden()).toBe(1)
  })
})
