import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiscordSimulator } from '../../../simulator/index.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import type { ConfigInput } from '../../../src/app/settings/schema.ts'
import { inviteUrl, USED_PERMISSIONS } from '../../../src/bridges/discord/commands/permissions.ts'
import { registerCommand } from '../../../src/bridges/discord/commands/registration.ts'
import { restClient } from '../../../src/bridges/discord/commands/rest.ts'
import { discordChecks, encryptionCheck } from '../../../src/cli/doctor/discord-checks.ts'
import { noopLogger } from '../../../src/common/log.ts'

let discord: DiscordSimulator
beforeEach(async () => {
  discord = await DiscordSimulator.listen()
})
afterEach(() => discord.close())

type Settings = NonNullable<ConfigInput['discord']>

/** The doctor’s findings, requested with discord.js's own REST client. */
async function checks(settings: Settings = {}) {
  const { token = discord.token, apiUrl = discord.api } = settings
  const config = loadConfig({ env: {}, overrides: { discord: { ...settings, token, apiUrl } } })
  const found = await discordChecks(config)
  return (name: string) => found.find(each => each.name.includes(name)) ?? found.map(each => each.name)
}

const register = (guilds: readonly string[] = []) =>
  registerCommand({
    rest: restClient({ token: discord.token, apiUrl: discord.api }),
    applicationId: discord.application.id,
    guilds,
    log: noopLogger,
  })

function house(botPermissions = USED_PERMISSIONS, everyone: readonly [] | undefined = []) {
  const guild = discord.addGuild({ name: 'Casa', botPermissions, ...(everyone ? { everyone } : {}) })
  return { guild, lounge: guild.addVoiceChannel({ name: 'Lounge' }) }
}

describe('the doctor’s Discord checks', () => {
  test('pass for a valid setup', async () => {
    const { guild, lounge } = house()
    await register([guild.id])
    const about = await checks({ guilds: [guild.id], autoJoin: [lounge.id] })
    expect(about('token')).toEqual({
      name: 'Discord token',
      status: 'ok',
      found: `accepted: application ${discord.application.name}`,
      fix: '',
    })
    expect(about('guilds')).toMatchObject({ status: 'ok', found: 'Casa' })
    expect(about('/interpret')).toMatchObject({ status: 'ok', found: 'registered' })
    expect(about(lounge.id)).toMatchObject({ status: 'ok', found: 'all permissions' })
  })

  test('report a wrong token without showing it', async () => {
    const about = await checks({ token: 'the-client-secret' })
    expect(about('token')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('does not look like a bot token'),
      fix: expect.stringContaining('Reset Token'),
    })
    expect(JSON.stringify(about('token'))).not.toContain('the-client-secret')
    const old = `${discord.token.slice(0, -1)}${discord.token.endsWith('x') ? 'y' : 'x'}`
    expect((await checks({ token: old }))('token')).toMatchObject({ found: 'Discord does not recognize it' })
  })

  test('report a bot that is in no server', async () => {
    const about = await checks({ guilds: ['123456789012345678'] })
    const url = inviteUrl(discord.application.id)
    expect(about('Discord guilds')).toMatchObject({ status: 'fail', fix: `invite the bot: ${url}` })
    expect(about('guild 123456789012345678')).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('guild_id=123456789012345678'),
    })
  })

  test('report commands that are missing or of another version', async () => {
    house()
    expect((await checks())('/interpret')).toMatchObject({ status: 'warn', found: 'not registered' })
    await register()
    expect((await checks())('/interpret')).toMatchObject({ status: 'ok' })
    const rest = restClient({ token: discord.token, apiUrl: discord.api })
    const body = [{ name: 'interpret', description: 'as it was long ago' }]
    await rest.put(`/applications/${discord.application.id}/commands`, { body })
    expect((await checks())('/interpret')).toMatchObject({
      status: 'warn',
      found: expect.stringContaining('another version'),
      fix: expect.stringContaining('dragoman discord register'),
    })
  })

  test.each([['Connect'], ['Speak'], ['SendMessages'], ['ReadMessageHistory'], ['ViewChannel']] as const)(
    'report %s missing in a channel',
    async permission => {
      const { guild, lounge } = house()
      guild.setPermissions(lounge, guild.bot, { deny: [permission] })
      const about = await checks({ autoJoin: [lounge.id] })
      const role = guild.bot.roles[0]?.name
      expect(about(lounge.id)).toMatchObject({
        status: 'fail',
        found: `missing: ${permission}`,
        fix: `edit the channel, Permissions, role ${role}: allow ${permission}`,
      })
    },
  )

  test('report that captions cannot be in colour', async () => {
    const { guild, lounge } = house()
    guild.setPermissions(lounge, guild.bot, { deny: ['EmbedLinks'] })
    const found = 'missing: EmbedLinks, so captions are plain'
    expect((await checks({ autoJoin: [lounge.id] }))(lounge.id)).toMatchObject({ status: 'warn', found })
  })

  test('report permissions denied to everyone, unless the bot’s own role allows them', async () => {
    const { guild, lounge } = house()
    guild.setPermissions(lounge, guild.everyone, { deny: ['Connect', 'Speak'] })
    const about = await checks({ autoJoin: [lounge.id] })
    expect(about(lounge.id)).toMatchObject({ found: 'missing: Connect, Speak' })
    const [own] = guild.bot.roles
    guild.setPermissions(lounge, own!, { allow: ['Connect', 'Speak'] })
    expect((await checks({ autoJoin: [lounge.id] }))(lounge.id)).toMatchObject({ status: 'ok' })
  })

  test('require stage permissions for a stage, and no link permission for plain captions', async () => {
    const { guild } = house(['ViewChannel', 'Connect', 'SendMessages', 'ReadMessageHistory'])
    const stage = guild.addVoiceChannel({ name: 'Stage', stage: true })
    const about = await checks({ autoJoin: [stage.id], captions: { style: 'plain' } })
    expect(about(stage.id)).toMatchObject({ found: 'missing: RequestToSpeak' })
  })

  test('report channels that do not exist or are not voice channels', async () => {
    const { guild } = house()
    const text = guild.addTextChannel({ name: 'general' })
    const about = await checks({ autoJoin: [text.id, '123456789012345678'] })
    expect(about(text.id)).toMatchObject({ status: 'fail', found: 'is not a voice channel' })
    expect(about('123456789012345678')).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(/channel does not exist/),
    })
  })

  test('report that Discord is unreachable', async () => {
    const about = await checks({ apiUrl: 'http://127.0.0.1:1/api' })
    expect(about('token')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('ECONNREFUSED'),
      fix: expect.stringContaining('discord.com must be reachable'),
    })
  })

  test('report that Discord limits requests or has an outage', async () => {
    discord.faults.rest.always({ rateLimited: { scope: 'global', retryAfterMs: 4_000 } })
    expect((await checks())('token')).toMatchObject({
      status: 'warn',
      found: expect.stringMatching(/retry in [45] s/),
    })
    discord.faults.rest.heal()
    discord.faults.rest.always({ reply: { status: 502, body: 'bad gateway', type: 'text/html' } })
    expect((await checks())('token')).toMatchObject({ status: 'warn', found: 'Discord answered 502' })
    discord.faults.rest.heal()
    const { lounge } = house()
    discord.faults.rest.always({ only: '/channels', rateLimited: { retryAfterMs: 4_000 } })
    const about = await checks({ autoJoin: [lounge.id] })
    expect([about('guilds'), about(lounge.id)]).toMatchObject([{ status: 'ok' }, { status: 'warn' }])
  })
})

test('end-to-end encryption is available', () =>
  expect(encryptionCheck()).toMatchObject({ status: 'ok', found: expect.stringMatching(/^DAVE \d+$/) }))
