import { expect, test } from 'vitest'
import { shardOf } from '../../../simulator/discord/model/snowflake.ts'
import { into, parlour } from '../../support/e2e/discord-call-harness.ts'
import { VOICE } from '../../support/e2e/two-party-harness.ts'
import { pause, until } from '../../support/until.ts'

test('a bot with as many connections as Discord recommends interprets in servers of each of them', async () => {
  await using casa = await parlour({ dave: false, standIn: { shards: 2 } })
  const { discord, x } = casa
  expect(discord.sessions.map(({ shard }) => shard)).toEqual([
    [0, 2],
    [1, 2],
  ])
  const first = casa.sala.guild
  let second = discord.addGuild({ name: 'Haus' })
  while (shardOf(second.id, 2) === shardOf(first.id, 2)) {
    await pause(1)
    second = discord.addGuild({ name: 'Haus' })
  }
  const raum = second.addVoiceChannel({ name: 'Raum' })
  const bot = x.app.discord
  await until(() => bot?.guilds === discord.guilds.length, 5_000, 'both servers')
  for (const [guild, channel] of [
    [first, casa.sala],
    [second, raum],
  ] as const) {
    const ana = guild.addMember({ name: 'Ana', locale: 'es-ES' })
    const ben = guild.addMember({ name: 'Ben', locale: 'en-US' })
    for (const each of [ana, ben]) await each.join(channel)
    await ana.command('interpret language', { language: 'es-es' })
    await ben.command('interpret language', { language: 'en-us' })
    await ben.command('interpret start')
    await casa.say(ana, VOICE.callee, 1_200)
    await until(() => channel.visible.some(({ text }) => text.includes('`en`')), 20_000, 'the caption')
  }
  await casa.heard(into(VOICE.callee, 'en-us'), 500)
  // Each lost connection is resumed, and the channels of both continue.
  discord.faults.gateway.drop()
  await until(() => discord.sessions.every(({ resumes }) => resumes === 1), 20_000, 'both resumes')
  for (const { id } of [first, second])
    expect(bot?.interpreters.of(id)?.status()).toMatchObject({ state: 'listening' })
})
