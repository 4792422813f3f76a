import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiscordSimulator } from '../../simulator/index.ts'
import { loadConfig } from '../../src/app/settings/load.ts'
import { register, showInvite, unregister } from '../../src/cli/discord.ts'
import { Terminal } from '../../src/cli/terminal.ts'
import { Shell } from '../support/shell.ts'

let discord: DiscordSimulator
beforeEach(async () => {
  discord = await DiscordSimulator.listen()
})
afterEach(() => discord.close())

const settings = (more: object = {}) => ({ discord: { token: discord.token, apiUrl: discord.api, ...more } })

/** The output of a command. */
async function written(run: (terminal: Terminal) => Promise<void>): Promise<string> {
  let text = ''
  await run(
    new Terminal({
      isTTY: false,
      columns: 80,
      write: (part: string | Uint8Array) => {
        text += String(part)
        return true
      },
    }),
  )
  return text
}

describe('dragoman discord', () => {
  const load = (more: object = {}) => loadConfig({ env: {}, overrides: settings(more) })
  const writes = () => discord.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method)

  test('invite prints an address with exactly the required permissions', async () => {
    const out = await written(terminal => showInvite(load(), {}, terminal))
    const url = new URL(out.split('\n')[0] ?? '')
    expect(url.origin + url.pathname).toBe('https://discord.com/oauth2/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: discord.application.id,
      permissions: '313602952192',
      scope: 'bot applications.commands',
    })
    const guild = '123456789012345678'
    const json = await written(terminal => showInvite(load(), { guild, json: true }, terminal))
    expect(JSON.parse(json).url).toMatch(/guild_id=123456789012345678&disable_guild_select=true$/)
  })

  test('invite needs no token if the application is configured', async () => {
    const config = loadConfig({ env: {} })
    const applicationId = '123456789012345678'
    const out = await written(terminal => showInvite(config, { applicationId }, terminal))
    expect(out).toContain('client_id=123456789012345678')
    await expect(written(terminal => showInvite(config, {}, terminal))).rejects.toThrow(
      'DRAGOMAN_DISCORD_TOKEN',
    )
  })

  test('register writes commands only once; unregister removes them', async () => {
    const guild = discord.addGuild({ name: 'Casa' })
    const registered = (...guilds: string[]) => written(terminal => register(load(), { guilds }, terminal))
    expect(await registered()).toBe('everywhere: registered\n')
    expect(await registered()).toBe('everywhere: unchanged\n')
    expect(writes()).toEqual(['POST'])
    // Single guilds instead, so that users do not see the command twice.
    expect(await registered(guild.id)).toBe(`everywhere: removed\nguild ${guild.id}: registered\n`)
    const gone = await written(terminal => unregister(load(), { guilds: [], json: true }, terminal))
    expect(JSON.parse(gone)).toEqual([{ place: guild.id, result: 'removed' }])
    const nothing = await written(terminal => unregister(load(), { guilds: [] }, terminal))
    expect(nothing).toBe('There was nothing to remove.\n')
  })

  test('a wrong token is reported but not shown', async () => {
    const failing = written(terminal => register(load({ token: 'a-wrong-token' }), { guilds: [] }, terminal))
    await expect(failing).rejects.toThrow(/^Discord rejected the token$/)
  })
})

test('all options work on the command line, in the doctor and in programs', async () => {
  await using shell = await Shell.open()
  const guild = discord.addGuild({ name: 'Casa' })
  const lounge = guild.addVoiceChannel({ name: 'Lounge' })
  guild.setPermissions(lounge, guild.everyone, { deny: ['Speak'] })
  // JSON is valid YAML.
  const text = JSON.stringify(settings({ autoJoin: [lounge.id] }))
  await writeFile(join(shell.folder, 'dragoman.yaml'), text)
  const registered = await shell.run('discord', 'register', '--guild', guild.id, '--json')
  expect(registered.err).toBe('')
  expect(JSON.parse(registered.out)).toEqual([{ place: guild.id, result: 'registered' }])
  const { code, out, err } = await shell.run('doctor', '--json', '--no-call')
  const checks = JSON.parse(out) as { name: string; status: string; found: string }[]
  const about = (name: string) => checks.find(check => check.name.startsWith(name))
  expect([err, code]).toEqual(['', 1])
  expect(about('Discord token')?.status).toBe('ok')
  expect(about(`channel ${lounge.id}`)).toMatchObject({ status: 'fail', found: 'missing: Speak' })
  expect(about('end-to-end encryption')?.status).toBe('ok')
  expect(out).not.toContain(discord.token)
})
