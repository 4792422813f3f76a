import { expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { understanding } from '../../support/discord/guild-harness.ts'
import { type OwnBotWorld, ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const sentence = (ms = 2_000) => tone(440, ms, SAMPLE_RATE, 12_000)
const world: OwnBotWorld = {
  answer: understanding('buenas tardes a todos', 'good afternoon @everyone'),
  botPermissions: ['ManageWebhooks'],
}
const captions = { style: 'webhook' } as const

test('captions appear under the name and picture of their speaker, edited while they speak; the webhook goes at the end', async () => {
  await using bot = await ownBot({}, world)
  const { interpreter, ana, guild } = bot
  await bot.begin()
  await interpreter.join(bot.channel(), { captions })
  await ana.say(sentence())
  const message = await bot.message('good afternoon')
  expect(message.webhook).toMatchObject({ name: 'Ana' })
  expect(message.webhook?.avatarUrl).toMatch(/^https:\/\/cdn\.discordapp\.com\/embed\/avatars\/\d\.png/)
  expect(message.content).toMatch(/^buenas tardes a todos\n`en` good afternoon/)
  expect(message.edits).toBeGreaterThan(0)
  expect(message.pings).toEqual([])
  // One webhook for all messages.
  await ana.say(sentence())
  const created = () =>
    bot.discord.requests.filter(({ route }) => route === 'POST /channels/:channel/webhooks')
  expect(created()).toHaveLength(1)
  await interpreter.leave(guild.id)
  expect((await bot.channel().fetchWebhooks()).size).toBe(0)
})

test('a webhook that a killed process left is used again, others stay', async () => {
  await using bot = await ownBot({}, world)
  const { interpreter, ana, guild } = bot
  await bot.begin()
  const left = await bot.channel().createWebhook({ name: 'Dragoman' })
  const surplus = await bot.channel().createWebhook({ name: 'Dragoman' })
  const other = await bot.channel().createWebhook({ name: 'News' })
  await interpreter.join(bot.channel(), { captions })
  await ana.say(sentence())
  const message = await bot.message('good afternoon')
  expect(message.webhook?.id).toBe(left.id)
  expect((await bot.channel().fetchWebhooks()).has(surplus.id)).toBe(false)
  await interpreter.leave(guild.id)
  expect([...(await bot.channel().fetchWebhooks()).keys()]).toEqual([other.id])
})

test('without the permission, or when a moderator deletes the webhook, the bot writes the name into the text', async () => {
  await using bot = await ownBot({}, { ...world, botPermissions: [] })
  const { interpreter, ana, guild } = bot
  await bot.begin()
  const channel = await interpreter.join(bot.channel(), { captions })
  await ana.say(sentence())
  const plain = await bot.message('good afternoon')
  expect(plain.webhook).toBeUndefined()
  expect(plain.content).toMatch(/^\*\*Ana:\*\* buenas tardes a todos/)
  await channel.setCaptions({ style: 'off', thread: false })

  guild.setRole(guild.bot.roles[0]!, ['ManageWebhooks'])
  await channel.setCaptions({ style: 'webhook', thread: false })
  await ana.say(sentence())
  const bySpeaker = () => bot.sala.visible.find(({ webhook }) => webhook?.name === 'Ana')
  const signed = await until(bySpeaker, PATIENCE_MS, 'a caption by the webhook')
  expect(BigInt(signed.id)).toBeGreaterThan(BigInt(plain.id))
  for (const hook of (await bot.channel().fetchWebhooks()).values()) await hook.delete()
  const deletedAfter = bot.sala.visible.at(-1)
  await ana.say(sentence())
  const after = await bot.message('**Ana:** buenas tardes a todos', deletedAfter)
  expect(after.webhook).toBeUndefined()
})

test('a name that Discord refuses for webhooks is in the text', async () => {
  await using bot = await ownBot({}, world)
  await bot.begin()
  bot.ana.setNick('Discord fan')
  await bot.ana.leave()
  await bot.ana.join(bot.sala)
  await bot.interpreter.join(bot.channel(), { captions })
  await bot.ana.say(sentence())
  const message = await bot.message('good afternoon')
  expect(message.webhook?.name).toBe('Dragoman')
  expect(message.content).toContain('**Discord fan:** buenas tardes')
})
