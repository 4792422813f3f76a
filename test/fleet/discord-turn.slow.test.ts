import { expect, onTestFinished, test } from 'vitest'
import { DiscordBot } from '../../src/bridges/discord/bot.ts'
import { DiscordChannels } from '../../src/bridges/discord/running-channels.ts'
import { systemClock } from '../../src/common/clock.ts'
import { systemWallClock } from '../../src/common/wall-clock.ts'
import { FleetLease } from '../../src/core/calls/fleet-lease.ts'
import { guildHarness, speech } from '../support/discord/guild-harness.ts'
import { FleetHub, type HubFleet } from '../support/fleet/fleet-hub.ts'
import { until } from '../support/until.ts'

/** A hub, a simulated Discord with two people in a voice channel, and a way to start bots at nodes. */
async function fleet() {
  const hub = new FleetHub()
  const casa = await guildHarness()
  onTestFinished(() => casa[Symbol.asyncDispose]())
  await casa.interpreters.close()
  await casa.client.destroy()
  const people = await casa.anaAndBen()
  const bot = (node: HubFleet) => {
    const { discord, relay, announcer, preferences, log } = casa
    const options = { clock: systemClock, wallClock: systemWallClock, log }
    const made = new DiscordBot({
      ...{ token: discord.token, apiUrl: discord.api, relay, announcer, preferences, log },
      languages: async () => [],
      running: new DiscordChannels(node, options),
      turn: new FleetLease({ fleet: node, name: 'discord shard 0', clock: systemClock, log }),
      channels: { dave: false },
    })
    made.start()
    onTestFinished(() => made.close())
    return made
  }
  const open = () => casa.discord.sessions.filter(({ connected }) => connected).length
  return { hub, casa, people, bot, open }
}

test('one node has the bot; the next one takes it when that shuts down, and rejoins its channel', async () => {
  const { hub, casa, people, bot, open } = await fleet()
  const first = bot(hub.join('a'))
  expect(await first.settled).toBe(true)
  const second = bot(hub.join('b'))
  await new Promise(resolve => setTimeout(resolve, 1_500))
  expect([first.state.kind, second.state.kind]).toEqual(['ready', 'waiting'])
  expect(open()).toBe(1)

  const { guild, sala } = casa
  await first.interpreters.start({
    ...{ guildId: guild.id, channelId: sala.id, textChannelId: sala.id, startedBy: guild.owner.id },
    ...{ output: 'auto', captions: { style: 'plain', thread: false }, voice: true },
  })
  await first.close()
  expect(await second.settled).toBe(true)
  await until(() => second.interpreters.of(guild.id)?.status().state === 'listening', 10_000, 'the channel')
  const saying = people.ana.say(speech(440, 2_000))
  await until(() => second.counters.packets > 10, 10_000, 'the voice of Ana')
  await saying
  expect(open()).toBe(1)
})

test('takes the bot of a node that has ended without notice', async () => {
  const { hub, bot } = await fleet()
  const node = hub.join('a')
  const first = bot(node)
  await first.settled
  const second = bot(hub.join('b'))
  node.kill()
  expect(await second.settled).toBe(true)
})

test('logs out a bot that another node has taken, and does not leave its channel', async () => {
  const { hub, casa, bot, open } = await fleet()
  const node = hub.join('a')
  const first = bot(node)
  await first.settled
  const next = hub.join('b')
  // It takes the first node for ended.
  await next.registrar.claim('discord shard 0', node)
  await until(() => first.state.kind === 'closed', 5_000, 'the end of the first')
  await until(() => open() === 0, 5_000, 'the end of its session')
  expect(casa.log.complaints.join('\n')).toContain('another node has the Discord bot')
})
