import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  EmbedBuilder,
  type GuildTextBasedChannel,
  type MessageMentionOptions,
  type TextChannel,
  ThreadAutoArchiveDuration,
} from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator, type Thread } from '../../../src/simulator/index.ts'
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

/** Returns the invalid parts of a body, in Discord's words. */
async function faultsOf(sending: Promise<unknown>): Promise<readonly string[]> {
  const error = (await sending.then(
    () => ({}),
    (reason: unknown) => reason,
  )) as { code?: number; rawError?: { errors?: object } }
  if (error.code !== 50035) return [`code ${error.code}`]
  const walk = (node: object, path: string): string[] =>
    Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
      key === '_errors'
        ? (value as { code: string }[]).map(({ code }) => `${path} ${code}`)
        : walk(value as object, path ? `${path}.${key}` : key),
    )
  return walk(error.rawError?.errors ?? {}, '')
}

describe('a message', () => {
  it('keeps every version, with its times', async () => {
    await using place = await casa()
    const { text, channel, later } = place
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

  it('is read by the bot, newest first, from others too', async () => {
    await using place = await casa()
    const { guild, text, ana, channel } = place
    guild.setPermissions(text, ana, { allow: ['SendMessages'] })
    ana.write(text, 'one')
    await channel.send({ content: 'two', reply: { messageReference: text.messages[0]!.id } })
    const all = await channel.messages.fetch({ limit: 5 })
    expect(Array.from(all.values(), ({ content }) => content)).toEqual(['two', 'one'])
    expect(text.messages[1]).toMatchObject({ pings: [ana.id], reference: text.messages[0] })
    await channel.sendTyping()
    await expect(all.last()?.edit('mine')).rejects.toMatchObject({ code: 50005 })
    await expect(all.last()?.delete()).rejects.toMatchObject({ code: 50013 })
    expect(
      await faultsOf(channel.send({ content: 'x', reply: { messageReference: '1', failIfNotExists: true } })),
    ).toEqual(['message_reference MESSAGE_REFERENCE_UNKNOWN_MESSAGE'])
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
    expect(
      await faultsOf(channel.send({ content, allowedMentions: { parse: ['users'], users: [ana.id] } })),
    ).toEqual(['allowed_mentions MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE'])
  })

  it('is rejected if it is empty, too long or malformed', async () => {
    await using place = await casa()
    const { channel, text } = place
    const wrong = (body: object) =>
      faultsOf(channel.client.rest.post(`/channels/${channel.id}/messages`, { body }))
    expect(await wrong({})).toEqual(['code 50006'])
    expect(await wrong({ content: '  \n' })).toEqual(['code 50006'])
    expect(await wrong({ content: 'x'.repeat(2_001) })).toEqual(['content BASE_TYPE_MAX_LENGTH'])
    expect(await wrong({ content: 7 })).toEqual(['content BASE_TYPE_BAD_STRING'])
    const long = { title: 't'.repeat(257), description: 'd'.repeat(4_097), color: -1, url: 'x' }
    expect(await wrong({ embeds: [long] })).toEqual([
      'embeds.0.title BASE_TYPE_MAX_LENGTH',
      'embeds.0.description BASE_TYPE_MAX_LENGTH',
      'embeds.0.color NUMBER_TYPE_MAX',
      'embeds.0.url URL_TYPE_INVALID_URL',
    ])
    const full = { description: 'd'.repeat(3_001) }
    expect(await wrong({ embeds: [full, full] })).toEqual(['embeds MAX_EMBED_SIZE_EXCEEDED'])
    expect(await wrong({ embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) })).toEqual([
      'embeds BASE_TYPE_MAX_LENGTH',
    ])
    const fields = [{ name: '', value: 'v' }, { name: 'n' }, { name: 'n', value: 'v'.repeat(1_025) }, 'x']
    expect(await wrong({ embeds: [{ fields }] })).toEqual([
      'embeds.0.fields.0.name BASE_TYPE_REQUIRED',
      'embeds.0.fields.1.value BASE_TYPE_REQUIRED',
      'embeds.0.fields.2.value BASE_TYPE_BAD_LENGTH',
      'embeds.0.fields.3 DICT_TYPE_CONVERT',
    ])
    const button = { type: 2, style: 1, label: 'x', custom_id: 'a' }
    const rows = (...components: object[]) => ({ content: 'x', components: [{ type: 1, components }] })
    expect(await wrong(rows(button, button))).toEqual([
      'components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ])
    expect(await wrong(rows())).toEqual(['components.0.components BASE_TYPE_BAD_LENGTH'])
    expect(await wrong(rows({ type: 2, style: 9 }, { type: 2, style: 5, label: 'x', url: 'no' }))).toEqual([
      'components.0.components.0.style BASE_TYPE_CHOICES',
      'components.0.components.1.url URL_TYPE_INVALID_URL',
    ])
    expect(await wrong({ content: 'x', components: [button] })).toEqual([
      'components.0.type BASE_TYPE_CHOICES',
    ])
    expect(await wrong({ content: 'x', allowed_mentions: { parse: ['all'] } })).toEqual([
      'allowed_mentions.parse.0 BASE_TYPE_CHOICES',
    ])
    expect(text.messages).toEqual([])
    const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
      new ButtonBuilder().setCustomId('stop').setLabel('Stop').setStyle(ButtonStyle.Danger),
      new ButtonBuilder().setURL('https://example.com').setLabel('Help').setStyle(ButtonStyle.Link),
    )
    await channel.send({ content: 'x'.repeat(2_000), components: [row] })
    expect(text.messages[0]?.components).toMatchObject([
      { components: [{ custom_id: 'stop' }, { style: 5 }] },
    ])
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

describe('a thread', () => {
  it('is opened from a message or separately, written in, archived and locked', async () => {
    await using place = await casa()
    const { guild, text, channel } = place
    const message = await channel.send('Captions')
    await expect(message.startThread({ name: 'x' })).rejects.toMatchObject({ code: 50013 })
    const grants = ['SendMessages', 'CreatePublicThreads', 'SendMessagesInThreads'] as const
    guild.setPermissions(text, guild.bot, { allow: grants })
    const thread = await message.startThread({
      name: 'Captions of today',
      autoArchiveDuration: ThreadAutoArchiveDuration.OneHour,
    })
    const kept = text.threads[0] as Thread
    expect(kept).toMatchObject({ id: message.id, name: 'Captions of today', starter: text.messages[0] })
    expect(thread.autoArchiveDuration).toBe(60)
    await thread.send('Ana: hola')
    expect(kept.messages[0]?.content).toBe('Ana: hola')
    await expect(message.startThread({ name: 'y' })).rejects.toMatchObject({ code: 160004 })
    const other = await channel.threads.create({ name: 'Other' })
    expect((await channel.guild.channels.fetchActiveThreads()).threads.size).toBe(2)
    await other.setArchived(true)
    expect((await channel.guild.channels.fetchActiveThreads()).threads.size).toBe(1)
    await expect(other.setLocked(true)).rejects.toMatchObject({ code: 50013 })
    expect(await faultsOf(channel.threads.create({ name: '' }))).toEqual(['name BASE_TYPE_REQUIRED'])
  })
})

describe('a file', () => {
  it('is part of a message, and stays when the text is edited', async () => {
    await using place = await casa()
    const { text, channel } = place
    const files = [{ attachment: Buffer.from('hola'), name: 'notes.txt' }]
    const sent = await channel.send({ files })
    expect(sent.attachments.first()).toMatchObject({ name: 'notes.txt', size: 4 })
    await sent.edit('the notes')
    const [message] = text.messages
    expect(message).toMatchObject({ content: 'the notes', attachments: [{ filename: 'notes.txt' }] })
    expect(Buffer.from(message!.attachments[0]!.bytes).toString()).toBe('hola')
    const path = `/channels/${text.id}/messages` as const
    const body = { content: 'x', attachments: [{ id: 7, filename: 'missing.txt' }] }
    expect(await faultsOf(place.bot.client.rest.post(path, { body }))).toEqual([
      'attachments.0 ATTACHMENT_NOT_FOUND',
    ])
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
    expect(await faultsOf(webhook.send({ content: 'x', username: 'Discord' }))).toEqual([
      'username USERNAME_INVALID_CONTAINS',
    ])
    const signed = await webhook.send({
      content: 'x',
      username: 'Ana',
      avatarURL: 'https://cdn.example/ana.png',
    })
    expect(text.messages.find(({ id }) => id === signed.id)?.webhook).toEqual({
      ...{ id: webhook.id, name: 'Ana', avatarUrl: 'https://cdn.example/ana.png' },
    })
    expect(await faultsOf(webhook.send({ content: 'x', avatarURL: 'ana.png' }))).toEqual([
      'avatar_url URL_TYPE_INVALID_URL',
    ])
    await webhook.delete()
    await expect(webhook.send('gone')).rejects.toMatchObject({ code: 10015 })
    expect(JSON.stringify(place.discord.requests)).not.toContain(webhook.token)
  })
})
