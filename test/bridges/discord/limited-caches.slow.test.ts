// The caches of a client are its owner's to limit, as docs/guides/add-to-your-discord-bot.md says.
import { type Client, type ClientOptions, type GuildMember, Options } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const onlyTheBot = (member: GuildMember) => member.id === member.client.user.id
const EMPTIED = { interval: 3_600, filter: () => () => true }

const CACHES: Readonly<Record<string, Partial<ClientOptions>>> = {
  'no members': { makeCache: Options.cacheWithLimits({ GuildMemberManager: 0 }) },
  'two members': { makeCache: Options.cacheWithLimits({ GuildMemberManager: 2 }) },
  'only the bot as a member': {
    makeCache: Options.cacheWithLimits({ GuildMemberManager: { maxSize: 0, keepOverLimit: onlyTheBot } }),
  },
  'no users and no voice states': {
    makeCache: Options.cacheWithLimits({ UserManager: 0, VoiceStateManager: 0 }),
  },
  'nothing that can be limited': {
    makeCache: Options.cacheWithLimits(
      Object.fromEntries(
        [
          ...['UserManager', 'GuildMemberManager', 'VoiceStateManager', 'MessageManager', 'ThreadManager'],
          ...['PresenceManager', 'StageInstanceManager', 'ThreadMemberManager', 'GuildMessageManager'],
        ].map(name => [name, 0]),
      ),
    ),
  },
  'caches that are swept': {
    sweepers: { guildMembers: EMPTIED, users: EMPTIED, voiceStates: EMPTIED },
  },
}

describe.each(Object.entries(CACHES))('with %s in the cache', (_name, client) => {
  test('everyone is heard, named and reported, and the channel is left when it is empty', async () => {
    await using bot = await ownBot(
      { channels: { dave: false, emptyAfterMs: 100 } },
      { client, botPermissions: ['ChangeNickname', 'EmbedLinks'] },
    )
    const { interpreter, ana, ben, sala, guild } = bot
    await bot.begin()
    sweep(bot.client)
    expect((await ben.command('interpret start')).text).toContain(sala.id)
    const eva = guild.addMember({ name: 'Eva', locale: 'fr' })
    await eva.join(sala)
    const channel = interpreter.in(guild.id)!
    const speakers = () => channel.status().speakers.map(({ userId, consents }) => [userId, consents])
    const all = [ana, ben, eva].map(({ id }) => [id, true])
    await until(() => speakers().length === 3, PATIENCE_MS, 'three speakers')
    expect(speakers()).toEqual(all)
    sweep(bot.client)
    await ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
    await bot.heard(toneOf('en-us'), 500)
    await until(() => guild.bot.nick?.startsWith('🔴'), PATIENCE_MS, 'the mark in the nickname')
    await bot.message('Eva')
    expect((await ana.command('interpret status')).text).toContain('Ben')
    // A changed nickname is an event of a member who is not in the cache.
    await eva.leave()
    await until(() => speakers().length === 2, PATIENCE_MS, 'two speakers')
    expect(interpreter.in(guild.id)).toBe(channel)
    await ana.leave()
    await ben.leave()
    expect(await channel.ended).toEqual({ kind: 'empty' })
  })

  test('a channel is joined by itself while people are in it, and roles decide who is heard', async () => {
    await using bot = await ownBot(
      { channels: { dave: false, consent: { mode: 'role', roles: ['1'] } } },
      { client, autoJoins: true },
    )
    const { interpreter, guild } = bot
    const helper = guild.addMember({ name: 'Helper', bot: true })
    await helper.join(bot.sala)
    interpreter.attach(bot.client)
    await bot.logIn()
    await until(() => interpreter.in(guild.id), PATIENCE_MS, 'joining')
    const speakers = () => interpreter.in(guild.id)!.status().speakers
    await until(() => speakers().length === 2, PATIENCE_MS, 'two people')
    expect(speakers().map(({ excludedBy }) => excludedBy)).toEqual(['no-role', 'no-role'])
  })
})

test('a client that is logged in is refused only if it need not know who is in a channel', async () => {
  await using bot = await ownBot({}, { client: CACHES['no users and no voice states']! })
  await bot.logIn()
  expect(() => bot.interpreter.attach(bot.client)).toThrow(/attach before client\.login\(\)/)

  await using other = await ownBot({}, { client: CACHES['no members']! })
  await other.logIn()
  other.interpreter.attach(other.client)
  await other.interpreter.ready()
  const channel = await other.interpreter.join(other.channel())
  await until(() => channel.status().speakers.length === 2, PATIENCE_MS, 'two speakers')
})

test.each(['ChannelManager', 'RoleManager', 'GuildChannelManager'])(
  'a client that limits %s, which discord.js itself needs, is refused',
  async name => {
    await using bot = await ownBot({}, { client: { makeCache: Options.cacheWithLimits({ [name]: 5 }) } })
    expect(() => bot.interpreter.attach(bot.client)).toThrow(`remove ${name} from makeCache`)
  },
)

/** As the sweepers do after their interval. */
function sweep(client: Client): void {
  const { sweepers } = client.options
  if (sweepers?.guildMembers) client.sweepers.sweepGuildMembers(() => true)
  if (sweepers?.users) client.sweepers.sweepUsers(() => true)
  if (sweepers?.voiceStates) client.sweepers.sweepVoiceStates(() => true)
}
