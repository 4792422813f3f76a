import { entersState, joinVoiceChannel, VoiceConnectionStatus } from '@discordjs/voice'
import { Events, SlashCommandBuilder } from 'discord.js'
import { expect, test } from 'vitest'
import { DiscordStandIn } from '../../../src/simulator/index.ts'
import { login } from './bot.ts'

test('a bot logs in and sees its guild', async () => {
  await using discord = await DiscordStandIn.listen()
  const guild = discord.addGuild({ name: 'Casa', locale: 'es-ES' })
  const voice = guild.addVoiceChannel({ name: 'Sala', userLimit: 5 })
  await using bot = await login(discord)
  const seen = bot.client.guilds.cache.get(guild.id)
  expect(seen?.name).toBe('Casa')
  expect(seen?.preferredLocale).toBe('es-ES')
  expect(seen?.channels.cache.get(voice.id)?.name).toBe('Sala')
  expect(bot.client.user.id).toBe(discord.bot.id)
})

test('a slash command is answered', async () => {
  await using discord = await DiscordStandIn.listen()
  const guild = discord.addGuild({ name: 'Casa' })
  const text = guild.addTextChannel({ name: 'general' })
  const ana = guild.addMember({ name: 'Ana', locale: 'es-ES' })
  await using bot = await login(discord)
  const command = new SlashCommandBuilder()
    .setName('interpret')
    .setDescription('Interpreting')
    .addSubcommand(sub =>
      sub
        .setName('start')
        .setDescription('Begins')
        .addStringOption(option => option.setName('language').setDescription('Yours')),
    )
  await bot.client.application.commands.set([command], guild.id)
  bot.client.on(Events.InteractionCreate, async interaction => {
    if (!interaction.isChatInputCommand()) return
    await interaction.deferReply()
    await interaction.editReply(
      `${interaction.options.getSubcommand()} ${interaction.options.getString('language')} ${interaction.locale}`,
    )
    await interaction.followUp({ content: 'more', flags: 64 })
  })
  const reply = await ana.command('interpret start', { language: 'es-es' }, { in: text })
  expect(reply.content).toBe('start es-es es-ES')
  expect(reply.deferred).toBe(true)
})

test('the bot enters a voice channel, hears a member and is heard', async () => {
  await using discord = await DiscordStandIn.listen({ dave: false })
  using _ = discord.trust()
  const guild = discord.addGuild({ name: 'Casa' })
  const voice = guild.addVoiceChannel({ name: 'Sala' })
  const ana = guild.addMember({ name: 'Ana' })
  await ana.join(voice)
  await using bot = await login(discord)
  const seen = bot.client.guilds.cache.get(guild.id)!
  expect(seen.voiceStates.cache.get(ana.id)?.channelId).toBe(voice.id)
  const connection = joinVoiceChannel({
    guildId: guild.id,
    channelId: voice.id,
    adapterCreator: seen.voiceAdapterCreator,
    selfDeaf: false,
  })
  await entersState(connection, VoiceConnectionStatus.Ready, 10_000)
  expect(guild.bot.voice?.channel).toBe(voice)
  connection.destroy()
})
