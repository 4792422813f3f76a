import { expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const MENU = 'dragoman:language'

test('a language chosen in the menu of the notice counts from the next sentence on, and is remembered', async () => {
  await using bot = await ownBot()
  const { interpreter, client, ana, ben, sala, guild } = bot
  interpreter.attach(client)
  await bot.logIn()
  await interpreter.ready()
  const channel = await interpreter.join(bot.channel(), { output: ['en-us'] })
  const languageOf = (id: string) => channel.status().speakers.find(({ userId }) => userId === id)
  // Outside of communities, Discord reports English for everyone.
  expect(languageOf(ana.id)?.language).toBe('en-us')
  const notice = await until(
    () => sala.visible.find(({ text }) => text.includes('🔴')),
    PATIENCE_MS,
    'the notice',
  )
  expect((await ana.press(notice, MENU, ['fr-fr'])).text).toContain('francés')
  expect(languageOf(ana.id)).toMatchObject({ language: 'fr-fr', languageFrom: 'asked' })
  await ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
  await bot.heard(toneOf('en-us'), 500)
  expect(channel.status().speakers.find(({ userId }) => userId === ben.id)?.language).toBe('en-us')
  // Remembered: it counts in the next channel as well.
  await interpreter.leave(guild.id)
  const again = await interpreter.join(bot.channel())
  await until(
    () => again.status().speakers.find(({ userId }) => userId === ana.id)?.language === 'fr-fr',
    PATIENCE_MS,
    'the remembered language',
  )
})

test('a menu of another application, and a language that the service does not have, change nothing', async () => {
  await using bot = await ownBot()
  const { interpreter, client, ana, sala } = bot
  interpreter.attach(client)
  await bot.logIn()
  await interpreter.ready()
  const channel = await interpreter.join(bot.channel())
  const notice = await until(
    () => sala.visible.find(({ text }) => text.includes('🔴')),
    PATIENCE_MS,
    'the notice',
  )
  expect((await ana.press(notice, MENU, ['xx-xx'])).text).not.toContain('xx-xx is')
  // Discord reports the locale of a person with each interaction.
  expect(channel.status().speakers.find(({ userId }) => userId === ana.id)).toMatchObject({
    language: 'es-es',
    languageFrom: 'locale',
  })
})
