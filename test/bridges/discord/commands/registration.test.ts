import { REST } from 'discord.js'
import { expect, test } from 'vitest'
import { DiscordSimulator, FakeClock } from '../../../../simulator/index.ts'
import { CommandRegistrar } from '../../../../src/bridges/discord/commands/registration.ts'
import { CommandCounters } from '../../../../src/bridges/discord/counters.ts'
import { LogLines } from '../../../support/log-lines.ts'

async function open(guilds: (discord: DiscordSimulator) => string[] = () => []) {
  const discord = await DiscordSimulator.listen()
  const rest = new REST({ api: discord.api, retries: 0 }).setToken(discord.token)
  const clock = new FakeClock()
  const counters = new CommandCounters()
  const terms = { rest, applicationId: discord.application.id, guilds: guilds(discord), log: new LogLines() }
  const registrar = new CommandRegistrar(terms, { clock, counters })
  return { discord, clock, counters, registrar, [Symbol.asyncDispose]: () => discord.close() }
}

test('an unreachable Discord is retried with increasing delays', async () => {
  await using world = await open()
  const { clock, counters, registrar, discord } = world
  discord.faults.rest.always({ reply: { status: 503, body: 'away' } })
  await registrar.look()
  for (const waitMs of [30_000, 60_000, 120_000]) {
    expect(clock.pending).toBe(1)
    clock.advance(waitMs - 1)
    expect(clock.pending).toBe(1)
    clock.advance(1)
    await registrar.look()
  }
  expect(counters).toMatchObject({ registrations: 0, registrationsFailed: 4 })
  discord.faults.rest.heal()
  clock.advance(240_000)
  await registrar.look()
  expect(counters).toMatchObject({ registrations: 1, registrationsFailed: 4 })
  expect(clock.pending).toBe(0)
  await registrar.look()
  expect(counters.registrations).toBe(1)
})

test('permanent failures are not retried, and closing stops everything', async () => {
  await using strange = await open(() => ['123456789012345678'])
  await strange.registrar.look()
  expect([strange.counters.registrationsFailed, strange.clock.pending]).toEqual([1, 0])
  await using world = await open()
  world.discord.faults.rest.always({ cut: 'before' })
  await Promise.all([world.registrar.look(), world.registrar.look()])
  expect([world.counters.registrationsFailed, world.clock.pending]).toEqual([1, 1])
  world.registrar[Symbol.dispose]()
  expect(world.clock.pending).toBe(0)
  await world.registrar.look()
  expect(world.counters.registrationsFailed).toBe(1)
})
