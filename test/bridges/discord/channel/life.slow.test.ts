import { expect, test } from 'vitest'
import { toneOf } from '../../../../simulator/service/scripted-answers.ts'
import { anyOf, guildHarness, isInterpreter, speech } from '../../../support/discord/guild-harness.ts'
import { noticeHz } from '../../../support/relay/fake-announcer.ts'
import { pause, until } from '../../../support/until.ts'

test('it follows a move: the people there are notified, heard and captioned there', async () => {
  await using casa = await guildHarness()
  const patio = await casa.known(casa.guild.addVoiceChannel({ name: 'Patio' }))
  const ana = casa.person('Ana', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  const cleo = casa.person('Cleo', 'fr-fr')
  await ana.join(casa.sala)
  await ben.join(casa.sala)
  await cleo.join(patio)
  const channel = await casa.start()
  await casa.guild.moveBot(patio)
  await ana.moveTo(patio)
  await until(
    () => channel.channelId === patio.id && channel.status().state === 'listening',
    10_000,
    'the move',
  )
  await until(() => channel.status().speakers.length === 2, 5_000, 'the people of the patio')
  await casa.reads(['🔴', '/interpret privacy'], patio)
  await ana.say(speech(440, 1_000))
  await casa.heard(toneOf('fr-fr'), 600, patio)
  await casa.reads(['**Ana:**', '`fr`'], patio)
  await ben.say(speech(440, 500))
  expect(casa.read().some(text => text.includes('**Ben:**'))).toBe(false)
  expect(channel.status().textChannelId).toBe(patio.id)
})

test('readers are notified when the service is unavailable and when it recovers', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  await casa.person('Ben', 'en-us').join(casa.sala)
  const channel = await casa.start()
  await ana.say(speech(440, 500))
  await until(() => casa.service.sessions.some(({ heardMs }) => heardMs > 0), 10_000, 'Ana')
  await casa.service.stop()
  await ana.say(speech(440, 1_500))
  const message = await until(
    () =>
      casa.sala.visible.find(({ text }) => text.includes('⚠️ El servicio de traducción no está disponible')),
    15_000,
    'a word',
  )
  expect(channel.status().unavailable).toBe(true)
  await casa.service.start()
  await until(() => message.text.includes('Ya funciona'), 20_000, 'the good news')
  expect(casa.sala.visible.filter(({ text }) => text.includes('⚠️'))).toEqual([])
})

test('a language that the service does not recognize is not an outage while it serves others', async () => {
  let refused = 0
  await using casa = await guildHarness({
    service: {
      onSession: session => {
        if (session.namespace !== '/sts' || session.from !== 'es-es') return
        refused++
        session.error({ code: 'bad_parameter', error: 'pair_not_offered', description: 'not recognized' })
        session.drop('kick')
      },
    },
  })
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  const ben = casa.person('Ben', 'en-us')
  await ben.join(casa.sala)
  const channel = await casa.start()
  await ben.say(speech(440, 1_000))
  await casa.heard(toneOf('es-es'), 600)
  await ana.say(speech(440, 1_000))
  await until(() => refused > 0, 5_000, 'a refusal')
  // Longer than the time until an outage is reported.
  await pause(4_000)
  expect(channel.status().unavailable).toBe(false)
  expect(casa.read().some(text => text.includes('⚠️'))).toBe(false)
})

test('it leaves an empty channel, but not one to which someone has returned', async () => {
  await using casa = await guildHarness({ options: { emptyAfterMs: 1_500 } })
  const ana = casa.person('Ana')
  const robot = casa.guild.addMember({ name: 'Robot', bot: true })
  await robot.join(casa.sala)
  await ana.join(casa.sala)
  const channel = await casa.start()
  await ana.leave()
  await until(() => channel.status().speakers.length === 0, 5_000, 'Ana leaves')
  await ana.join(casa.sala)
  await until(() => channel.status().speakers.length === 1, 5_000, 'Ana is back')
  await ana.leave()
  expect(await channel.ended).toEqual({ kind: 'empty' })
  await until(() => casa.guild.bot.voice === undefined, 5_000, 'leaving voice')
})

test('deleting the channel or guild ends it', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana')
  await ana.join(casa.sala)
  const first = await casa.start()
  await casa.guild.deleteChannel(casa.sala)
  expect(await first.ended).toEqual({ kind: 'refused', code: 'channel-gone' })
  const patio = await casa.known(casa.guild.addVoiceChannel({ name: 'Patio' }))
  await ana.join(patio)
  const second = await casa.start({ channelId: patio.id, textChannelId: patio.id })
  await casa.guild.remove()
  expect(await second.ended).toEqual({ kind: 'refused', code: 'guild-gone' })
  expect(casa.relay.legs).toBe(0)
})

test('captions move to the voice channel’s chat when theirs is deleted', async () => {
  await using casa = await guildHarness()
  const text = await casa.known(casa.guild.addTextChannel({ name: 'captions' }))
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  const channel = await casa.start({ textChannelId: text.id })
  await casa.reads(['🔴'], text)
  await casa.guild.deleteChannel(text)
  await until(() => channel.status().textChannelId === casa.sala.id, 5_000, 'the chat')
  await casa.reads(['🔴', '/interpret privacy opt-out'])
  await ana.say(speech(440, 1_000))
  await casa.reads(['**Ana:**'])
})

test('a gateway that resumes or starts a new session changes nothing for those present', async () => {
  await using casa = await guildHarness()
  const { ana, ben } = await casa.anaAndBen()
  const channel = await casa.start()
  const legs = casa.relay.legs
  casa.discord.faults.gateway.reconnect()
  await until(() => casa.discord.sessions.some(({ resumes }) => resumes > 0), 20_000, 'a resume')
  expect(channel.status().speakers.length).toBe(2)
  casa.discord.faults.gateway.refuseResume = true
  casa.discord.faults.gateway.drop()
  // A member leaves while no events are delivered.
  await ben.leave()
  await until(() => casa.discord.sessions.length === 2, 20_000, 'a new session')
  await until(() => channel.status().speakers.length === 1, 20_000, 'Ben is missed')
  await ben.join(casa.sala)
  await until(() => channel.status().speakers.length === 2, 20_000, 'Ben is back')
  expect(casa.relay.legs).toBe(legs)
  await ana.say(speech(440, 1_000))
  await casa.heard(toneOf('en-us'), 600)
})

test('at the end of the process, the bot says goodbye in every channel and leaves', async () => {
  await using casa = await guildHarness()
  const other = casa.discord.addGuild({ name: 'Haus' })
  const raum = await casa.known(other.addVoiceChannel({ name: 'Raum' }))
  await casa.person('Ana', 'es-es').join(casa.sala)
  await other.addMember({ name: 'Otto', locale: 'de' }).join(raum)
  const first = await casa.start()
  const second = await casa.start({ guildId: other.id, channelId: raum.id, textChannelId: raum.id })
  expect(await casa.interpreters.start(casa.request())).toEqual({ kind: 'already', channelId: casa.sala.id })
  await casa.interpreters.close()
  expect([await first.ended, await second.ended]).toEqual([
    { kind: 'parent-closed' },
    { kind: 'parent-closed' },
  ])
  expect(anyOf(casa.sala.heard(), noticeHz('goodbye'))).toBe(true)
  expect(anyOf(raum.heard(), noticeHz('goodbye'))).toBe(true)
  expect(casa.relay.legs).toBe(0)
  expect(await casa.interpreters.start(casa.request())).toEqual({ kind: 'parent-closed' })
})

test('a failed start returns the reason', async () => {
  await using casa = await guildHarness({ options: { maxChannels: 1 } })
  const text = await casa.known(casa.guild.addTextChannel({ name: 'chat' }))
  expect(await casa.interpreters.start(casa.request({ roomCode: '000000' }))).toEqual({ kind: 'wrong-code' })
  expect(await casa.interpreters.start(casa.request({ channelId: text.id }))).toEqual({
    kind: 'refused',
    code: 'channel-gone',
  })
  expect(await casa.interpreters.start(casa.request({ guildId: '1' }))).toEqual({
    kind: 'refused',
    code: 'guild-gone',
  })
  expect(isInterpreter(await casa.interpreters.start(casa.request()))).toBe(true)
  const other = casa.discord.addGuild({ name: 'Haus' })
  await until(() => casa.client.guilds.cache.has(other.id), 5_000, 'the second guild')
  expect(await casa.interpreters.start(casa.request({ guildId: other.id }))).toEqual({ kind: 'full' })
})

test('destroying the client ends it within a bounded time', async () => {
  await using casa = await guildHarness()
  await casa.person('Ana', 'es-es').join(casa.sala)
  const channel = await casa.start()
  await casa.client.destroy()
  expect(await channel.ended).toEqual({ kind: 'parent-closed' })
  expect(casa.relay.legs).toBe(0)
})
