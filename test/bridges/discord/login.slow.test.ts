import { Client, GatewayIntentBits } from 'discord.js'
import { afterEach, describe, expect, test } from 'vitest'
import { DiscordSimulator } from '../../../simulator/index.ts'
import { Login, logOut } from '../../../src/bridges/discord/login.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { LogLines } from '../../support/log-lines.ts'
import { pause, until } from '../../support/until.ts'

const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

async function stage() {
  const discord = await DiscordSimulator.listen()
  opened.push(() => discord.close())
  discord.addGuild({ name: 'Casa' })
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.api } })
  const log = new LogLines()
  const login = new Login(client, discord.token, { clock: systemClock, log, random: () => 0 })
  opened.push(async () => {
    login[Symbol.dispose]()
    await logOut(client, systemClock)
  })
  return { discord, client, login, log }
}

describe('Discord refuses the bot', () => {
  test.each([
    [4004, 'token'],
    [4010, 'shards'],
    [4011, 'shards'],
    [4012, 'version'],
    [4013, 'intents'],
    [4014, 'intents'],
  ] as const)('with %i: the log gives the reason and the fix, without retries', async (code, why) => {
    const { discord, login, log } = await stage()
    discord.faults.gateway.refuseIdentify = code
    login.start()
    expect(await login.settled).toBe(false)
    expect(login.state).toEqual({ kind: 'refused', why })
    expect(log.complaints.join('\n')).toContain('run `dragoman doctor`')
    const asked = discord.requests.length
    await pause(600)
    expect(discord.requests.length).toBe(asked)
  })
})

test('no session is started when Discord’s daily limit is reached', async () => {
  const { discord, login } = await stage()
  discord.faults.gateway.identifiesLeft = 0
  login.start()
  await until(() => login.state.kind === 'trying' && login.state.attempts >= 2, 10_000, 'another attempt')
  // A request anyway would be answered with 4004, as for a wrong token.
  expect(discord.sessions).toEqual([])
  expect(login.state.kind).toBe('trying')
})

test('a session whose own address is permanently refused is dropped, and another one started', async () => {
  const { discord, login } = await stage()
  login.start()
  expect(await login.settled).toBe(true)
  discord.faults.gateway.refuseResumeUrl = true
  discord.faults.gateway.drop()
  await until(
    () => discord.sessions.length === 2 && discord.sessions[1]?.connected,
    30_000,
    'another session',
  )
})
