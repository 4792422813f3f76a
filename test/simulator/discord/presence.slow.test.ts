import { entersState, VoiceConnectionStatus } from '@discordjs/voice'
import { Events } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator } from '../../../simulator/index.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { enter, isReady, login, nextOf, play } from '../../support/simulator/discord-bot.ts'
import { loudParts } from '../../support/simulator/loud-parts.ts'
import { Ear } from '../../support/simulator/voice-packets.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

async function casa(dave = true) {
  const discord = await DiscordSimulator.listen({ dave })
  const trusted = discord.trust()
  const guild = discord.addGuild({ name: 'Casa' })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  const patio = guild.addVoiceChannel({ name: 'Patio' })
  const ana = guild.addMember({ name: 'Ana' })
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

describe.each([true, false])('a voice channel with DAVE %s', dave => {
  it('carries voices both ways, also after the bot is moved', async () => {
    await using place = await casa(dave)
    const { guild, sala, patio, ana, bot } = place
    await ana.join(sala)
    const connection = enter(bot, sala, dave)
    await isReady(connection)
    expect(sala.members).toEqual([ana, guild.bot])
    const ear = new Ear(connection, ana.id)
    await ana.say(sine(600, 600))
    await until(() => ear.packets.length >= 30, 5_000, 'what Ana said')
    expect(loudness(ear.pcm().subarray(1_600, 8_000), 600, 16_000)).toBeGreaterThan(6_000)
    await play(connection, sine(440, 600))
    await until(() => loudParts(sala.heard(), 440) >= 20, 5_000, 'what the bot said')

    const states: string[] = []
    connection.on('stateChange', (_, { status }) => states.push(status))
    await guild.moveBot(patio)
    await ana.moveTo(patio)
    await until(() => states.includes(VoiceConnectionStatus.Ready), 10_000, 'the other channel')
    expect(bot.client.guilds.cache.get(guild.id)?.members.me?.voice.channelId).toBe(patio.id)
    expect(connection.joinConfig.channelId).toBe(patio.id)
    await play(connection, sine(800, 600))
    await until(() => loudParts(patio.heard(), 800) >= 20, 5_000, 'what the bot said there')
    expect([loudParts(sala.heard(), 800), loudParts(patio.heard(), 440)]).toEqual([0, 0])
    connection.destroy()
    await until(() => guild.bot.voice === undefined, 5_000, 'the bot leaving')
  })
})

describe('a voice channel', () => {
  it('moves its server to another region, with and without a gap', async () => {
    await using place = await casa()
    const { sala, bot } = place
    const connection = enter(bot, sala)
    await isReady(connection)
    for (const gap of [{}, { gapMs: 200 }]) {
      const states: string[] = []
      connection.on('stateChange', (_, { status }) => states.push(status))
      await sala.changeRegion('rotterdam', gap)
      await until(() => states.at(-1) === VoiceConnectionStatus.Ready, 10_000, 'the other server')
      expect(states.includes(VoiceConnectionStatus.Disconnected)).toBe('gapMs' in gap)
      await until(() => sala.call.connected(place.discord.bot.id), 5_000, 'the session there')
    }
    expect(sala.region).toBe('rotterdam')
    connection.destroy()
  })

  it('disconnects the bot when it is kicked, when the channel is deleted, and when it leaves the guild', async () => {
    await using place = await casa()
    const { guild, sala, patio, bot } = place
    for (const out of [() => guild.kickBot(), () => guild.deleteChannel(sala)]) {
      const connection = enter(bot, sala)
      await isReady(connection)
      await out()
      await entersState(connection, VoiceConnectionStatus.Disconnected, 5_000)
      expect(connection.state).toMatchObject({ closeCode: 4014 })
      expect(guild.bot.voice).toBeUndefined()
      connection.destroy()
    }
    const connection = enter(bot, patio)
    await isReady(connection)
    await guild.remove()
    // The library destroys the connections of a removed guild.
    await entersState(connection, VoiceConnectionStatus.Destroyed, 5_000)
    expect(bot.client.guilds.cache.size).toBe(0)
  })

  it('blocks the audio of a muted person, and of the audience of a stage', async () => {
    await using place = await casa(false)
    const { discord, guild, bot, ana } = place
    const stage = guild.addVoiceChannel({ name: 'Stage', stage: true })
    await ana.join(stage)
    expect(ana.voice?.suppress).toBe(true)
    const connection = enter(bot, stage, false)
    await isReady(connection)
    const ear = new Ear(connection, ana.id)
    await ana.say(sine(600, 200))
    await ana.setVoice({ suppress: false })
    await ana.say(sine(800, 400))
    await until(() => ear.packets.length >= 20, 5_000, 'what Ana said on the stage')
    expect(loudness(ear.pcm().subarray(800, 5_600), 800, 16_000)).toBeGreaterThan(6_000)
    expect(loudness(ear.pcm(), 600, 16_000)).toBeLessThan(500)

    const me = bot.client.guilds.cache.get(guild.id)?.members.me
    await until(() => me?.voice.suppress, 5_000, 'the audience')
    await expect(me?.voice.setSuppressed(false)).rejects.toMatchObject({ code: 50013 })
    await me?.voice.setRequestToSpeak(true)
    expect(guild.bot.voice?.requestedToSpeakAt).toBeDefined()
    await guild.bot.setVoice({ suppress: false })
    await until(() => me?.voice.suppress === false, 5_000, 'the stage')
    expect(discord.count(50013)).toBe(1)
    connection.destroy()
  })

  it('blocks the bot’s audio while it is muted or not allowed to speak, and sends it nothing while deafened', async () => {
    await using place = await casa(false)
    const { guild, sala, ana, bot } = place
    await ana.join(sala)
    const connection = enter(bot, sala, false)
    await isReady(connection)
    const me = bot.client.guilds.cache.get(guild.id)?.members.me
    const silenced: [number, () => unknown, () => unknown][] = [
      [500, () => guild.bot.setVoice({ mute: true }), () => guild.bot.setVoice({ mute: false })],
      [
        700,
        () => guild.setPermissions(sala, guild.bot, { deny: ['Speak'] }),
        () => guild.setPermissions(sala, guild.bot, {}),
      ],
    ]
    for (const [hz, silence, free] of silenced) {
      await silence()
      await until(() => me?.voice.mute || me?.voice.suppress, 5_000, 'the news')
      await play(connection, sine(hz, 300))
      await free()
      await until(() => !me?.voice.mute && !me?.voice.suppress, 5_000, 'the news')
    }
    await play(connection, sine(900, 300))
    await until(() => loudParts(sala.heard(), 900) >= 10, 5_000, 'what the bot said at last')
    for (const [hz] of silenced) expect(loudParts(sala.heard(), hz)).toBe(0)

    const ear = new Ear(connection, ana.id)
    await guild.bot.setVoice({ deaf: true })
    await ana.say(sine(600, 100))
    await guild.bot.setVoice({ deaf: false })
    await ana.say(sine(800, 300))
    await until(() => ear.packets.length >= 15, 5_000, 'what Ana said')
    expect(loudness(ear.pcm(), 600, 16_000)).toBeLessThan(500)
    connection.destroy()
  })

  it('withholds the events that a fault names', async () => {
    await using place = await casa()
    const { guild, sala, bot } = place
    guild.voice.faults.withholdServer = true
    const connection = enter(bot, sala)
    await nextOf(bot.client, Events.VoiceStateUpdate)
    expect(guild.bot.voice?.channel).toBe(sala)
    expect(connection.state.status).toBe(VoiceConnectionStatus.Signalling)
    guild.voice.faults.withholdServer = false
    connection.rejoin()
    await isReady(connection)
    const moved = nextOf(bot.client, Events.VoiceStateUpdate)
    guild.voice.faults.serverFirst = true
    await guild.moveBot(place.patio)
    await moved
    guild.voice.faults.withholdState = true
    await guild.moveBot(sala)
    await bot.client.guilds.cache.get(guild.id)?.members.fetch({ user: [guild.owner.id] })
    expect(bot.client.guilds.cache.get(guild.id)?.members.me?.voice.channelId).toBe(place.patio.id)
    connection.destroy()
  })
})
