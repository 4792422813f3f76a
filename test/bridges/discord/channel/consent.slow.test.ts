import { expect, test } from 'vitest'
import { toneOf } from '../../../../simulator/service/scripted-answers.ts'
import { anyOf, guildHarness, speech } from '../../../support/discord/guild-harness.ts'
import { pause, until } from '../../../support/until.ts'

test('a user who opts out is no longer received or translated from that moment on', async () => {
  await using casa = await guildHarness()
  const { ana, ben } = await casa.anaAndBen()
  const channel = await casa.start()
  const saying = ana.say(speech(440, 2_500))
  const session = await until(
    () => casa.service.sessions.find(({ heardMs }) => heardMs > 500),
    10_000,
    'the service hears Ana',
  )
  channel.optOut(ana.id)
  const packets = casa.counters.packets
  await until(() => !session.connected, 5_000, 'her session is closed')
  // That is not an outage.
  expect(channel.status().unavailable).toBe(false)
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

test('an earlier opt-out, or one from another guild, takes effect immediately', async () => {
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

test('bots are not listened to', async () => {
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

test('the notice is posted before anyone is listened to, and updated at the end', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'] })
  const { ana } = await casa.anaAndBen()
  const channel = await casa.start({ startedBy: ana.id })
  const [notice] = casa.sala.visible
  // In the languages of the members.
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

test('a newcomer is listened to only after a notice in their language, without a packet before', async () => {
  await using casa = await guildHarness()
  await casa.anaAndBen()
  const channel = await casa.start()
  const cleo = casa.person('Cleo', 'fr-fr')
  await cleo.join(casa.sala)
  casa.discord.faults.rest.always({ only: 'POST /channels/:channel/messages', delayMs: 600 })
  const notice = () => casa.read().find(text => text.includes('🔴 Cleo : ce qui se dit'))
  const saying = cleo.say(speech(440, 2_500))
  let before = 0
  await until(
    () => {
      if (notice()) return true
      before = casa.counters.packets
      return false
    },
    5_000,
    'the notice',
  )
  expect(before).toBe(0)
  await saying
  await cleo.say(speech(440, 1_000))
  await until(() => casa.counters.packets > 20, 5_000, 'the voice')
  expect(channel.status().speakers.length).toBe(3)
})

test('after a move, the notice is posted again, and members who moved too are received without a gap', async () => {
  await using casa = await guildHarness()
  const patio = await casa.known(casa.guild.addVoiceChannel({ name: 'Patio' }))
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  const cleo = casa.person('Cleo', 'fr-fr')
  await cleo.join(patio)
  const channel = await casa.start()
  casa.discord.faults.rest.always({ only: 'POST /channels/:channel/messages', delayMs: 600 })
  await casa.guild.moveBot(patio)
  const saying = cleo.say(speech(440, 2_000))
  let before = 0
  await until(
    () => {
      if (casa.read(patio).some(text => text.includes('Interprétation en direct'))) return true
      before = casa.counters.packets
      return false
    },
    5_000,
    'the notice',
  )
  expect(before).toBe(0)
  await ana.moveTo(patio)
  await until(() => channel.status().speakers.length === 2, 5_000, 'Ana')
  const packets = casa.counters.packets
  await saying
  await until(() => casa.counters.packets > packets + 10, 5_000, 'the voice')
})

test('members are listened to if the notice repeatedly cannot be posted', async () => {
  await using casa = await guildHarness()
  const { ana } = await casa.anaAndBen()
  casa.discord.faults.rest.always({ only: 'POST /channels/:channel/messages', code: 50_013 })
  const channel = await casa.start()
  await ana.say(speech(440, 500))
  expect(casa.counters.packets).toBe(0)
  await until(() => channel.status().speakers.length === 2, 5_000, 'both')
  await until(() => casa.relay.legs >= 4, 8_000, 'the speakers')
  await ana.say(speech(440, 500))
  await until(() => casa.counters.packets > 15, 5_000, 'the voice')
})

test('the bot’s previous nickname is restored, also after a crash', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'] })
  casa.guild.setNick(casa.guild.bot, '🔴 Truchimán')
  await casa.person('Ana').join(casa.sala)
  const channel = await casa.start()
  await pause(300)
  expect(casa.guild.bot.nick).toBe('🔴 Truchimán')
  await channel.stop('1')
  expect(casa.guild.bot.nick).toBe('Truchimán')
})

test('the mark of a crashed process is removed at the next login', async () => {
  await using casa = await guildHarness({ permissions: ['ChangeNickname'], nick: '🔴 Truchimán' })
  await until(() => casa.guild.bot.nick === 'Truchimán', 5_000, 'its own name')
})
