// The bot's own program can use its voice for something else, such as music. A bot has one voice connection per guild.
import {
  getVoiceConnection,
  joinVoiceChannel,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice'
import { describe, expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { isReady } from '../../support/simulator/discord-bot.ts'
import { until } from '../../support/until.ts'

type Bot = Awaited<ReturnType<typeof ownBot>>

/** The host connects to a channel, as its own commands do. */
function connect(
  { client, guild, sala }: Bot,
  { channelId = sala.id, group = 'default' } = {},
): VoiceConnection {
  const { voiceAdapterCreator: adapterCreator } = client.guilds.cache.get(guild.id)!
  return joinVoiceChannel({ guildId: guild.id, channelId, group, adapterCreator, daveEncryption: false })
}

const inMusic = (bot: Bot) => until(() => bot.guild.bot.voice?.channel, PATIENCE_MS, 'the bot in a channel')

describe.each([
  ['in the library’s own group', () => 'default'],
  ['in a group of the bot’s ID', ({ client }: Bot) => client.user!.id],
] as const)('a connection of the host %s', (_name, groupOf) => {
  test('stays as it is: interpreting does not start, and says who is there', async () => {
    await using bot = await ownBot({}, { autoJoins: true })
    const { interpreter, guild, ben, sala } = bot
    await bot.logIn()
    const music = guild.addVoiceChannel({ name: 'Music' })
    await until(() => bot.client.channels.cache.has(music.id), PATIENCE_MS, 'the channel')
    const hosts = await isReady(connect(bot, { channelId: music.id, group: groupOf(bot) }))
    await inMusic(bot)

    interpreter.attach(bot.client)
    await interpreter.ready()
    await expect(interpreter.join(bot.channel())).rejects.toMatchObject({
      code: 'STATE',
      message: expect.stringContaining(`in channel ${music.id}`),
    })
    expect((await ben.command('interpret start')).text).toContain(`<#${music.id}>`)
    const eva = guild.addMember({ name: 'Eva' })
    await eva.join(sala)
    await until(
      () => bot.client.guilds.cache.get(guild.id)!.voiceStates.cache.has(eva.id),
      PATIENCE_MS,
      'Eva',
    )
    expect(bot.log.all.filter(({ message }) => message.includes('voice is in use'))).toHaveLength(1)
    expect(hosts.state.status).toBe(VoiceConnectionStatus.Ready)
    expect(guild.bot.voice?.channel).toBe(music)

    hosts.destroy()
    await until(() => interpreter.in(guild.id), PATIENCE_MS, 'joining, since the music is over')
  })

  test('that takes the voice over is left alone: interpreting ends', async () => {
    await using bot = await ownBot()
    const { interpreter, guild } = bot
    await bot.begin()
    const music = guild.addVoiceChannel({ name: 'Music' })
    await until(() => bot.client.channels.cache.has(music.id), PATIENCE_MS, 'the channel')
    const channel = await interpreter.join(bot.channel())
    const hosts = connect(bot, { channelId: music.id, group: groupOf(bot) })
    expect(await channel.ended).toMatchObject({ kind: 'taken' })
    await isReady(hosts)
    expect(guild.bot.voice?.channel).toBe(music)
    await bot.message('Another part of this bot')
    await expect(interpreter.join(bot.channel())).rejects.toMatchObject({ code: 'STATE' })
    expect(getVoiceConnection(guild.id, groupOf(bot))).toBe(hosts)

    // At once, without waiting for Discord's confirmation.
    hosts.destroy()
    const again = await interpreter.join(bot.channel())
    await bot.ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
    await bot.heard(toneOf('en-us'), 500)
    await again.stop('')
  })
})

test('voice that is not connected by the client’s adapters, as with Lavalink, is in use as well', async () => {
  await using bot = await ownBot()
  const { interpreter, client, guild, sala } = bot
  await bot.begin()
  const known = client.guilds.cache.get(guild.id)!
  const connected = () => Boolean(known.voiceStates.cache.get(client.user!.id)?.channelId)
  const voice = (channel_id: string | null) =>
    known.shard.send({ op: 4, d: { guild_id: guild.id, channel_id, self_mute: false, self_deaf: true } })
  voice(sala.id)
  await until(connected, PATIENCE_MS, 'its voice')
  await expect(interpreter.join(bot.channel())).rejects.toMatchObject({ code: 'STATE' })
  voice(null)
  await until(() => !connected(), PATIENCE_MS, 'the end')
  // Leaving and joining again at once is our own affair.
  for (let times = 0; times < 3; times++) await (await interpreter.join(bot.channel())).stop('')
})
