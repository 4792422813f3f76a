import { expect, test } from 'vitest'
import { tone, tones } from '../../../simulator/index.ts'
import type { RunningChannel, RunningChannels } from '../../../src/bridges/discord/contract.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { total } from '../../support/discord/guild-harness.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

/** Translations, unlike notices. */
const ENGLISH_HZ = 1_000
const answer = tones({ hz: to => (to === 'en-us' ? ENGLISH_HZ : 1_500) })
class Kept implements RunningChannels {
  channels: readonly RunningChannel[] = []
  recent() {
    return this.channels
  }
  keep(channels: readonly RunningChannel[]) {
    this.channels = channels
  }
}

const sentence = () => tone(440, 1_200, SAMPLE_RATE, 12_000)

test('a pause stops everything from being sent while the bot stays; a button of the notice ends it', async () => {
  const running = new Kept()
  await using bot = await ownBot({ running }, { answer })
  const { interpreter, ana, ben, sala, guild } = bot
  const events: string[] = []
  interpreter.on('paused', () => events.push('paused'))
  interpreter.on('resumed', () => events.push('resumed'))
  await bot.begin()
  const channel = await interpreter.join(bot.channel())
  await ana.say(sentence())
  await bot.heard(ENGLISH_HZ, 500)

  expect((await ben.command('interpret pause')).text).toContain('I stay in the channel and send nothing')
  expect(channel.status().state).toBe('paused')
  expect(running.channels).toMatchObject([{ channelId: sala.id, paused: true }])
  await until(() => bot.listening().every(({ connected }) => !connected), PATIENCE_MS, 'no session')
  const [sessions, heardMs] = [bot.listening().length, total(sala.heard(), ENGLISH_HZ)]
  await ana.say(sentence())
  expect(bot.listening()).toHaveLength(sessions)
  // Only what had been sent already: the lead.
  const pausedMs = total(sala.heard(), ENGLISH_HZ)
  expect(pausedMs - heardMs).toBeLessThan(300)
  expect(guild.bot.voice?.channel).toBe(sala)
  expect((await ben.command('interpret pause')).text).toContain('paused already')

  const notice = await bot.message('⏸')
  expect(notice.text).toContain('Ben paused interpreting')
  expect((await ana.press(notice, 'dragoman:resume')).text).toBe('La interpretación continúa.')
  expect(channel.status().state).toBe('listening')
  expect(running.channels).toMatchObject([{ channelId: sala.id }])
  expect(running.channels[0]?.paused).toBeUndefined()
  await bot.message('▶')
  expect(notice.components).toEqual([])
  await ana.say(sentence())
  await bot.heard(ENGLISH_HZ, pausedMs + 500)
  expect(events).toEqual(['paused', 'resumed'])
})

test('paused by the button of the listening notice; after a restart, it is still paused', async () => {
  const running = new Kept()
  await using bot = await ownBot({ running }, { answer })
  await bot.begin()
  await bot.interpreter.join(bot.channel())
  await bot.ana.press(await bot.message('🔴'), 'dragoman:pause')
  await bot.interpreter.close()
  await using next = bot.another({ running })
  next.attach(bot.client)
  await until(() => next.in(bot.guild.id)?.status().state === 'paused', PATIENCE_MS, 'the paused channel')
  // Languages are not kept by this bot.
  await bot.ana.command('interpret language', { language: 'es-es' })
  const sessions = bot.listening().length
  await bot.ana.say(sentence())
  expect(bot.listening()).toHaveLength(sessions)
  expect((await bot.ben.command('interpret resume')).text).toContain('continues')
  await bot.ana.say(sentence())
  await bot.heard(ENGLISH_HZ, 500)
})
