import { PermissionFlagsBits, PermissionsBitField } from 'discord.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitsOf, PERMISSION_NAMES, permissionsOf } from '../../../../simulator/discord/model/permissions.ts'
import { DiscordSimulator, type PermissionName } from '../../../../simulator/index.ts'
import { login } from '../../../support/simulator/discord-bot.ts'
import { until } from '../../../support/until.ts'

test('the bits are Discord’s', () => {
  for (const name of PERMISSION_NAMES) expect(bitsOf([name]), name).toBe(PermissionFlagsBits[name])
  expect(() => bitsOf(['Fly' as PermissionName])).toThrow('unknown permission: Fly')
})

const some = fc.subarray([...PERMISSION_NAMES].filter(name => name !== 'Administrator'))
const overwrite = fc.record({ allow: some, deny: some })

test('the permissions in a channel equal those computed by discord.js', async () => {
  await using discord = await DiscordSimulator.listen()
  const guild = discord.addGuild({ name: 'Casa' })
  const channel = guild.addTextChannel({ name: 'general' })
  const roles = ['One', 'Two', 'Three'].map(name => guild.addRole({ name }))
  await using bot = await login(discord)
  const client = bot.client.guilds.cache.get(guild.id)!
  let marks = 0
  await fc.assert(
    fc.asyncProperty(
      some,
      fc.array(some, { minLength: 3, maxLength: 3 }),
      fc.subarray([0, 1, 2]),
      fc.array(fc.option(overwrite), { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      async (everyone, granted, worn, overwrites, administrator) => {
        guild.setRole(guild.everyone, everyone)
        for (const [at, role] of roles.entries())
          guild.setRole(role, [
            ...granted[at]!,
            ...(administrator && at === 2 ? (['Administrator'] as const) : []),
          ])
        guild.setRoles(
          guild.bot,
          worn.map(at => roles[at]!),
        )
        for (const [at, who] of [guild.everyone, ...roles, guild.bot].entries())
          guild.setPermissions(channel, who, overwrites[at] ?? {})
        // Events are ordered: the last one shows that all have arrived.
        const mark = `mark ${++marks}`
        guild.setNick(guild.bot, mark)
        await until(() => client.members.me?.nickname === mark, 5_000, 'the news')
        const theirs = client.channels.cache.get(channel.id)?.permissionsFor(client.members.me!)
        const known = (bits: bigint) => bits & bitsOf(PERMISSION_NAMES)
        // The client ignores that a member who cannot see a channel can do nothing there.
        const ours = permissionsOf(guild.bot.standing, [...channel.overwrites.values()])
        expect(known(ours)).toBe(known(theirs!.bitfield))
        const seen = theirs!.has(PermissionsBitField.Flags.ViewChannel)
        expect(channel.permissionsOf(guild.bot)).toBe(seen ? ours : 0n)
      },
    ),
    { numRuns: 60, seed: 5 },
  )
})

test('unknown names are rejected at once', async () => {
  await using discord = await DiscordSimulator.listen()
  expect(() => discord.addGuild({ name: 'Casa', locale: 'es' as 'es-ES' })).toThrow('no locale es; it has')
  const guild = discord.addGuild({ name: 'Casa' })
  expect(() => guild.addMember({ name: 'Ana', locale: 'de-DE' as 'de' })).toThrow('no locale de-DE')
  const ana = guild.addMember({ name: 'Ana' })
  expect(() => guild.addMember({ name: 'Ana', user: ana.user })).toThrow('Ana is in Casa already')
  expect(discord.addGuild({ name: 'Piso' }).addMember({ name: '', user: ana.user }).displayName).toBe('Ana')
  const everyone = ['Fly' as PermissionName]
  expect(() => discord.addGuild({ name: 'Casa', everyone })).toThrow('unknown permission: Fly')
  await expect(guild.bot.join(guild.addVoiceChannel({ name: 'Sala' }))).rejects.toThrow(
    'it can only join on its own',
  )
  await expect(ana.command('x')).rejects.toMatchObject({ code: 'unknown-command' })
  await ana.leave()
})

test('the owner has all permissions, and thread and parent are alike', async () => {
  await using discord = await DiscordSimulator.listen()
  const guild = discord.addGuild({ name: 'Casa', everyone: [], botPermissions: ['ViewChannel'] })
  const channel = guild.addVoiceChannel({ name: 'Sala' })
  guild.setPermissions(channel, guild.owner, { deny: ['Speak'] })
  expect(guild.owner.can('Speak', channel)).toBe(true)
  expect(guild.bot.can('ViewChannel', channel)).toBe(true)
  expect(guild.addMember({ name: 'Ana' }).can('ViewChannel', channel)).toBe(false)
})
