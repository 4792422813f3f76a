import { expect, test } from 'vitest'
import { toneOf } from '../../../../src/simulator/tone-mp3.ts'
import { pause, until } from '../../../helpers/until.ts'
import { anyOf, guildHarness, speech } from './guild.ts'

test('whoever says no is not received from that moment on, and nothing of theirs is translated', async () => {
  await using casa = await guildHarness()
  const { ana, ben } = await casa.anaAndBen()
  const channel = await casa.start()
  const session = await casa.service.sessionOf(1)
  const saying = ana.say(speech(440, 2_500))
  await until(() => session.heardMs > 500, 10_000, 'the service hears Ana')
  channel.optOut(ana.id)
  const packets = casa.counters.packets
  await until(() => !session.connected, 5_000, 'her session is closed')
  await pause(1_500)
  expect(casa.counters.packets).toBe(packets)
  expect(anyOf(casa.sala.heard(), toneOf('en-us'))).toBe(false)
  expect(casa.read().filter(text => text.includes('**Ana:**') && text.includes('`en`'))).toEqual([])
  await saying
  expect(channel.status().speakers.find(({ userId }) => userId === ana.id)?.consents).toBe(false)
  // She still hears the others.
  await ben.say(speech(440, 1_200))
  await casa.heard(toneOf('es-es'), 800)
  channel.optIn(ana.id)
  await ana.say(speech(440, 1_200))
  await casa.heard(toneOf('en-us'), 800)
})

test('a no from another time or place counts, and is heeded at once', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  casa.preferences.setOptedOut(ana.id, true)
  await ana.join(casa.sala)
  await ben.join(casa.sala)
  const channel = await casa.start()
  await ana.say(speech(440, 1_000))
  expect(casa.counters.packets).toBe(0)
  casa.preferences.setOptedOut(ben.id, true)
  await until(() => channel.status().speakers.every(({ consents }) => !consents), 3_000, 'Ben is heeded')
  await ben.say(speech(440, 1_000))
  expect(casa.counters.packets).toBe(0)
  expect(casa.service.sessions.filter(({ connected }) => connected)).toEqual([])
})

test('bots are nobody to listen to', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  const robot = casa.guild.addMember({ name: 'Robot', bot: true })
  await ana.join(casa.sala)
  await robot.join(casa.sala)
  const channel = await casa.start()
  await robot.say(speech(440, 1_000))
  expect(channel.status().speakers.map(({ userId }) => userId)).toEqual([ana.id])
  expect(casa.counters.packets).toBe(0)
})

test('the notice is there before anybody is listened to, and taken back at the end', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'] })
  const { ana } = await casa.anaAndBen()
  const channel = await casa.start({ startedBy: ana.id })
  const [notice] = casa.sala.visible
  // In the languages of those who are there.
  expect(notice?.text).toContain('started by Ana')
  expect(notice?.text).toContain('iniciada por Ana')
  expect(JSON.stringify(notice?.components)).toContain('opt-out')
  expect(notice?.pings).toEqual([])
  await until(() => casa.guild.bot.displayName === '🔴 dragoman', 5_000, 'the name shows it')
  await channel.stop(ana.id)
  expect(notice?.text).toContain('⚪')
  expect(notice?.components).toEqual([])
  expect(casa.guild.bot.nick).toBeNull()
})

test('the name that the bot had is its again, also after a process that died', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'] })
  casa.guild.setNick(casa.guild.bot, '🔴 Truchimán')
  await casa.person('Ana').join(casa.sala)
  const channel = await casa.start()
  await pause(300)
  expect(casa.guild.bot.nick).toBe('🔴 Truchimán')
  await channel.stop('1')
  expect(casa.guild.bot.nick).toBe('Truchimán')
})

test('a mark that a process left which died is taken away when the next one logs in', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'], nick: '🔴 Truchimán' })
  await until(() => casa.guild.bot.nick === 'Truchimán', 5_000, 'its own name')
})
