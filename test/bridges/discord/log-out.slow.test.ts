import { Client, Events, GatewayIntentBits } from 'discord.js'
import { expect, test } from 'vitest'
import { DiscordSimulator } from '../../../simulator/index.ts'
import { logOut } from '../../../src/bridges/discord/login.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { pause, until } from '../../support/until.ts'

async function loggedIn(discord: DiscordSimulator): Promise<Client> {
  discord.addGuild({ name: 'Casa' })
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.api } })
  client.on(Events.ShardError, () => {})
  const ready = new Promise(settle => client.once(Events.ClientReady, settle))
  await client.login(discord.token)
  await ready
  return client
}

const lines = (client: Client) => {
  const said: string[] = []
  client.on(Events.Debug, line => void said.push(line))
  return () => said.filter(line => line.includes('Connecting to')).length
}

/** The library reconnects half a second after it has closed the previous connection. */
test.each([100, 400])(
  'a client that is reconnecting while it is logged out, after %i ms, stays logged out',
  async ms => {
    await using discord = await DiscordSimulator.listen()
    const client = await loggedIn(discord)
    const connects = lines(client)
    discord.faults.gateway.reconnect()
    await until(() => !discord.sessions[0]?.connected, 5_000, 'the end of the connection')
    await pause(ms)
    const before = connects()
    await logOut(client, systemClock)
    await pause(1_500)
    expect(connects()).toBe(before)
    expect(discord.sessions.some(({ connected }) => connected)).toBe(false)
  },
)

test('a client that cannot reach Discord while it is logged out stops trying', async () => {
  await using discord = await DiscordSimulator.listen()
  const client = await loggedIn(discord)
  const connects = lines(client)
  discord.faults.gateway.refuseConnections = true
  discord.faults.gateway.drop()
  await until(() => connects() >= 2, 10_000, 'attempts')
  await logOut(client, systemClock)
  const before = connects()
  await pause(1_500)
  expect(connects()).toBe(before)
})

test('a client is logged out while a connection is being opened', async () => {
  await using discord = await DiscordSimulator.listen()
  const client = await loggedIn(discord)
  const connects = lines(client)
  const before = connects()
  discord.faults.gateway.reconnect()
  await until(() => connects() > before, 5_000, 'the next connection')
  await logOut(client, systemClock)
  await pause(1_000)
  expect(discord.sessions.some(({ connected }) => connected)).toBe(false)
})
