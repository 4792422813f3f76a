import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiscordStandIn } from '../../src/simulator/index.ts'
import { Shell } from '../helpers/shell.ts'

let shell: Shell
let discord: DiscordStandIn
beforeEach(async () => {
  shell = await Shell.open()
  discord = await DiscordStandIn.listen()
  await settings({})
})
afterEach(async () => {
  await shell[Symbol.asyncDispose]()
  await discord.close()
})

/** JSON is YAML. */
const settings = (more: object) =>
  writeFile(
    join(shell.folder, 'dragoman.yaml'),
    JSON.stringify({ discord: { token: discord.token, apiUrl: discord.api, ...more } }),
  )
const writes = () => discord.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method)

describe('dragoman discord', () => {
  test('invite shows an address with just the permissions that are used', async () => {
    const { code, out } = await shell.run('discord', 'invite')
    expect(code).toBe(0)
    const url = new URL(out.split('\n')[0] ?? '')
    expect(url.origin + url.pathname).toBe('https://discord.com/oauth2/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: discord.application.id,
      permissions: '313602952192',
      scope: 'bot applications.commands',
    })
    const json = await shell.run('discord', 'invite', '--guild', '123456789012345678', '--json')
    expect(JSON.parse(json.out).url).toMatch(/guild_id=123456789012345678&disable_guild_select=true$/)
  })

  test('invite needs no token where the application is named', async () => {
    await writeFile(join(shell.folder, 'dragoman.yaml'), '{}')
    const named = await shell.run('discord', 'invite', '--application-id', '123456789012345678')
    expect(named.out).toContain('client_id=123456789012345678')
    const unnamed = await shell.run('discord', 'invite')
    expect(unnamed).toMatchObject({ code: 1, err: expect.stringContaining('DRAGOMAN_DISCORD_TOKEN') })
  })

  test('register writes once, and not again; unregister takes everything back', async () => {
    const guild = discord.addGuild({ name: 'Casa' })
    expect((await shell.run('discord', 'register')).out).toBe('everywhere: registered\n')
    expect((await shell.run('discord', 'register')).out).toBe('everywhere: unchanged\n')
    expect(writes()).toEqual(['POST'])
    // Single guilds instead: nobody is to see the command twice.
    const there = await shell.run('discord', 'register', '--guild', guild.id)
    expect(there.out).toBe(`everywhere: removed\nguild ${guild.id}: registered\n`)
    const gone = await shell.run('discord', 'unregister', '--json')
    expect(JSON.parse(gone.out)).toEqual([{ place: guild.id, result: 'removed' }])
    expect((await shell.run('discord', 'unregister')).out).toBe('There was nothing to remove.\n')
  })

  test('a wrong token is told, and not shown', async () => {
    await settings({ token: 'a-token-that-is-wrong' })
    const { code, err } = await shell.run('discord', 'register')
    expect(code).toBe(1)
    expect(err).toContain('Discord does not know the token')
    expect(err).not.toContain('a-token-that-is-wrong')
  })
})
