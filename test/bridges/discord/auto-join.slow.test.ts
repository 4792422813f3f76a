import { expect, test } from 'vitest'
import { tone, tones } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { pause, until } from '../../support/until.ts'

/** Translations, unlike notices. */
const ENGLISH_HZ = 1_000
const answer = tones({ hz: to => (to === 'en-us' ? ENGLISH_HZ : 1_500) })
const options = { channels: { dave: false, emptyAfterMs: 200 } }

async function joined(bot: Awaited<ReturnType<typeof ownBot>>) {
  const { interpreter, guild } = bot
  await until(() => interpreter.in(guild.id)?.status().state === 'listening', PATIENCE_MS, 'the channel')
}

test('a channel of the settings is joined when the first person enters, and left when it is empty', async () => {
  await using bot = await ownBot(options, { autoJoins: true, answer })
  const { interpreter, ana, ben, sala, guild } = bot
  const events: string[] = []
  interpreter.on('joined', () => events.push('joined'))
  interpreter.on('left', (_channel, { kind }) => events.push(kind))
  for (const each of [ana, ben]) await each.leave()
  await bot.begin()
  expect(interpreter.in(guild.id)).toBeUndefined()
  await ana.join(sala)
  await joined(bot)
  await ben.join(sala)
  await ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
  await bot.heard(ENGLISH_HZ, 500)
  for (const each of [ana, ben]) await each.leave()
  await until(() => !guild.bot.voice, PATIENCE_MS, 'leaving')
  await ben.join(sala)
  await joined(bot)
  await until(() => events.length >= 3, PATIENCE_MS, 'the event')
  expect(events).toEqual(['joined', 'empty', 'joined'])
})

test('people who are there before the login are enough', async () => {
  await using bot = await ownBot(options, { autoJoins: true, answer })
  await bot.begin()
  await joined(bot)
})

test('after someone stopped it, it is not joined again before everyone has left', async () => {
  await using bot = await ownBot(options, { autoJoins: true, answer })
  const { interpreter, ana, ben, sala, guild } = bot
  await bot.begin()
  await joined(bot)
  await ben.command('interpret stop')
  await ana.leave()
  await ana.join(sala)
  await pause(300)
  expect(interpreter.in(guild.id)).toBeUndefined()
  for (const each of [ana, ben]) await each.leave()
  await ana.join(sala)
  await joined(bot)
})

test('a refusal is logged and tried again later; another channel of the guild waits', async () => {
  await using bot = await ownBot(options, { autoJoins: true, answer })
  const { interpreter, guild, sala } = bot
  guild.setPermissions(sala, guild.bot, { deny: ['Speak'] })
  interpreter.attach(bot.client)
  await bot.logIn()
  await until(() => bot.log.complaints.join().includes('channel not joined'), PATIENCE_MS, 'the complaint')
  expect(bot.log.complaints.join()).toContain('Speak')
  expect(interpreter.in(guild.id)).toBeUndefined()
})
