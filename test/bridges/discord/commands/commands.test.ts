import type { TextChannel } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../../src/common/errors.ts'
import { openWorld, openRunning as running } from '../../../support/discord/command-harness.ts'
import { until } from '../../../support/until.ts'

describe('a running interpreter', () => {
  test('can be changed only by people in the channel, its starter, and members who manage channels', async () => {
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

  test('reports in the chat who changed it, without alerting anyone', async () => {
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
  test('is one language, two, or automatic', async () => {
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

  test('rejects a language without a voice', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret output', { first: 'Catalan' })
    expect(text).toMatch(/^No voice is available for Catalan \(Spain\)\./)
    expect(world.interpreter.asked).toEqual([])
  })

  test('offers the automatic choice first', async () => {
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
  test('is set here and stored on request, as the reply confirms', async () => {
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

  test('without speech recognition gets a warning', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret language', { language: 'eu-es' })
    expect(text).toContain('is not translated')
  })

  test('that is unknown is answered with suggestions', async () => {
    await using world = await running()
    const text = await world.types(world.ben, 'interpret language', { language: 'Spa**nisch' })
    expect(text).toMatch(/^“Spa\\\*\\\*nisch” is not a language I know\. Try: .*\(es-es\)/)
  })

  test('cannot be set while the languages are unavailable, as the reply explains', async () => {
    await using world = await openWorld()
    world.service.languages = async () => Promise.reject(new Error('away'))
    const reply = await world.ben.command('interpret language', { language: 'de-de' }, { in: world.general })
    expect(reply.text).toContain('cannot get the languages of the translation service')
    expect(
      await world.ben.autocomplete('interpret language', 'language', 'de', {}, { in: world.general }),
    ).toEqual([])
  })

  test('can be set for others by moderators only', async () => {
    await using world = await running()
    const values = { language: 'es-mx', user: world.ana }
    expect(await world.types(world.ben, 'interpret language', values)).toMatch(/^Only members who can mute/)
    world.guild.setRoles(world.ben, [world.guild.addRole({ name: 'mod', permissions: ['MuteMembers'] })])
    expect(await world.types(world.ben, 'interpret language', values)).toBe(
      'The language of Ana is **Spanish (Mexico)**.',
    )
    expect(world.interpreter.asked).toEqual([`language ${world.ana.id} es-mx`])
    // Only users themselves can have it remembered.
    expect(world.preferences.language(world.ana.id)).toBeUndefined()
  })
})

test('captions go to a thread only where threads are supported', async () => {
  await using world = await running()
  const text = await world.types(world.ben, 'interpret captions', { style: 'embed', thread: true })
  expect(text).toContain('The chat of a voice channel has no threads')
  expect(world.interpreter.asked).toEqual(['captions embed false'])
  world.guild.setPermissions(world.lounge, world.guild.bot, { deny: ['EmbedLinks'] })
  expect(await world.types(world.ben, 'interpret captions', { style: 'embed' })).toContain(
    '- **Embed Links**',
  )
})

test('captions in a thread stay there when only their style changes', async () => {
  await using world = await running()
  const chat = world.client.channels.cache.get(world.general.id) as TextChannel
  const thread = await chat.threads.create({ name: 'Captions' })
  world.interpreter.change = { textChannelId: thread.id, captions: { style: 'embed', thread: true } }
  const text = await world.types(world.ben, 'interpret captions', { style: 'plain' })
  expect(text).toBe('Captions: **Plain text**. They go to a separate thread.')
  expect(world.interpreter.asked).toEqual(['captions plain true'])
})

test('status shows the current state, with escaped names', async () => {
  await using world = await running()
  // A user who was never seen is mentioned without an alert.
  world.interpreter.speakers = [{ userId: '9', language: 'es-es', languageFrom: 'locale', consents: false }]
  expect(await world.types(world.eve, 'interpret status')).toContain('- <@9>: opted out')
  world.interpreter.speakers = [
    { userId: world.ana.id, language: 'es-es', languageFrom: 'locale', consents: true },
    { userId: world.eve.id, language: 'en-us', languageFrom: 'default', consents: false },
  ]
  world.interpreter.change = {
    unavailable: true,
    output: ['es-es'],
    spoken: ['es-es'],
    written: ['en-us', 'de-de'],
  }
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
  test('takes effect immediately, in every server, also by button', async () => {
    await using world = await running()
    expect(await world.types(world.ana, 'interpret privacy opt-out')).toMatch(/^Ya no te escucho/)
    expect(world.preferences.optedOut(world.ana.id)).toBe(true)
    expect(world.interpreter.asked).toEqual([`opt-out ${world.ana.id}`])
    expect(await world.types(world.ana, 'interpret privacy info')).toContain('no te escuche')
    expect(await world.types(world.ana, 'interpret language', { language: 'es-es' })).toContain('no lo hago')
    expect(await world.types(world.ana, 'interpret privacy opt-in')).toContain('Te interpreto')
    expect(world.interpreter.asked.at(-1)).toBe(`opt-in ${world.ana.id}`)
    // Sent in a server other than the one they speak in.
    const other = world.discord.addGuild({ name: 'Otra' })
    const there = other.addTextChannel({ name: 'general' })
    const again = other.addMember({ name: 'Ana', user: world.ana.user })
    await until(() => world.client.guilds.cache.has(other.id), 5_000, 'another guild')
    await again.command('interpret privacy opt-out', {}, { in: there })
    expect(world.interpreter.asked.at(-1)).toBe(`opt-out ${world.ana.id}`)
  })

  test('shows the stored data, and deletes it', async () => {
    await using world = await running()
    expect(await world.types(world.ben, 'interpret privacy info')).toContain('I store nothing about you.')
    await world.types(world.ben, 'interpret language', { language: 'de-de', remember: true })
    const info = await world.types(world.ben, 'interpret privacy info')
    expect(info).toContain('I remember your language: German (Germany).')
    expect(info).toMatch(/<\/interpret privacy opt-out:\d+>/)
    expect(await world.types(world.ben, 'interpret privacy forget')).toContain('is deleted')
    expect(world.preferences.about(world.ben.id)).toEqual({ remembered: false, optedOut: false })
    expect(world.locales.get(world.ben.id)).toBeUndefined()
    // Also the data of the running channel.
    expect(world.interpreter.asked.at(-1)).toBe(`forget ${world.ben.id}`)
  })
})

test('an invitation is a code for phones and other servers', async () => {
  await using world = await running()
  const text = await world.types(world.ben, 'interpret invite')
  expect(text).toContain('call +15551230001 and enter **482913**')
  expect(text).toContain('`/interpret start room-code:482913`')
  expect(text).toContain('60 minutes')
  world.interpreter.refuse = new BridgeError('CAPACITY', 'too many')
  expect(await world.types(world.ben, 'interpret invite')).toMatch(/^Too many codes/)
})

test('commands require a running interpreter', async () => {
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
