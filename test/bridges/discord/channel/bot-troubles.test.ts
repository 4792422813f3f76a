import { describe, expect, it } from 'vitest'
import { BotTroubles } from '../../../../src/bridges/discord/channel/bot-troubles.ts'
import { ENGLISH } from '../../../../src/bridges/discord/channel/words/en.ts'

function started({ voice = true, stage = false, answer = 'asked' as 'speaks' | 'asked' | 'cannot' } = {}) {
  const bot = { muted: false, deafened: false, suppressed: false }
  const denied = new Set<string>()
  const told: string[] = []
  let forbidden = 0
  const troubles = new BotTroubles({
    view: {
      bot,
      may: (_channel, permission) => !denied.has(permission),
      isStage: () => stage,
      askToSpeak: async () => answer,
    },
    voice,
    tell: notice => told.push(notice(ENGLISH)),
    forbidden: () => forbidden++,
  })
  return { bot, denied, told, troubles, forbidden: () => forbidden }
}

describe('what keeps the bot from hearing or being heard', () => {
  it('is told once each time it begins', () => {
    const { bot, told, troubles } = started()
    troubles.look('1')
    expect(told).toEqual([])
    bot.muted = true
    for (let n = 0; n < 3; n++) troubles.look('1')
    expect(told).toEqual([ENGLISH.muted])
    bot.muted = false
    troubles.look('1')
    bot.muted = true
    troubles.look('1')
    expect(told).toEqual([ENGLISH.muted, ENGLISH.muted])
  })

  it('is that it hears nobody, or may not speak', () => {
    const { bot, denied, told, troubles } = started()
    bot.deafened = true
    denied.add('Speak')
    troubles.look('1')
    expect(told).toEqual([ENGLISH.deafened, ENGLISH.noSpeak])
  })

  it('is nothing to those who only read', () => {
    const { bot, denied, told, troubles } = started({ voice: false })
    bot.muted = true
    denied.add('Speak')
    troubles.look('1')
    expect(told).toEqual([])
  })

  it.each([
    ['speaks', []],
    ['asked', [ENGLISH.askedToSpeak]],
    ['cannot', [ENGLISH.noSpeak]],
  ] as const)('is the audience of a stage: it %s', async (answer, expected) => {
    const { bot, told, troubles } = started({ stage: true, answer })
    bot.suppressed = true
    troubles.look('1')
    troubles.look('1')
    await Promise.resolve()
    expect(told).toEqual(expected)
  })

  it('may be that it must go', () => {
    const { denied, troubles, forbidden } = started()
    denied.add('Connect')
    troubles.look('1')
    expect(forbidden()).toBe(1)
  })
})
