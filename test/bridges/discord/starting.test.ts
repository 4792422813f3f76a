import { describe, expect, test } from 'vitest'
import type { UsedPermission } from '../../../src/bridges/discord/commands/permissions.ts'
import { USED_PERMISSIONS } from '../../../src/bridges/discord/commands/permissions.ts'
import { failureText } from '../../../src/bridges/discord/commands/subcommands/start.ts'
import type { StartFailure } from '../../../src/bridges/discord/contract.ts'
import { CATALOGS } from '../../../src/messages/catalogs.ts'
import { openWorld } from '../../support/discord/command-harness.ts'

type World = Awaited<ReturnType<typeof openWorld>>

/** Replies to Ben, who speaks English. */
async function starts(world: World, values: Record<string, string | boolean> = {}): Promise<string> {
  const { channel, ...rest } = values
  const target = channel === undefined ? {} : { channel: world.guild.channels.get(String(channel))! }
  return (
    await world.ben.command(
      'interpret start',
      { ...rest, ...target } as Parameters<typeof world.ben.command>[1],
      { in: world.general },
    )
  ).text
}

describe('starting', () => {
  test('interprets the user’s channel, with captions in its chat', async () => {
    await using world = await openWorld()
    await world.ben.join(world.lounge)
    const reply = await world.ben.command('interpret start', {}, { in: world.general })
    expect(reply).toMatchObject({ deferred: true, ephemeral: true })
    expect(reply.text).toContain(`Interpreting <#${world.lounge.id}>`)
    expect(reply.text).toMatch(/<\/interpret language:\d+>/)
    expect(world.interpreters.requests).toEqual([
      {
        guildId: world.guild.id,
        channelId: world.lounge.id,
        textChannelId: world.lounge.id,
        startedBy: world.ben.id,
        output: 'auto',
        captions: { style: 'embed', thread: false },
        voice: true,
      },
    ])
  })

  test('accepts captions only, and a room code', async () => {
    await using world = await openWorld()
    await world.ben.join(world.lounge)
    const text = await starts(world, { 'captions-only': true, 'room-code': '482913' })
    expect(text).toContain('without speaking')
    expect(world.interpreters.requests[0]).toMatchObject({ voice: false, roomCode: '482913' })
  })

  test('opens a thread in the text channel of the command, otherwise explains that threads are unsupported', async () => {
    await using world = await openWorld({ captions: { style: 'plain', thread: true } })
    await world.ben.join(world.lounge)
    await starts(world)
    expect(world.interpreters.requests[0]).toMatchObject({
      textChannelId: world.general.id,
      captions: { style: 'plain', thread: true },
    })
    await world.interpreters.of(world.guild.id)?.stop('test')
    const inVoice = await world.ben.command('interpret start', {}, { in: world.lounge })
    expect(inVoice.text).toContain('The chat of a voice channel has no threads')
    expect(world.interpreters.requests[1]).toMatchObject({
      textChannelId: world.lounge.id,
      captions: { thread: false },
    })
  })

  test('works without optional permissions, and names them', async () => {
    await using world = await openWorld({ captions: { style: 'embed', thread: true } })
    await world.ben.join(world.lounge)
    world.guild.setPermissions(world.general, world.guild.bot, { deny: ['CreatePublicThreads'] })
    world.guild.setPermissions(world.lounge, world.guild.bot, { deny: ['EmbedLinks'] })
    const text = await starts(world)
    expect(text).toContain('Interpreting')
    expect(text).toContain(
      `In <#${world.general.id}>, I need these permissions:\n- **Create Public Threads**`,
    )
    expect(text).toContain(`In <#${world.lounge.id}>, I need these permissions:\n- **Embed Links**`)
    expect(text).toMatch(/Until then, captions work without them\.$/)
    expect(world.interpreters.requests[0]).toMatchObject({
      textChannelId: world.lounge.id,
      captions: { style: 'plain', thread: false },
    })
  })

  test('is refused while interpreting is running, here or elsewhere', async () => {
    await using world = await openWorld()
    const other = world.guild.addVoiceChannel({ name: 'Other' })
    await world.ben.join(world.lounge)
    await starts(world)
    expect(await starts(world)).toBe('This channel is already being interpreted.')
    await world.ben.moveTo(other)
    expect(await starts(world)).toContain(`already interpreting <#${world.lounge.id}>`)
    expect(world.interpreters.requests).toHaveLength(1)
  })
})

describe('a start is refused', () => {
  test('for a user outside of voice channels', async () => {
    await using world = await openWorld()
    expect(await starts(world)).toBe('Join a voice channel first, or name one.')
    // Named explicitly, but from outside.
    expect(await starts(world, { channel: world.lounge.id })).toContain(`Join <#${world.lounge.id}> first`)
    const chief = world.guild.addRole({ name: 'chief', permissions: ['ManageChannels'] })
    world.guild.setRoles(world.ben, [chief])
    expect(await starts(world, { channel: world.lounge.id })).toContain('Interpreting')
  })

  test('for a user without permission to join', async () => {
    await using world = await openWorld()
    world.guild.setPermissions(world.lounge, world.ben, { deny: ['Connect'] })
    expect(await starts(world, { channel: world.lounge.id })).toContain('You don’t have permission to join')
  })

  test.each(['Connect', 'Speak', 'SendMessages', 'ReadMessageHistory'] as const)(
    'without %s, which is named',
    async permission => {
      await using world = await openWorld()
      await world.ben.join(world.lounge)
      world.guild.setPermissions(world.lounge, world.guild.bot, { deny: [permission] })
      const name = CATALOGS.en.discord.replies.permissions[permission]
      const text = await starts(world)
      expect(text).toContain(`In <#${world.lounge.id}>, I need these permissions:\n- **${name}**\n`)
      expect(text).toContain(`role **${world.guild.bot.roles[0]?.name}**`)
      expect(world.interpreters.requests).toEqual([])
    },
  )

  test('without several permissions, all named, in the user’s language', async () => {
    await using world = await openWorld()
    await world.ana.join(world.lounge)
    world.guild.setPermissions(world.lounge, world.guild.bot, { deny: ['Connect', 'Speak', 'SendMessages'] })
    const { text } = await world.ana.command('interpret start', {}, { in: world.general })
    const { permissions } = CATALOGS.es.discord.replies
    for (const name of ['Connect', 'Speak', 'SendMessages'] satisfies UsedPermission[])
      expect(text).toContain(`- **${permissions[name]}**`)
    expect(text).not.toContain(permissions.ReadMessageHistory)
  })

  test('on a stage without permission to request to speak, but not with captions only', async () => {
    await using world = await openWorld()
    const stage = world.guild.addVoiceChannel({ name: 'Stage', stage: true })
    await world.ben.join(stage)
    world.guild.setPermissions(stage, world.guild.bot, { deny: ['RequestToSpeak', 'Speak'] })
    expect(await starts(world)).toContain('- **Request to Speak**')
    expect(await starts(world, { 'captions-only': true })).toContain('Writing captions')
  })

  test('in a channel that is full, unless the bot can move members', async () => {
    await using world = await openWorld()
    const small = world.guild.addVoiceChannel({ name: 'Small', userLimit: 1 })
    await world.ben.join(small)
    expect(await starts(world)).toContain('is full (1)')
    world.guild.setPermissions(small, world.guild.bot, { allow: ['MoveMembers'] })
    expect(await starts(world)).toContain('Interpreting')
  })

  test('after too many wrong codes', async () => {
    await using world = await openWorld()
    await world.ben.join(world.lounge)
    world.interpreters.fail = { kind: 'wrong-code' }
    for (let tries = 0; tries < 3; tries++)
      expect(await starts(world, { 'room-code': '000000' })).toContain('No conversation has this code')
    expect(await starts(world, { 'room-code': '000000' })).toContain('Too many wrong codes')
    expect(world.interpreters.requests).toHaveLength(3)
  })
})

test('every reason for a failed start has a text', () => {
  const failures: StartFailure[] = [
    { kind: 'already', channelId: '7' },
    { kind: 'wrong-code' },
    { kind: 'full' },
    { kind: 'kicked' },
    { kind: 'empty' },
    { kind: 'parent-closed' },
    { kind: 'stopped', by: '1' },
    { kind: 'unreachable', attempts: 3 },
    { kind: 'refused', code: 4017 },
    { kind: 'refused', code: 'permissions' },
    { kind: 'refused', code: 'channel-gone' },
    { kind: 'refused', code: 'guild-gone' },
    { kind: 'refused', code: 'encryption' },
  ]
  const texts = failures.map(each => failureText(each, '8', CATALOGS.en.discord.replies))
  expect(new Set(texts).size).toBe(failures.length - 2)
  expect(texts.join('\n')).toContain('code 4017')
  expect(texts.join('\n')).toContain('after 3 attempts')
  expect(USED_PERMISSIONS.length).toBe(Object.keys(CATALOGS.en.discord.replies.permissions).length)
})
