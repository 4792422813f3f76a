import { Events, type Interaction } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { CommandLimits } from '../../../../src/bridges/discord/commands/interaction-handler.ts'
import { privacyButtons } from '../../../../src/bridges/discord/commands/notice-buttons.ts'
import { registerCommand } from '../../../../src/bridges/discord/commands/registration.ts'
import { OFFERED, openWorld } from '../../../support/discord/command-harness.ts'
import { login } from '../../../support/simulator/discord-bot.ts'
import { until } from '../../../support/until.ts'

test('a command is registered, typed and answered in the user’s language', async () => {
  await using world = await openWorld()
  const reply = await world.ana.command('interpret status', {}, { in: world.general })
  expect(reply.text).toMatch(
    /^Ahora no se interpreta nada aquí\. Para empezar, usa <\/interpret start:\d+>\.$/,
  )
  expect(reply.ephemeral).toBe(true)
  const other = await world.ben.command('interpret status', {}, { in: world.general })
  expect(other.text).toMatch(/^Nothing is being interpreted here\./)
})

test('languages are found by any of their names, and the chosen one is set', async () => {
  await using world = await openWorld()
  const offered = async (typed: string) =>
    (await world.ana.autocomplete('interpret language', 'language', typed, {}, { in: world.general })).map(
      ({ value }) => value,
    )
  expect(await offered('deut')).toEqual(['de-de'])
  expect(await offered('alem')).toEqual(['de-de'])
  expect(await offered('germ')).toEqual(['de-de'])
  expect(await offered('')).toEqual(['es-es', 'es-mx', 'de-de', 'ca-es', 'en-us', 'en-gb', 'eu-es'])
  const reply = await world.ana.command('interpret language', { language: 'de-de' }, { in: world.general })
  expect(reply.text).toMatch(/^Tu idioma es \*\*alemán \(Alemania\)\*\*\./)
  expect(world.preferences.language(world.ana.id)).toBe('de-de')
})

describe('time', () => {
  test('slow commands are acknowledged first and answered later', async () => {
    await using world = await openWorld()
    await world.ben.join(world.lounge)
    const gate = Promise.withResolvers<void>()
    world.interpreters.gate = gate.promise
    const asked = world.ben.command('interpret start', {}, { in: world.general })
    await until(() => world.interpreters.requests.length > 0, 5_000, 'the start')
    const callbacks = world.discord.requests.filter(({ route }) => route?.includes('callback'))
    expect(callbacks).toHaveLength(1)
    gate.resolve()
    const reply = await asked
    expect(reply).toMatchObject({ deferred: true, ephemeral: true })
    expect(reply.text).toContain('Interpreting')
  })

  test('unexpectedly slow commands are acknowledged in time', async () => {
    const clock = new FakeClock()
    await using world = await openWorld({}, clock)
    const late = Promise.withResolvers<typeof OFFERED>()
    const begun = Promise.withResolvers<void>()
    world.service.languages = () => {
      begun.resolve()
      return late.promise
    }
    const asked = world.ben.command('interpret language', { language: 'de-de' }, { in: world.general })
    const callback = () => world.discord.requests.some(({ route }) => route?.includes('callback'))
    await begun.promise
    expect(callback()).toBe(false)
    clock.advance(2_000)
    await until(callback, 5_000, 'a sign of life')
    late.resolve(OFFERED)
    const reply = await asked
    expect(reply.deferred).toBe(true)
    expect(reply.text).toContain('German')
  })

  test('choices wait a limited time for a slow service', async () => {
    const clock = new FakeClock()
    await using world = await openWorld({}, clock)
    const begun = Promise.withResolvers<void>()
    world.service.languages = () => {
      begun.resolve()
      return new Promise(() => {})
    }
    const at = { in: world.general }
    const choices = world.ben.autocomplete('interpret language', 'language', 'de', {}, at)
    await begun.promise
    // Discord gives three seconds.
    clock.advance(2_500)
    expect(await choices).toEqual([])
  })
})

describe('failures stay isolated', () => {
  const ask = (world: Awaited<ReturnType<typeof openWorld>>) =>
    world.ben.command('interpret status', {}, { in: world.general })

  test.each([
    ['an interaction that is gone', { code: 10062 }, 'interaction expired', 0],
    ['one answered by another client', { code: 40060 }, 'interaction expired', 0],
    ['a Discord in trouble', { reply: { status: 404, body: '?' } }, 'interaction reply failed', 1],
    ['a request that is refused', { code: 50035 }, 'interaction reply failed', 1],
  ] as const)('%s', async (_what, fault, told, failed) => {
    await using world = await openWorld()
    world.discord.faults.rest.next({ only: 'callback', ...fault })
    const lost = ask(world).catch((error: unknown) => error)
    await until(() => world.log.all.some(({ message }) => message === told), 5_000, told)
    expect((await ask(world)).text).toContain('Nothing is being interpreted')
    expect(world.desk.counters.failed).toBe(failed)
    expect(JSON.stringify(world.log.all)).not.toMatch(/webhooks|interactions\/\d/)
    void lost
  })

  test('an internal error is reported to the user and logged', async () => {
    await using world = await openWorld()
    world.interpreters.of = () => {
      throw new Error('a fault of ours')
    }
    expect((await ask(world)).text).toMatch(/^Something went wrong on our side/)
    expect(world.desk.counters.failed).toBe(1)
    expect(world.log.complaints.join()).toContain('a fault of ours')
  })

  test('an announcement that cannot be sent', async () => {
    await using world = await openWorld()
    await world.ben.join(world.lounge)
    await world.ben.command('interpret start', {}, { in: world.general })
    world.guild.setPermissions(world.lounge, world.guild.bot, { deny: ['SendMessages'] })
    const reply = await world.ben.command('interpret output', { first: 'de-de' }, { in: world.general })
    expect(reply.text).toContain('German')
    await until(() => world.log.complaints.length > 0, 5_000, 'a complaint')
    expect(world.log.complaints[0]).toContain('announcement not sent')
  })
})

describe('rate limits', () => {
  test('limit each user temporarily, except for opting out', async () => {
    await using world = await openWorld({}, new FakeClock())
    const ask = async (path = 'interpret status') =>
      (await world.ben.command(path, {}, { in: world.general })).text
    const texts = []
    for (let times = 0; times < 6; times++) texts.push(await ask())
    expect(texts.filter(text => /Please wait \d s/.test(text))).toHaveLength(1)
    expect(await ask('interpret privacy opt-out')).toContain('no longer listen to you')
    expect(await ask('interpret pause')).toContain('Nothing is being interpreted')
    const { text } = await world.ana.command('interpret status', {}, { in: world.general })
    expect(text).toContain('Ahora no se interpreta nada')
  })

  test('limit each guild', async () => {
    const limits = new CommandLimits(new FakeClock())
    const waits = Array.from({ length: 25 }, (_, user) => limits.command(`user ${user}`, 'guild'))
    expect(waits.filter(wait => wait > 0)).toHaveLength(5)
    expect(limits.command('user 99', 'another')).toBe(0)
  })

  test('recover over time', () => {
    const clock = new FakeClock()
    const limits = new CommandLimits(clock)
    for (let times = 0; times < 5; times++) expect(limits.command('a', 'g')).toBe(0)
    expect(limits.command('a', 'g')).toBe(3)
    clock.advance(3_000)
    expect(limits.command('a', 'g')).toBe(0)
    let typed = 0
    while (limits.typing('a')) typed++
    expect(typed).toBe(20)
  })
})

describe('the bot answers', () => {
  test('only the listed guilds, if any are listed', async () => {
    await using world = await openWorld({ guilds: ['123456789012345678'] })
    await registerCommand({ ...world.terms, guilds: [] })
    const { text } = await world.ben.command('interpret status', {}, { in: world.general })
    expect(text).toBe('I am not set up for this server.')
  })

  test('outdated commands, with an explanation', async () => {
    await using world = await openWorld()
    const path = `/applications/${world.terms.applicationId}/commands` as const
    const old = {
      name: 'interpret',
      description: 'long ago',
      options: [{ type: 1, name: 'sing', description: 's' }],
    }
    await world.terms.rest.post(path, { body: old })
    const { text } = await world.ana.command('interpret sing', {}, { in: world.general })
    expect(text).toMatch(/^Comando desconocido/)
  })

  test('its own commands, and leaves those of the owner’s client with the same token alone', async () => {
    await using world = await openWorld()
    const { rest, applicationId } = world.terms
    await rest.post(`/applications/${applicationId}/commands`, {
      body: {
        ...{ name: 'play', description: 'plays music' },
        options: [{ type: 3, name: 'song', description: 's', autocomplete: true }],
      },
    })
    await registerCommand(world.terms)
    expect(await rest.get(`/applications/${applicationId}/commands`)).toHaveLength(2)
    const button = { type: 2, style: 2, custom_id: 'play:next', label: 'Next' } as const
    const menu = { type: 3, custom_id: 'play:list', options: [{ label: 'One', value: 'one' }] } as const
    const rows = [button, menu].map(each => ({ type: 1, components: [each] }))
    await rest.post(`/channels/${world.general.id}/messages`, {
      body: { content: 'music', components: rows },
    })
    const [player] = world.general.visible

    await using own = await login(world.discord)
    const failures: unknown[] = []
    own.client.on(Events.InteractionCreate, interaction => {
      // Our client had enough time to be first.
      const answer = async () => {
        await until(() => seen > failures.length, 5_000, 'the bridge to see it')
        if (interaction.isAutocomplete()) await interaction.respond([{ name: 'Song', value: 'song' }])
        else if (interaction.isRepliable()) await interaction.reply('owner')
      }
      answer().catch(error => failures.push(error))
    })
    let seen = 0
    world.client.on(Events.InteractionCreate, () => void setTimeout(() => seen++, 50))
    const at = { in: world.general }
    expect((await world.ana.command('play', { song: 'x' }, at)).text).toBe('owner')
    expect(await world.ana.autocomplete('play', 'song', 's', {}, at)).toEqual([
      { name: 'Song', value: 'song' },
    ])
    expect((await world.ana.press(player!, 'play:next')).text).toBe('owner')
    expect((await world.ana.press(player!, 'play:list', ['one'])).text).toBe('owner')
    expect(failures).toEqual([])
    expect(world.log.all.map(({ message }) => message)).not.toContain('interaction expired')
  })

  test('servers with only its commands installed, with a link for adding the bot', async () => {
    await using world = await openWorld()
    const told: string[] = []
    const interaction = {
      isAutocomplete: () => false,
      isChatInputCommand: () => true,
      inCachedGuild: () => false,
      ...{ commandName: 'interpret', commandId: '1', options: { data: [] } },
      ...{ applicationId: '42', guildId: '4711', locale: 'en-US', user: { id: '1' } },
      reply: async ({ content }: { content: string }) => void told.push(content),
    }
    world.client.emit('interactionCreate', interaction as unknown as Interaction)
    await until(() => told.length > 0, 5_000, 'an answer')
    expect(told[0]).toMatch(
      /not a member of this server.*https:\/\/discord\.com\/oauth2\/authorize\?client_id=42/,
    )
    expect(told[0]).toMatch(/scope=bot\+applications\.commands&guild_id=4711/)
  })

  test('presses of our buttons only', async () => {
    await using world = await openWorld()
    const chat = world.client.channels.cache.get(world.general.id)
    if (!chat?.isSendable()) throw new Error('no chat')
    const other = { type: 2, style: 2, custom_id: 'somebody-else', label: 'x' } as const
    const old = { ...other, custom_id: 'dragoman:sing' }
    const rows = [privacyButtons('en-US'), { type: 1 as const, components: [other, old] }]
    await chat.send({ content: 'notice', components: rows })
    const [notice] = world.general.visible
    const press = (wish: string) => world.ana.press(notice!, `dragoman:privacy:${wish}`)
    expect((await press('opt-out')).text).toMatch(/^Ya no te escucho/)
    expect(world.preferences.optedOut(world.ana.id)).toBe(true)
    expect((await press('info')).text).toContain('`/interpret privacy opt-out`')
    expect(await press('opt-in')).toMatchObject({ ephemeral: true })
    expect(world.preferences.optedOut(world.ana.id)).toBe(false)
    expect((await world.ana.press(notice!, 'dragoman:sing')).text).toMatch(/^Comando desconocido/)
    let answered = false
    world.ana.press(notice!, 'somebody-else').then(
      () => {
        answered = true
      },
      () => undefined,
    )
    await world.ana.command('interpret status', {}, { in: world.general })
    expect([answered, world.desk.counters.failed]).toEqual([false, 0])
  })

  test('direct messages, with an explanation', async () => {
    await using world = await openWorld()
    const told: string[] = []
    const interaction = {
      isAutocomplete: () => false,
      isChatInputCommand: () => true,
      inCachedGuild: () => false,
      ...{ commandName: 'interpret', commandId: '1', options: { data: [] }, guildId: null },
      ...{ locale: 'de', user: { id: '1' } },
      reply: async ({ content }: { content: string }) => void told.push(content),
    }
    world.client.emit('interactionCreate', interaction as unknown as Interaction)
    await until(() => told.length > 0, 5_000, 'an answer')
    expect(told).toEqual(['Das geht nur auf Servern.'])
    // An unreadable interaction is counted as a failure and ends nothing.
    world.client.emit('interactionCreate', {} as Interaction)
    await until(() => world.desk.counters.failed === 1, 5_000, 'a failure')
    const { text } = await world.ben.command('interpret status', {}, { in: world.general })
    expect(text).toContain('Nothing is being interpreted')
  })

  test('no one after it is closed', async () => {
    await using world = await openWorld()
    world.desk[Symbol.dispose]()
    expect(world.client.listenerCount('interactionCreate')).toBe(0)
  })
})
