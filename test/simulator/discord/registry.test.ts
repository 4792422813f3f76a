import { ApplicationCommandOptionType, SlashCommandBuilder } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator } from '../../../src/simulator/index.ts'
import { login } from '../../support/simulator/discord-bot.ts'

const command = (name: string) => new SlashCommandBuilder().setName(name).setDescription('x').toJSON()

async function registered() {
  const discord = await DiscordSimulator.listen()
  const guild = discord.addGuild({ name: 'Casa' })
  const bot = await login(discord)
  const path = `/applications/${discord.application.id}/commands` as const
  return {
    ...{ discord, guild, bot, path },
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]()
      await discord.close()
    },
  }
}

describe('commands', () => {
  it('are registered, changed, listed and removed, globally and in guilds', async () => {
    await using place = await registered()
    const { guild, bot } = place
    const { commands } = bot.client.application
    const [one] = (await commands.set([command('one'), command('two')])).values()
    const again = await commands.create({ ...command('one'), description: 'other' })
    expect(again.id).toBe(one?.id)
    await commands.create(command('three'))
    expect((await commands.fetch()).map(({ name, description }) => [name, description])).toEqual([
      ['two', 'x'],
      ['one', 'other'],
      ['three', 'x'],
    ])
    await commands.edit(again.id, { name: 'uno' })
    expect((await commands.fetch(again.id)).name).toBe('uno')
    await commands.delete(again.id)
    await expect(commands.fetch(again.id)).rejects.toMatchObject({ code: 10063 })
    await commands.set([command('here')], guild.id)
    expect((await commands.fetch({ guildId: guild.id })).map(({ name }) => name)).toEqual(['here'])
    expect((await commands.set([])).size).toBe(0)
    expect((await commands.fetch()).size).toBe(0)
    await expect(commands.set([], '123')).rejects.toMatchObject({ code: 10004 })
    await expect(bot.client.rest.get('/applications/123/commands')).rejects.toMatchObject({ code: 20012 })
  })

  it('keep their translations, which a list omits unless requested', async () => {
    await using place = await registered()
    const { bot, path } = place
    const { commands } = bot.client.application
    const translated = new SlashCommandBuilder()
      .setName('interpret')
      .setDescription('Interpreting')
      .setNameLocalizations({ de: 'dolmetschen', 'es-ES': 'interpretar' })
      .setDescriptionLocalizations({ de: 'Dolmetschen' })
    await commands.set([translated])
    const full = (await commands.fetch({ withLocalizations: true })).first()
    expect(full?.nameLocalizations).toEqual({ de: 'dolmetschen', 'es-ES': 'interpretar' })
    const [listed] = (await bot.client.rest.get(path)) as object[]
    expect(listed).toMatchObject({ name: 'interpret', description: 'Interpreting' })
    expect(listed).not.toHaveProperty('name_localizations')
  })

  it('are rejected with the faults and their places', async () => {
    await using place = await registered()
    const { bot, path } = place
    const faults = async (body: object) => {
      const error = (await bot.client.rest.post(path, { body }).catch((reason: unknown) => reason)) as {
        code: number
        rawError: { errors: object }
      }
      expect(error.code).toBe(50035)
      const walk = (node: object, at: string): string[] =>
        Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
          key === '_errors'
            ? (value as { code: string }[]).map(({ code }) => `${at} ${code}`)
            : walk(value as object, at ? `${at}.${key}` : key),
        )
      return walk(error.rawError.errors, '')
    }
    const base = { name: 'x', description: 'x' }
    const option = { type: ApplicationCommandOptionType.String, ...base }
    const many = (length: number) => Array.from({ length }, (_, at) => ({ ...option, name: `o${at}` }))
    expect(await faults({})).toEqual(['name BASE_TYPE_REQUIRED', 'description BASE_TYPE_REQUIRED'])
    expect(await faults({ ...base, name: 'Two Words' })).toEqual(['name APPLICATION_COMMAND_INVALID_NAME'])
    expect(await faults({ ...base, name: 'ÜBER' })).toEqual(['name APPLICATION_COMMAND_INVALID_NAME'])
    expect(await faults({ ...base, description: 'x'.repeat(101) })).toEqual([
      'description BASE_TYPE_BAD_LENGTH',
    ])
    expect(await faults({ ...base, type: 9 })).toEqual(['type BASE_TYPE_CHOICES'])
    expect(await faults({ ...base, type: 2 })).toEqual([
      'description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
    ])
    expect(await faults({ ...base, name_localizations: { 'de-DE': 'x', it: 7 } })).toEqual([
      'name_localizations.de-DE ENUM_TYPE_COERCE',
      'name_localizations.it BASE_TYPE_BAD_STRING',
    ])
    expect(await faults({ ...base, name_localizations: { fr: 'A B' } })).toEqual([
      'name_localizations.fr APPLICATION_COMMAND_INVALID_NAME',
    ])
    expect(await faults({ ...base, options: many(26) })).toEqual(['options BASE_TYPE_MAX_LENGTH'])
    expect(await faults({ ...base, options: [option, option] })).toEqual([
      'options.1.name APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    ])
    expect(await faults({ ...base, options: [option, { ...option, name: 'y', required: true }] })).toEqual([
      'options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ])
    expect(await faults({ ...base, options: [option, { ...option, name: 'y', type: 1 }] })).toEqual([
      'options APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ])
    const choices = Array.from({ length: 26 }, (_, at) => ({ name: `${at}`, value: `${at}` }))
    expect(await faults({ ...base, options: [{ ...option, choices }] })).toEqual([
      'options.0.choices BASE_TYPE_MAX_LENGTH',
    ])
    expect(
      await faults({ ...base, options: [{ ...option, choices: choices.slice(1, 2), autocomplete: true }] }),
    ).toEqual(['options.0.autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_INVALID'])
    expect(
      await faults({ ...base, options: [{ ...option, type: 4, choices: choices.slice(0, 1) }] }),
    ).toEqual(['options.0.choices.0.value NUMBER_TYPE_COERCE'])
    const nested = { ...base, type: 2, options: [{ ...base, type: 2 }] }
    expect(await faults({ ...base, options: [nested] })).toEqual([
      'options.0.options.0.type BASE_TYPE_CHOICES',
    ])
    expect(await faults({ ...base, default_member_permissions: 'all' })).toEqual([
      'default_member_permissions PERMISSIONS_TYPE_CONVERT',
    ])
    const wide = many(25).map(each => ({
      ...each,
      choices: choices.slice(0, 25).map(({ name }) => ({ name, value: `${name}${'x'.repeat(20)}` })),
    }))
    expect(await faults({ ...base, options: wide })).toEqual([' APPLICATION_COMMAND_TOO_LARGE'])
  })

  it('have unique names, and at most a hundred', async () => {
    await using place = await registered()
    const { commands } = place.bot.client.application
    await expect(commands.set([command('one'), command('one')])).rejects.toMatchObject({
      rawError: { errors: { 1: { _errors: [{ code: 'APPLICATION_COMMANDS_DUPLICATE_NAME' }] } } },
    })
    await expect(
      commands.set(Array.from({ length: 101 }, (_, at) => command(`c${at}`))),
    ).rejects.toMatchObject({
      code: 30032,
    })
    await commands.set(Array.from({ length: 100 }, (_, at) => command(`c${at}`)))
    await expect(commands.create(command('more'))).rejects.toMatchObject({ code: 30032 })
  })
})
