import { ApplicationCommandOptionType, Client, PermissionFlagsBits, REST } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { DiscordSimulator } from '../../../../simulator/index.ts'
import {
  allPermissions,
  inviteUrl,
  missingFrom,
  neededFor,
  USED_PERMISSIONS,
} from '../../../../src/bridges/discord/commands/permissions.ts'
import {
  commandStates,
  registerCommand,
  unregisterCommand,
} from '../../../../src/bridges/discord/commands/registration.ts'
import { commandDefinition } from '../../../../src/bridges/discord/commands/registry.ts'
import { LogLines } from '../../../support/log-lines.ts'

/** Discord: Application Command Naming. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u

interface Part {
  readonly name: string
  readonly description?: string
  readonly name_localizations?: Record<string, string>
  readonly description_localizations?: Record<string, string>
  readonly options?: readonly Part[]
  readonly choices?: readonly Part[]
}

function all(part: Part): Part[] {
  return [part, ...(part.options ?? []).flatMap(all)]
}

const definition = commandDefinition() as unknown as Part

describe('the definition', () => {
  test('has names and descriptions that Discord accepts, in every language', () => {
    for (const part of all(definition)) {
      for (const name of [part.name, ...Object.values(part.name_localizations ?? {})]) {
        expect(name, part.name).toMatch(NAME)
        expect(name, part.name).toBe(name.toLowerCase())
      }
      const texts = [part.description ?? '', ...Object.values(part.description_localizations ?? {})]
      for (const text of texts) {
        expect([...text].length, `${part.name}: ${text}`).toBeLessThanOrEqual(100)
        expect(text).not.toBe('')
      }
      expect(Object.keys(part.name_localizations ?? {}).sort()).toEqual(
        ['de', 'es-419', 'es-ES', 'fr', 'it', 'pt-BR'].sort(),
      )
    }
  })

  test('has no duplicate names at the same level, in any language', () => {
    for (const { options = [], name } of all(definition))
      for (const locale of ['', 'es-ES', 'fr', 'de', 'it', 'pt-BR']) {
        const names = options.map(each => (locale === '' ? each.name : each.name_localizations?.[locale]))
        expect(new Set(names).size, `${name} ${locale}`).toBe(names.length)
      }
  })

  test('is for servers, and for members who can connect to voice channels', () => {
    expect(commandDefinition()).toMatchObject({
      contexts: [0],
      integration_types: [0],
      default_member_permissions: String(PermissionFlagsBits.Connect),
    })
    const types = new Set(commandDefinition().options?.map(({ type }) => type))
    expect([...types].sort()).toEqual([
      ApplicationCommandOptionType.Subcommand,
      ApplicationCommandOptionType.SubcommandGroup,
    ])
  })
})

describe('permissions', () => {
  test('match those of the invite link', () => {
    let bits = 0n
    for (const name of USED_PERMISSIONS) bits |= PermissionFlagsBits[name]
    expect(allPermissions({ webhooks: true })).toBe(bits)
    // It allows much more than captions need.
    bits &= ~PermissionFlagsBits.ManageWebhooks
    expect(allPermissions()).toBe(bits)
    expect(allPermissions() & PermissionFlagsBits.Administrator).toBe(0n)
    const url = new URL(inviteUrl('123456789012345678'))
    expect(url.searchParams.get('permissions')).toBe(String(bits))
    expect(() => inviteUrl('lounge')).toThrow('"lounge"')
  })

  test('are requested by purpose, without duplicates', () => {
    expect(neededFor(['listen', 'speak', 'write'])).toEqual([
      ...['ViewChannel', 'Connect', 'Speak', 'SendMessages', 'ReadMessageHistory'],
    ])
    expect(neededFor([])).toEqual([])
    const connect = PermissionFlagsBits.Connect
    expect(missingFrom(connect, neededFor(['listen']))).toEqual(['ViewChannel'])
    expect(missingFrom(PermissionFlagsBits.Administrator, USED_PERMISSIONS)).toEqual([])
  })
})

async function opened() {
  const discord = await DiscordSimulator.listen()
  const rest = new REST({ api: discord.api, retries: 0 }).setToken(discord.token)
  const log = new LogLines()
  const terms = { rest, applicationId: discord.application.id, guilds: [] as string[], log }
  const writes = () =>
    discord.requests.filter(({ method }) => method !== 'GET').map(({ method, route }) => `${method} ${route}`)
  return { discord, log, terms, writes, [Symbol.asyncDispose]: () => discord.close() }
}

describe('registering', () => {
  test('writes an absent command, and leaves an up-to-date one unchanged', async () => {
    await using world = await opened()
    expect(await registerCommand(world.terms)).toEqual([{ place: 'global', result: 'registered' }])
    expect(await registerCommand(world.terms)).toEqual([{ place: 'global', result: 'unchanged' }])
    expect(world.writes()).toHaveLength(1)
    expect(await commandStates(world.terms)).toMatchObject([{ place: 'global', state: 'same' }])
  })

  test('overwrites a changed command, in any language', async () => {
    await using world = await opened()
    await registerCommand(world.terms)
    const [{ id } = { id: '' }] = (await commandStates(world.terms)) as { id: string }[]
    const path = `/applications/${world.terms.applicationId}/commands/${id}` as const
    for (const body of [
      { description: 'another' },
      { name_localizations: { de: 'anders' } },
      { default_member_permissions: null },
      { options: commandDefinition().options?.slice(1) },
    ]) {
      await world.terms.rest.patch(path, { body })
      expect(await commandStates(world.terms)).toMatchObject([{ state: 'different', id }])
      expect(await registerCommand(world.terms)).toMatchObject([{ result: 'registered' }])
      expect(await commandStates(world.terms)).toMatchObject([{ state: 'same', id }])
    }
  })

  test('leaves other commands of the application unchanged', async () => {
    await using world = await opened()
    const path = `/applications/${world.terms.applicationId}/commands` as const
    await world.terms.rest.put(path, { body: [{ name: 'weather', description: 'of another application' }] })
    await registerCommand(world.terms)
    await unregisterCommand(world.terms)
    expect(await world.terms.rest.get(path)).toMatchObject([{ name: 'weather' }])
  })

  test('in listed guilds removes the global command', async () => {
    await using world = await opened()
    const guild = world.discord.addGuild({ name: 'Casa' })
    await registerCommand(world.terms)
    const terms = { ...world.terms, guilds: [guild.id] }
    expect(await registerCommand(terms)).toEqual([
      { place: 'global', result: 'removed' },
      { place: guild.id, result: 'registered' },
    ])
    expect(await registerCommand(terms)).toEqual([{ place: guild.id, result: 'unchanged' }])
    expect(await commandStates(world.terms)).toEqual([{ place: 'global', state: 'absent' }])
  })

  test('reports a failure in one guild and continues with the others', async () => {
    await using world = await opened()
    const guild = world.discord.addGuild({ name: 'Casa' })
    const strange = '123456789012345678'
    const results = await registerCommand({ ...world.terms, guilds: [strange, guild.id] })
    expect(results).toMatchObject([{ place: strange, result: { text: /.+/ } }, { result: 'registered' }])
    expect(world.log.complaints.join()).toContain(strange)
  })

  test('survives an unreachable or failing Discord', async () => {
    await using world = await opened()
    world.discord.faults.rest.always({ reply: { status: 500, body: 'oops' } })
    expect(await registerCommand(world.terms)).toMatchObject([{ result: { kind: 'broken' } }])
    world.discord.faults.rest.heal()
    world.discord.faults.rest.always({ cut: 'before' })
    expect(await registerCommand(world.terms)).toMatchObject([{ result: { kind: 'unreachable' } }])
    expect(world.log.complaints).toHaveLength(2)
    expect(world.log.complaints.join()).not.toContain(world.discord.token)
  })

  test('reports a wrong token without showing it', async () => {
    await using world = await opened()
    const rest = new Client({ intents: [], rest: { api: world.discord.api, retries: 0 } }).rest
    rest.setToken('a-wrong-token')
    const terms = { ...world.terms, rest, guilds: [] }
    expect(await registerCommand(terms)).toMatchObject([{ result: { kind: 'token' } }])
    expect(world.log.complaints.join()).not.toContain('a-wrong-token')
  })
})
