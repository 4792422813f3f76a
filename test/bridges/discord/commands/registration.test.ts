import { REST } from 'discord.js'
import { expect, test } from 'vitest'
import { DiscordSimulator, FakeClock } from '../../../../simulator/index.ts'
import { CommandRegistrar } from '../../../../src/bridges/discord/commands/registration.ts'
import { LogLines } from '../../../support/log-lines.ts'

async function open(guilds: (discord: DiscordSimulator) => string[] = () => []) {
  const discord = await DiscordSimulator.listen()
  const rest = new REST({ api: discord.api, retries: 0 }).setToken(discord.token)
  const clock = new FakeClock()
  const log = new LogLines()
  const terms = { rest, applicationId: discord.application.id, guilds: guilds(discord), log }
  const registrar = new CommandRegistrar(terms, clock)
  /** Times that the command was registered, and that this failed. */
  const told = () =>
    ['registered', 'not registered'].map(
      what => log.all.filter(({ message }) => message === `Discord command ${what}`).length,
    )
  return { discord, clock, told, registrar, [Symbol.asyncDispose]: () => discord.close() }
}

test('an unreachable Discord is retried with increasing delays', async () => {
  await using world = await open()
  const { clock, told, registrar, discord } = world
  discord.faults.rest.always({ reply: { status: 503, body: 'away' } })
  await registrar.look()
  for (const waitMs of [30_000, 60_000, 120_000]) {
    expect(clock.pending).toBe(1)
    clock.advance(waitMs - 1)
    expect(clock.pending).toBe(1)
    clock.advance(1)
    await registrar.look()
  }
  expect(told()).toEqual([0, 4])
  discord.faults.rest.heal()
  clock.advance(240_000)
  await registrar.look()
  expect(told()).toEqual([1, 4])
  expect(clock.pending).toBe(0)
  await registrar.look()
  expect(told()).toEqual([1, 4])
})

test('permanent failures are not retried, and closing stops everything', async () => {
  await using strange = await open(() => ['123456789012345678'])
  await strange.registrar.look()
  expect([...strange.told(), strange.clock.pending]).toEqual([0, 1, 0])
  await using world = await open()
  world.discord.faults.rest.always({ cut: 'before' })
  await Promise.all([world.registrar.look(), world.registrar.look()])
  expect([...world.told(), world.clock.pending]).toEqual([0, 1, 1])
  world.registrar[Symbol.dispose]()
  expect(world.clock.pending).toBe(0)
  await world.registrar.look()
  expect(world.told()).toEqual([0, 1])
})
