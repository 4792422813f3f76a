import {
  EmbedBuilder,
  type GuildTextBasedChannel,
  type MessageMentionOptions,
  type TextChannel,
} from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator } from '../../../simulator/index.ts'
import { login } from '../../support/simulator/discord-bot.ts'

async function casa() {
  let now = Date.UTC(2026, 10, 21)
  const discord = await DiscordSimulator.listen({ wallClock: () => now })
  const guild = discord.addGuild({ name: 'Casa', everyone: ['ViewChannel', 'ReadMessageHistory', 'Connect'] })
  const text = guild.addTextChannel({ name: 'general' })
  guild.setPermissions(text, guild.bot, { allow: ['SendMessages', 'EmbedLinks'] })
  const ana = guild.addMember({ name: 'Ana' })
  const bot = await login(discord)
  const channel = bot.client.channels.cache.get(text.id) as TextChannel
  discord.faults.rest.rateLimits = false
  return {
    ...{ discord, guild, text, ana, bot, channel },
    later: (ms: number) => {
      now += ms
    },
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]()
      await discord.close()
    },
  }
}

describe('a message', () => {
  it('keeps every version, with its times', async () => {
    await using place = await casa()
    const { text, channel, later } = place
    await expect(channel.send('x'.repeat(2_001))).rejects.toMatchObject({ code: 50035 })
    const message = await channel.send('hel')
    later(1_500)
    await message.edit('hello')
    later(1_500)
    const last = await message.edit({
      content: 'hello → hola',
      embeds: [new EmbedBuilder().setDescription('Ana')],
    })
    const kept = text.messages[0]!
    const start = kept.createdAt
    expect(kept.history.map(({ at, content }) => [at - start, content])).toEqual([
      [0, 'hel'],
      [1_500, 'hello'],
      [3_000, 'hello → hola'],
    ])
    expect(kept.text).toBe('hello → hola\nAna')
    expect(last.editedTimestamp).toBe(start + 3_000)
    later(100)
    await message.delete()
    expect(kept).toMatchObject({ deleted: true, deletedAt: start + 3_100, content: 'hello → hola' })
    expect(text.visible).toEqual([])
    await expect(message.edit('again')).rejects.toMatchObject({ code: 10008, status: 404 })
    await expect(channel.messages.fetch({ message: message.id, force: true })).rejects.toMatchObject({
      code: 10008,
    })
  })

  it('notifies the mentioned people that it is allowed to', async () => {
    await using place = await casa()
    const { guild, text, ana, channel } = place
    const role = guild.addRole({ name: 'Listeners' })
    const content = `<@${ana.id}> <@&${role.id}> @everyone \`@here\` <@123456789012345678>`
    const pings = async (options: { allowedMentions?: MessageMentionOptions } = {}) => {
      await channel.send({ content, ...options })
      return text.messages.at(-1)?.pings
    }
    expect(await pings()).toEqual([ana.id])
    guild.setPermissions(text, guild.bot, { allow: ['SendMessages', 'MentionEveryone'] })
    expect(await pings()).toEqual([ana.id, role.id, 'everyone'])
    expect(await pings({ allowedMentions: { parse: [] } })).toEqual([])
    expect(await pings({ allowedMentions: { parse: ['roles'], users: [] } })).toEqual([role.id])
    expect(await pings({ allowedMentions: { parse: [], users: [ana.id] } })).toEqual([ana.id])
  })

  it('needs the permissions that Discord requires', async () => {
    await using place = await casa()
    const { guild, text, channel, bot } = place
    const message = await channel.send('x')
    guild.setPermissions(text, guild.bot, { allow: ['SendMessages'] })
    await expect(channel.send({ embeds: [{ title: 'x' }] })).rejects.toMatchObject({
      code: 50013,
      status: 403,
    })
    guild.setPermissions(text, guild.bot, {})
    await expect(channel.send('x')).rejects.toMatchObject({ code: 50013 })
    await message.edit('what is there can still be changed')
    guild.setPermissions(text, guild.bot, { deny: ['ViewChannel'] })
    await expect(channel.send('x')).rejects.toMatchObject({ code: 50001, status: 403 })
    await expect(message.edit('x')).rejects.toMatchObject({ code: 50001 })
    const sala = guild.addVoiceChannel({ name: 'Sala' })
    guild.setPermissions(sala, guild.bot, { allow: ['SendMessages'], deny: ['Connect'] })
    const voice = (await bot.client.channels.fetch(sala.id, { force: true }).catch(() => null)) as null
    expect(voice).toBeNull()
    guild.setPermissions(sala, guild.bot, { allow: ['SendMessages'] })
    const seen = (await bot.client.channels.fetch(sala.id, { force: true })) as GuildTextBasedChannel
    await seen.send('in the chat of the voice channel')
    expect(sala.messages[0]?.content).toContain('voice channel')
    await expect(bot.client.channels.fetch('123')).rejects.toMatchObject({ code: 10003 })
    await guild.deleteChannel(text)
    await expect(channel.send('x')).rejects.toMatchObject({ code: 10003 })
  })
})

describe('a webhook', () => {
  it('posts under any name, into threads too', async () => {
    await using place = await casa()
    const { guild, text, ana, channel } = place
    await expect(channel.createWebhook({ name: 'Captions' })).rejects.toMatchObject({ code: 50013 })
    const grants = ['ManageWebhooks', 'CreatePublicThreads', 'SendMessagesInThreads', 'SendMessages'] as const
    guild.setPermissions(text, guild.bot, { allow: grants })
    const webhook = await channel.createWebhook({ name: 'Captions' })
    const sent = await webhook.send({
      content: `<@${ana.id}> hola`,
      username: 'Ana',
      allowedMentions: { parse: [] },
    })
    await webhook.editMessage(sent, 'hola a todos')
    expect(text.messages[0]).toMatchObject({
      webhook: { name: 'Ana' },
      content: 'hola a todos',
      edits: 1,
      pings: [],
    })
    const thread = await channel.threads.create({ name: 'Captions' })
    const inThread = await webhook.send({ content: 'there', threadId: thread.id })
    expect(text.threads[0]?.messages).toHaveLength(1)
    await webhook.deleteMessage(inThread.id, thread.id)
    expect(text.threads[0]?.visible).toEqual([])
    expect((await channel.fetchWebhooks()).size).toBe(1)
    const refused = webhook.send({ content: 'x', username: 'Discord' })
    await expect(refused).rejects.toMatchObject({ code: 50035, status: 400 })
    const signed = await webhook.send({
      content: 'x',
      username: 'Ana',
      avatarURL: 'https://cdn.example/ana.png',
    })
    expect(text.messages.find(({ id }) => id === signed.id)?.webhook).toEqual({
      ...{ id: webhook.id, name: 'Ana', avatarUrl: 'https://cdn.example/ana.png' },
    })
    await webhook.delete()
    await expect(webhook.send('gone')).rejects.toMatchObject({ code: 10015 })
    expect(JSON.stringify(place.discord.requests)).not.toContain(webhook.token)
  })
})
