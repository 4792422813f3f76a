import { describe, expect, it } from 'vitest'
import { BotProblems } from '../../../../src/bridges/discord/channel/channel-notices.ts'
import { ENGLISH_CHANNEL } from '../../../../src/messages/discord/en.ts'

function started({ voice = true, stage = false, answer = 'asked' as 'speaks' | 'asked' | 'cannot' } = {}) {
  const bot = { muted: false, deafened: false, suppressed: false }
  const denied = new Set<string>()
  const told: string[] = []
  let forbidden = 0
  const troubles = new BotProblems({
    view: {
      bot,
      may: (_channel, permission) => !denied.has(permission),
      isStage: () => stage,
      askToSpeak: async () => answer,
    },
    voice,
    tell: notice => told.push(notice(ENGLISH_CHANNEL)),
    forbidden: () => forbidden++,
  })
  return { bot, denied, told, troubles, forbidden: () => forbidden }
}

describe('problems of the bot', () => {
  it('are reported once each time they start', () => {
    const { bot, told, troubles } = started()
    troubles.look('1')
    expect(told).toEqual([])
    bot.muted = true
    for (let n = 0; n < 3; n++) troubles.look('1')
    expect(told).toEqual([ENGLISH_CHANNEL.muted])
    bot.muted = false
    troubles.look('1')
    bot.muted = true
    troubles.look('1')
    expect(told).toEqual([ENGLISH_CHANNEL.muted, ENGLISH_CHANNEL.muted])
  })

  it('include being deafened and not being allowed to speak', () => {
    const { bot, denied, told, troubles } = started()
    bot.deafened = true
    denied.add('Speak')
    troubles.look('1')
    expect(told).toEqual([ENGLISH_CHANNEL.deafened, ENGLISH_CHANNEL.noSpeak])
  })

  it('do not include speaking problems without spoken output', () => {
    const { bot, denied, told, troubles } = started({ voice: false })
    bot.muted = true
    denied.add('Speak')
    troubles.look('1')
    expect(told).toEqual([])
  })

  it.each([
    ['speaks', []],
    ['asked', [ENGLISH_CHANNEL.askedToSpeak]],
    ['cannot', [ENGLISH_CHANNEL.noSpeak]],
  ] as const)('include the audience of a stage: it %s', async (answer, expected) => {
    const { bot, told, troubles } = started({ stage: true, answer })
    bot.suppressed = true
    troubles.look('1')
    troubles.look('1')
    await Promise.resolve()
    expect(told).toEqual(expected)
  })

  it('end the session if the bot is not allowed in the channel', () => {
    const { denied, troubles, forbidden } = started()
    denied.add('Connect')
    troubles.look('1')
    expect(forbidden()).toBe(1)
  })
})
