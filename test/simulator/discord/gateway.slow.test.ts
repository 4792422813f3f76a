import { Events, GatewayIntentBits } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator, type DiscordStandInOptions } from '../../../simulator/index.ts'
import { enter, isReady, login, nextOf } from '../../support/simulator/discord-bot.ts'
import { until } from '../../support/until.ts'

const { Guilds, GuildMembers, GuildMessages, GuildVoiceStates, MessageContent } = GatewayIntentBits

async function casa(options: DiscordStandInOptions = {}) {
  const discord = await DiscordSimulator.listen(options)
  const guild = discord.addGuild({ name: 'Casa' })
  const text = guild.addTextChannel({ name: 'general' })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  const ana = guild.addMember({ name: 'Ana' })
  return { discord, guild, text, sala, ana, [Symbol.asyncDispose]: () => discord.close() }
}

describe('a session', () => {
  it.each([
    ['a close with 4000', ({ faults }: DiscordSimulator) => faults.gateway.close(4000)],
    ['a broken connection', ({ faults }: DiscordSimulator) => faults.gateway.drop()],
    ['op 7', ({ faults }: DiscordSimulator) => faults.gateway.reconnect()],
    ['op 9 with true', ({ faults }: DiscordSimulator) => faults.gateway.invalidSession(true)],
  ])('is resumed after %s, with what was missed', async (_, break_) => {
    await using place = await casa()
    await using bot = await login(place.discord)
    const guild = bot.client.guilds.cache.get(place.guild.id)
    place.discord.faults.gateway.mute = true
    place.guild.addTextChannel({ name: 'missed' })
    expect(guild?.channels.cache.size).toBe(2)
    place.discord.faults.gateway.mute = false
    const resumed = nextOf(bot.client, Events.ShardResume)
    break_(place.discord)
    const [, replayed] = await resumed
    expect(replayed).toBeGreaterThanOrEqual(1)
    expect(guild?.channels.cache.some(({ name }) => name === 'missed')).toBe(true)
    expect(place.discord.sessions).toMatchObject([{ resumes: 1, connected: true }])
  })

  it('restarts after a final close, and the bot is out of its voice channel', async () => {
    const ends: readonly ((discord: DiscordSimulator) => void)[] = [
      ({ faults }) => faults.gateway.invalidSession(false),
      ({ faults }) => faults.gateway.close(4009),
      ({ faults }) => {
        faults.gateway.refuseResume = true
        faults.gateway.close(4000)
      },
    ]
    // The client identifies at most every five seconds, so all at once.
    const anew = async (end: (discord: DiscordSimulator) => void) => {
      await using place = await casa()
      using _trusted = place.discord.trust()
      await using bot = await login(place.discord)
      const connection = enter(bot, place.sala)
      await isReady(connection)
      const ready = nextOf(bot.client, Events.ShardReady)
      end(place.discord)
      await until(() => place.guild.bot.voice === undefined, 10_000, 'the end in voice')
      connection.destroy()
      await ready
      await until(() => place.discord.sessions[1]?.connected, 10_000, 'another session')
      expect(place.discord.sessions).toMatchObject([{ connected: false }, { resumes: 0 }])
    }
    await Promise.all(ends.map(anew))
  })

  it('continues in voice while it is resumed', async () => {
    await using place = await casa()
    using _trusted = place.discord.trust()
    await using bot = await login(place.discord)
    const connection = enter(bot, place.sala)
    await isReady(connection)
    const resumed = nextOf(bot.client, Events.ShardResume)
    place.discord.faults.gateway.drop()
    await resumed
    expect(place.guild.bot.voice?.channel).toBe(place.sala)
    expect(place.sala.call.connected(place.discord.bot.id)).toBe(true)
    connection.destroy()
  })

  it('is not resumed while its own address is rejected, and then is', async () => {
    await using place = await casa()
    await using bot = await login(place.discord)
    const refused = nextOf(bot.client, Events.ShardError)
    const resumed = nextOf(bot.client, Events.ShardResume)
    place.discord.faults.gateway.refuseResumeUrl = true
    place.discord.faults.gateway.drop()
    expect(String(await refused)).toContain('503')
    expect(place.discord.sessions).toMatchObject([{ resumes: 0 }])
    place.discord.faults.gateway.refuseResumeUrl = false
    await resumed
    expect(place.discord.sessions).toMatchObject([{ resumes: 1 }])
  })

  it('is resumed by a client that misses the answer to its heartbeat', async () => {
    await using place = await casa({ gatewayHeartbeatMs: 250 })
    await using bot = await login(place.discord)
    const resumed = nextOf(bot.client, Events.ShardResume)
    place.discord.faults.gateway.ignoreHeartbeats = true
    await until(() => place.discord.sessions[0]?.connected === false, 10_000, 'the client giving up')
    place.discord.faults.gateway.ignoreHeartbeats = false
    await resumed
    expect(place.discord.sessions[0]?.resumes).toBeGreaterThanOrEqual(1)
  })
})

describe('a guild', () => {
  it('goes down, returns, is created and deleted', async () => {
    await using place = await casa()
    const { discord, guild } = place
    await using bot = await login(discord)
    const down = nextOf(bot.client, Events.GuildUnavailable)
    guild.goDown()
    await down
    const back = nextOf(bot.client, Events.GuildAvailable)
    guild.comeBack()
    await back
    const added = nextOf(bot.client, Events.GuildCreate)
    const other = discord.addGuild({ name: 'Piso', locale: 'it' })
    expect(await added).toMatchObject([{ name: 'Piso', preferredLocale: 'it' }])
    await other.remove()
    await until(() => bot.client.guilds.cache.size === 1, 5_000, 'the guild going')
    await expect(bot.client.guilds.fetch(other.id)).rejects.toMatchObject({ code: 50001 })
  })

  it('goes to its shard', async () => {
    await using discord = await DiscordSimulator.listen()
    await using first = await login(discord, { shards: [0], shardCount: 2 })
    await using second = await login(discord, { shards: [1], shardCount: 2 })
    const guild = discord.addGuild({ name: 'Casa' })
    const of = Number((BigInt(guild.id) >> 22n) % 2n)
    const [mine, other] = of === 0 ? [first, second] : [second, first]
    await until(() => mine.client.guilds.cache.has(guild.id), 5_000, 'the guild')
    expect(other.client.guilds.cache.size).toBe(0)
  })
})

describe('intents', () => {
  it('decide which events are sent', async () => {
    await using place = await casa({ privilegedIntents: ['GuildMembers', 'MessageContent'] })
    const { discord, guild, text, ana, sala } = place
    await ana.join(sala)
    await using all = await login(discord, {
      intents: [Guilds, GuildMembers, GuildMessages, GuildVoiceStates, MessageContent],
    })
    await using few = await login(discord, { intents: [Guilds, GuildMessages] })
    const seen: string[] = []
    for (const [name, { client }] of [
      ['all', all],
      ['few', few],
    ] as const) {
      client.on(Events.GuildMemberAdd, ({ displayName }) => seen.push(`${name}: ${displayName} came`))
      client.on(Events.VoiceStateUpdate, ({ member }) => seen.push(`${name}: ${member?.displayName} moved`))
      client.on(Events.MessageCreate, ({ content }) => seen.push(`${name}: ${content || 'hidden'}`))
    }
    guild.addMember({ name: 'Ben' })
    await ana.leave()
    ana.write(text, 'hello')
    ana.write(text, `<@${discord.bot.id}> hello`)
    await until(() => seen.filter(line => line.includes('<@')).length === 2, 5_000, 'the last message')
    expect(seen.filter(line => line.startsWith('all'))).toEqual([
      'all: Ben came',
      'all: Ana moved',
      'all: hello',
      `all: <@${discord.bot.id}> hello`,
    ])
    expect(seen.filter(line => line.startsWith('few'))).toEqual([
      'few: hidden',
      `few: <@${discord.bot.id}> hello`,
    ])
    expect(text.messages[1]?.pings).toEqual([discord.bot.id])
    const found = await all.client.guilds.cache.get(guild.id)?.members.fetch()
    expect(found?.size).toBe(4)
  })
})
