import type { TextChannel } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../../src/core/errors.ts'
import { until } from '../../../helpers/until.ts'
import { openWorld, openRunning as running } from './discord-world.ts'

describe('who may change what is running', () => {
  test('people in the channel, who started it, who manages channels; nobody else', async () => {
    await using world = await running()
    expect(await world.types(world.eve, 'interpret stop')).toMatch(/^Only people in that voice channel/)
    expect(await world.types(world.eve, 'interpret output', { first: 'es-es' })).toMatch(/^Only people/)
    expect(await world.types(world.eve, 'interpret captions', { style: 'off' })).toMatch(/^Only people/)
    expect(await world.types(world.eve, 'interpret invite')).toMatch(/^Only people/)
    expect(world.interpreter.asked).toEqual([])
    await world.ben.leave()
    expect(await world.types(world.ben, 'interpret captions', { style: 'plain' })).toContain('Plain text')
    expect(await world.types(world.ana, 'interpret captions', { style: 'off' })).toContain('subtítulos')
    world.guild.setRoles(world.eve, [world.guild.addRole({ name: 'chief', permissions: ['ManageChannels'] })])
    expect(await world.types(world.eve, 'interpret stop')).toContain('Stopped interpreting')
  })

  test('and everybody reads who did, without being alerted', async () => {
    await using world = await running()
    world.guild.setRoles(world.eve, [world.guild.addRole({ name: 'chief', permissions: ['ManageChannels'] })])
    await world.types(world.eve, 'interpret stop')
    await until(() => world.announced().length > 0, 5_000, 'an announcement')
    expect(world.announced()[0]).toBe(
      `\\*Eve\\* @\u200Beveryone: Stopped interpreting <#${world.lounge.id}>.`,
    )
    expect(world.lounge.visible[0]?.pings).toEqual([])
  })
})

describe('output', () => {
  test('is one language, two, or as the people need', async () => {
    await using world = await running()
    expect(await world.types(world.ben, 'interpret output', { first: 'German' })).toContain(
      '**German (Germany)**',
    )
    const both = await world.types(world.ana, 'interpret output', { first: 'en-us', second: 'español' })
    expect(both).toContain('**inglés (Estados Unidos) y español (España)**')
    await world.types(world.ben, 'interpret output', { first: 'es-es', second: 'es-es' })
    await world.types(world.ben, 'interpret output', { first: 'auto' })
    expect(world.interpreter.asked).toEqual([
      ...['output de-de', 'output en-us,es-es', 'output es-es', 'output auto'],
    ])
  })

  test('has a voice, or is not taken', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret output', { first: 'Catalan' })
    expect(text).toMatch(/^No voice is available for Catalan \(Spain\)\./)
    expect(world.interpreter.asked).toEqual([])
  })

  test('is offered with the automatic one first', async () => {
    await using world = await running()
    const at = { in: world.general }
    const all = await world.ben.autocomplete('interpret output', 'first', '', {}, at)
    expect(all[0]).toEqual({ name: expect.stringMatching(/^Automatic/), value: 'auto' })
    expect(all.map(({ value }) => value)).not.toContain('ca-es')
    const second = await world.ben.autocomplete('interpret output', 'second', 'a', { first: 'en-us' }, at)
    expect(second.map(({ value }) => value)).not.toContain('auto')
  })
})

describe('a language', () => {
  test('is set here and for later, and what is kept is said', async () => {
    await using world = await running()
    expect(await world.types(world.ben, 'interpret language', { language: 'de-de' })).toContain(
      'until I restart',
    )
    const kept = await world.types(world.ben, 'interpret language', { language: 'de-de', remember: true })
    expect(kept).toContain('I will remember it.')
    expect(world.preferences.about(world.ben.id)).toEqual({
      language: 'de-de',
      remembered: true,
      optedOut: false,
    })
    expect(world.interpreter.asked).toEqual(Array(2).fill(`language ${world.ben.id} de-de`))
  })

  test('that is not understood when it is spoken is told so', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret language', { language: 'eu-es' })
    expect(text).toContain('is not translated')
  })

  test('that is none is answered with what was perhaps meant', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret language', { language: 'Spa**nisch' })
    expect(text).toMatch(/^“Spa\\\*\\\*nisch” is not a language I know\. Try: .*\(es-es\)/)
  })

  test('cannot be set while nobody knows any, and the command says so', async () => {
    await using world = await openWorld()
    world.service.languages = async () => Promise.reject(new Error('away'))
    const reply = await world.ben.command('interpret language', { language: 'de-de' }, { in: world.general })
    expect(reply.text).toContain('cannot get the languages of the translation service')
    expect(
      await world.ben.autocomplete('interpret language', 'language', 'de', {}, { in: world.general }),
    ).toEqual([])
  })

  test('of somebody else is for moderators', async () => {
    await using world = await running()
    const values = { language: 'es-mx', user: world.ana }
    expect(await world.types(world.ben, 'interpret language', values)).toMatch(/^Only members who can mute/)
    world.guild.setRoles(world.ben, [world.guild.addRole({ name: 'mod', permissions: ['MuteMembers'] })])
    expect(await world.types(world.ben, 'interpret language', values)).toBe(
      'The language of Ana is **Spanish (Mexico)**.',
    )
    expect(world.interpreter.asked).toEqual([`language ${world.ana.id} es-mx`])
    // Theirs alone to remember
    expect(world.preferences.language(world.ana.id)).toBeUndefined()
  })
})

test('captions go to a thread only where there can be one', async () => {
  await using world = await running()
  const text = await world.types(world.ben, 'interpret captions', { style: 'embed', thread: true })
  expect(text).toContain('The chat of a voice channel has no threads')
  expect(world.interpreter.asked).toEqual(['captions embed false'])
  world.guild.setPermissions(world.lounge, world.guild.bot, { deny: ['EmbedLinks'] })
  expect(await world.types(world.ben, 'interpret captions', { style: 'embed' })).toContain(
    '- **Embed Links**',
  )
})

test('captions that are in a thread stay there when only their look changes', async () => {
  await using world = await running()
  const chat = world.client.channels.cache.get(world.general.id) as TextChannel
  const thread = await chat.threads.create({ name: 'Captions' })
  world.interpreter.change = { textChannelId: thread.id, captions: { style: 'embed', thread: true } }
  const text = await world.types(world.ben, 'interpret captions', { style: 'plain' })
  expect(text).toBe('Captions: **Plain text**. They go to a separate thread.')
  expect(world.interpreter.asked).toEqual(['captions plain true'])
})

test('status tells what is going on, with names that do no harm', async () => {
  await using world = await running()
  // Who was never seen is mentioned, and not alerted.
  world.interpreter.speakers = [{ userId: '9', language: 'es-es', languageFrom: 'locale', consents: false }]
  expect(await world.types(world.eve, 'interpret status')).toContain('- <@9>: opted out')
  world.interpreter.speakers = [
    { userId: world.ana.id, language: 'es-es', languageFrom: 'locale', consents: true },
    { userId: world.eve.id, language: 'en-us', languageFrom: 'default', consents: false },
  ]
  world.interpreter.change = { away: true, output: ['es-es'], spoken: ['es-es'], written: ['en-us', 'de-de'] }
  const text = await world.types(world.ben, 'interpret status')
  expect(text.split('\n')).toEqual([
    `🔴 **Interpreting <#${world.lounge.id}>**`,
    expect.stringMatching(/^Started <t:\d+:R>$/),
    expect.stringContaining('is unavailable'),
    expect.stringMatching(/^End-to-end encrypted/),
    'Output: Spanish (Spain)',
    'Spoken now: Spanish (Spain)',
    'Captions now: English (United States) and German (Germany)',
    `Captions: In color, in <#${world.lounge.id}>`,
    'People:',
    '- Ana: Spanish (Spain) (from their Discord settings)',
    '- \\*Eve\\* @\u200Beveryone: opted out',
  ])
  const [, seconds] = /<t:(\d+):R>/.exec(text) ?? []
  expect(Math.abs(Number(seconds) * 1_000 - (Date.now() - 60_000))).toBeLessThan(10_000)
  world.interpreter.speakers = Array.from({ length: 99 }, () => world.interpreter.speakers[0]!)
  expect((await world.types(world.ben, 'interpret status')).length).toBeLessThanOrEqual(2_000)
})

describe('privacy', () => {
  test('is at once, in every server, and also by a press', async () => {
    await using world = await running()
    expect(await world.types(world.ana, 'interpret privacy opt-out')).toMatch(/^Ya no te escucho/)
    expect(world.preferences.optedOut(world.ana.id)).toBe(true)
    expect(world.interpreter.asked).toEqual([`opt-out ${world.ana.id}`])
    expect(await world.types(world.ana, 'interpret privacy info')).toContain('no te escuche')
    expect(await world.types(world.ana, 'interpret language', { language: 'es-es' })).toContain('no lo hago')
    expect(await world.types(world.ana, 'interpret privacy opt-in')).toContain('Vuelvo a interpretarte')
    expect(world.interpreter.asked.at(-1)).toBe(`opt-in ${world.ana.id}`)
    // Said in another server than the one where they speak
    const other = world.discord.addGuild({ name: 'Otra' })
    const there = other.addTextChannel({ name: 'general' })
    const again = other.addMember({ name: 'Ana', user: world.ana.user })
    await until(() => world.client.guilds.cache.has(other.id), 5_000, 'another guild')
    await again.command('interpret privacy opt-out', {}, { in: there })
    expect(world.interpreter.asked.at(-1)).toBe(`opt-out ${world.ana.id}`)
  })

  test('tells what is kept, and forgets it', async () => {
    await using world = await running()
    expect(await world.types(world.ben, 'interpret privacy info')).toContain('I store nothing about you.')
    await world.types(world.ben, 'interpret language', { language: 'de-de', remember: true })
    const info = await world.types(world.ben, 'interpret privacy info')
    expect(info).toContain('I remember your language: German (Germany).')
    expect(info).toMatch(/<\/interpret privacy opt-out:\d+>/)
    expect(await world.types(world.ben, 'interpret privacy forget')).toContain('is deleted')
    expect(world.preferences.about(world.ben.id)).toEqual({ remembered: false, optedOut: false })
    expect(world.locales.of(world.ben.id)).toBeUndefined()
    // Also what the channel that is running knows.
    expect(world.interpreter.asked.at(-1)).toBe(`forget ${world.ben.id}`)
  })
})

test('an invitation is a code for telephones and other servers', async () => {
  await using world = await running()
  const text = await world.types(world.ben, 'interpret invite')
  expect(text).toContain('call +15551230001 and enter **482913**')
  expect(text).toContain('`/interpret start room-code:482913`')
  expect(text).toContain('60 minutes')
  world.interpreter.refuse = new BridgeError('CAPACITY', 'too many')
  expect(await world.types(world.ben, 'interpret invite')).toMatch(/^Too many codes/)
})

test('without anything running, commands say so', async () => {
  await using world = await openWorld()
  world.guild.setRoles(world.ben, [world.guild.addRole({ name: 'boss', permissions: ['ManageGuild'] })])
  const commands: [string, Record<string, string>][] = [
    ['interpret stop', {}],
    ['interpret output', { first: 'auto' }],
    ['interpret captions', {}],
    ['interpret invite', {}],
    ['interpret dial', { number: '+34600123456', language: 'es-es' }],
  ]
  for (const [path, values] of commands) {
    const { text } = await world.ben.command(path, values, { in: world.general })
    expect(text, path).toMatch(/^Nothing is being interpreted here\./)
  }
})
