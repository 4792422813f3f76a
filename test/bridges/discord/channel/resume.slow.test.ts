import { Events } from 'discord.js'
import { expect, test } from 'vitest'
import type { RunningChannel, RunningChannels } from '../../../../src/bridges/discord/contract.ts'
import { DiscordInterpreter } from '../../../../src/bridges/discord/interpreter.ts'
import { guildHarness, speech } from '../../../support/discord/guild-harness.ts'
import { clientFor } from '../../../support/simulator/discord-bot.ts'
import { until } from '../../../support/until.ts'

class Kept implements RunningChannels {
  channels: readonly RunningChannel[] = []
  recent() {
    return this.channels
  }
  keep(channels: readonly RunningChannel[]) {
    this.channels = channels
  }
}

test('a running channel is stored with its current settings until it ends', async () => {
  const running = new Kept()
  await using casa = await guildHarness({ parts: { running } })
  const { ana } = await casa.anaAndBen()
  const channel = await casa.start({ voice: false })
  const [guildId, channelId] = [casa.guild.id, casa.sala.id]
  const captions = { style: 'plain', thread: false } as const
  const about = {
    guildId,
    channelId,
    textChannelId: channelId,
    captions,
    output: 'auto',
    voice: false,
  } as const
  expect(running.channels).toEqual([about])
  await channel.stop(ana.id)
  await until(() => running.channels.length === 0, 1_000, 'forgetting it')
  await casa.start()
  await casa.interpreters.close()
  expect(running.channels).toEqual([{ ...about, voice: true }])
})

test('after a restart it resumes where people are, with the notice before anyone is listened to', async () => {
  const running = new Kept()
  await using casa = await guildHarness({ parts: { running } })
  const { ana } = await casa.anaAndBen()
  const empty = casa.discord.addGuild({ name: 'Leer' })
  const raum = empty.addVoiceChannel({ name: 'Raum' })
  await casa.start()
  await casa.interpreters.close()
  await casa.client.destroy()
  running.channels = [...running.channels, { ...running.channels[0]!, guildId: empty.id, channelId: raum.id }]
  const notices = casa.read().length

  const client = clientFor(casa.discord)
  const { relay, announcer, preferences, log } = casa
  const next = new DiscordInterpreter(client, {
    ...{ relay, announcer, preferences, running, log },
    languages: async () => [],
    commands: false,
    channels: { dave: false },
  })
  const { counters } = next
  next.listen()
  const ready = new Promise(settle => client.once(Events.ClientReady, settle))
  await client.login(casa.discord.token)
  await ready
  const saying = ana.say(speech(440, 3_000))
  let before = 0
  await until(
    () => {
      if (
        casa
          .read()
          .slice(notices)
          .some(text => text.includes('🔴'))
      )
        return true
      before = counters.packets
      return false
    },
    5_000,
    'the notice',
  )
  expect(before).toBe(0)
  await until(() => counters.packets > 10, 5_000, 'the voice of Ana')
  await saying
  await until(() => next.of(casa.guild.id)?.status().state === 'listening', 5_000, 'the channel')
  expect(next.of(empty.id)).toBeUndefined()
  expect(running.channels.map(({ guildId }) => guildId)).toEqual([casa.guild.id])
  await next.close()
  await client.destroy()
})
