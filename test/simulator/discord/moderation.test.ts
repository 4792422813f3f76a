import { Routes } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator } from '../../../src/simulator/index.ts'
import { enter, isReady, login, play } from '../../support/simulator/discord-bot.ts'
import { loudParts } from '../../support/simulator/loud-parts.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

async function casa() {
  const discord = await DiscordSimulator.listen({ dave: false })
  const trusted = discord.trust()
  const guild = discord.addGuild({ name: 'Casa' })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  const patio = guild.addVoiceChannel({ name: 'Patio' })
  const ana = guild.addMember({ name: 'Ana' })
  await ana.join(sala)
  const bot = await login(discord)
  return {
    ...{ discord, guild, sala, patio, ana, bot },
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]()
      await discord.close()
      trusted[Symbol.dispose]()
    },
  }
}

describe('a bot', () => {
  it('sees at once who is in voice', async () => {
    await using place = await casa()
    const { guild, ana, bot, sala } = place
    const seen = bot.client.guilds.cache.get(guild.id)
    expect(seen?.voiceStates.cache.map(({ id, channelId }) => [id, channelId])).toEqual([[ana.id, sala.id]])
    expect(seen?.members.cache.map(({ displayName }) => displayName).sort()).toEqual(['Ana', 'dragoman'])
    expect(seen?.memberCount).toBe(3)
    expect((await seen?.voiceStates.fetch(ana.id))?.channelId).toBe(sala.id)
    await expect(seen?.voiceStates.fetch('@me')).rejects.toMatchObject({ code: 10065 })
  })

  it('mutes, moves and renames others with the permissions for it', async () => {
    await using place = await casa()
    const { guild, ana, bot, patio } = place
    const member = bot.client.guilds.cache.get(guild.id)?.members.cache.get(ana.id)
    for (const act of [
      () => member?.voice.setMute(true),
      () => member?.voice.setChannel(patio.id),
      () => member?.setNickname('Anita'),
    ])
      await expect(act()).rejects.toMatchObject({ code: 50013 })
    guild.setRoles(guild.bot, [
      guild.addRole({ name: 'Boss', permissions: ['MuteMembers', 'MoveMembers', 'ManageNicknames'] }),
    ])
    await member?.voice.setMute(true)
    await member?.voice.setChannel(patio.id)
    await member?.setNickname('Anita')
    expect(ana).toMatchObject({ mute: true, nick: 'Anita', displayName: 'Anita' })
    expect(ana.voice?.channel).toBe(patio)
    await member?.voice.disconnect()
    await until(() => !ana.voice, 5_000, 'Ana being put out')
    await expect(member?.voice.setChannel(patio.id)).rejects.toMatchObject({ code: 40032 })
  })

  it('sets the status of a voice channel that it is in', async () => {
    await using place = await casa()
    const { guild, sala, bot } = place
    const say = (status: string) =>
      bot.client.rest.put(`${Routes.channel(sala.id)}/voice-status`, { body: { status } })
    await expect(say('Interpreting')).rejects.toMatchObject({ code: 50013 })
    guild.setPermissions(sala, guild.bot, { allow: ['SetVoiceChannelStatus'] })
    await expect(say('Interpreting')).rejects.toMatchObject({ code: 50013 })
    const connection = enter(bot, sala, false)
    await isReady(connection)
    await say('Interpreting')
    expect(sala.status).toBe('Interpreting')
    await expect(say('x'.repeat(501))).rejects.toMatchObject({ code: 50035 })
    await say('')
    expect(sala.status).toBeNull()
    connection.destroy()
  })

  it('talks in two guilds at once, each with its own audio', async () => {
    await using place = await casa()
    const { discord, sala, bot } = place
    const piso = discord.addGuild({ name: 'Piso' })
    const salon = piso.addVoiceChannel({ name: 'Salon' })
    await until(() => bot.client.guilds.cache.has(piso.id), 5_000, 'the other guild')
    const both = [enter(bot, sala, false), enter(bot, salon, false)] as const
    await Promise.all(both.map(isReady))
    await Promise.all([play(both[0], sine(500, 400)), play(both[1], sine(900, 400))])
    for (const [channel, mine, other] of [
      [sala, 500, 900],
      [salon, 900, 500],
    ] as const) {
      await until(() => loudParts(channel.heard(), mine) >= 14, 5_000, 'the bot')
      expect(loudParts(channel.heard(), other)).toBe(0)
    }
    for (const connection of both) connection.destroy()
  })
})
