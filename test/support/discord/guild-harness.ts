import { Events } from 'discord.js'
import type { Answering, DiscordStandInOptions, ScriptedServiceOptions } from '../../../simulator/index.ts'
import { DiscordSimulator, ScriptedService, tone } from '../../../simulator/index.ts'
import type { ChannelInterpreter, StartFailure, StartRequest } from '../../../src/bridges/discord/contract.ts'
import {
  DiscordInterpreter,
  type DiscordInterpreterOptions,
} from '../../../src/bridges/discord/interpreter.ts'
import type { ChannelOptions } from '../../../src/bridges/discord/options.ts'
import { MemoryPreferences } from '../../../src/bridges/discord/preferences.ts'
import { systemClock } from '../../../src/common/clock.ts'
import { RoomCodes } from '../../../src/core/calls/room-codes.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { rms } from '../../../src/transcode/level.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { hears, LOUD, soundings } from '../e2e/phone-listener.ts'
import { LogLines } from '../log-lines.ts'
import { FakeAnnouncer } from '../relay/fake-announcer.ts'
import { clientFor } from '../simulator/discord-bot.ts'
import { until } from '../until.ts'

export interface GuildHarnessOptions {
  readonly discord?: DiscordStandInOptions
  readonly service?: ScriptedServiceOptions
  readonly options?: ChannelOptions
  readonly parts?: Partial<DiscordInterpreterOptions>
  /** Permissions of the bot in addition to those of everyone. */
  readonly permissions?: readonly ('ChangeNickname' | 'Administrator')[]
  /** Nickname of the bot in the guild before it logs in. */
  readonly nick?: string
}

/** A simulated Discord with a guild and a voice channel, the real client, a relay and a service that answers with tones; on loopback. */
export async function guildHarness(given: GuildHarnessOptions = {}) {
  const discord = await DiscordSimulator.listen({ dave: false, ...given.discord })
  const trusted = discord.trust()
  const service = await ScriptedService.listen(given.service)
  const log = new LogLines()
  const guild = discord.addGuild({ name: 'Casa', botPermissions: given.permissions ?? [] })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  if (given.nick) guild.setNick(guild.bot, given.nick)
  const client = clientFor(discord)
  const translator = new ServiceTranslator({ url: service.url, apiKey: service.apiKey })
  const relay = new Relay({ translator, options: relayOptions({ normalizeLoudness: false }), log })
  await relay.ready()
  const preferences = new MemoryPreferences()
  const announcer = new FakeAnnouncer()
  const roomCodes = new RoomCodes(systemClock)
  const interpreters = new DiscordInterpreter(client, {
    ...{ relay, announcer, preferences, roomCodes, log },
    languages: async () => [],
    commands: false,
    channels: { dave: false, ...given.options },
    ...given.parts,
  })
  interpreters.listen()
  const ready = new Promise(settle => client.once(Events.ClientReady, settle))
  await client.login(discord.token)
  await ready
  /** A person who speaks `language`, not in the channel yet. */
  const person = (name: string, language?: string) => {
    const member = guild.addMember({ name })
    if (language) preferences.setLanguage(member.id, language)
    return member
  }
  /** Ana, who speaks Spanish, and Ben, who speaks English, in the channel. */
  const anaAndBen = async () => {
    const ana = person('Ana', 'es-es')
    const ben = person('Ben', 'en-us')
    await ana.join(sala)
    await ben.join(sala)
    return { ana, ben }
  }
  /** Waits until the client knows the channel. */
  const known = async <C extends { readonly id: string }>(channel: C): Promise<C> => {
    await until(() => client.channels.cache.has(channel.id), 5_000, 'a new channel')
    return channel
  }
  const request = (more: Partial<StartRequest> = {}): StartRequest => ({
    guildId: guild.id,
    channelId: sala.id,
    textChannelId: sala.id,
    startedBy: guild.owner.id,
    output: 'auto',
    captions: { style: 'plain', thread: false },
    voice: true,
    ...more,
  })
  const start = async (more: Partial<StartRequest> = {}): Promise<ChannelInterpreter> => {
    const started = await interpreters.start(request(more))
    if (!isInterpreter(started)) throw new Error(`it did not start: ${JSON.stringify(started)}`)
    return started
  }
  /** The visible captions and notices of the channel. */
  const read = (channel: { visible: readonly { text: string }[] } = sala) =>
    channel.visible.map(({ text }) => text)
  /** Settles when one message contains all of `texts`. */
  const reads = (texts: readonly string[], channel: { visible: readonly { text: string }[] } = sala) =>
    until(
      () => read(channel).find(message => texts.every(text => message.includes(text))),
      20_000,
      `reading ${texts.join(', ')}`,
    )
  /** Settles when the channel has heard the tone of `hz` for this long in total. */
  const heard = (hz: number, ms: number, channel = sala) => {
    // Analysis is expensive, so it does not run more often than needed.
    let listenAt = 0
    const hears = () => {
      if (performance.now() < listenAt) return false
      listenAt = performance.now() + 150
      return total(channel.heard(), hz) >= ms
    }
    return until(hears, 20_000, `hearing ${hz} Hz in ${channel.name}`)
  }
  return {
    discord,
    service,
    log,
    guild,
    sala,
    client,
    relay,
    preferences,
    announcer,
    roomCodes,
    interpreters,
    counters: interpreters.counters,
    person,
    anaAndBen,
    known,
    request,
    start,
    read,
    reads,
    heard,
    async [Symbol.asyncDispose]() {
      await interpreters.close()
      await relay.close()
      await client.destroy()
      await service.close()
      trusted[Symbol.dispose]()
      await discord.close()
    },
  }
}

/** A service that recognizes `sentence`, word by word, in any speech, and translates it as `translation`. */
export function understanding(sentence: string, translation: string): Answering {
  const words = sentence.split(' ')
  return session => {
    let [spokenMs, quietMs, told] = [0, 0, 0]
    return pcm => {
      const ms = (pcm.length * 1_000) / SAMPLE_RATE
      if (rms(pcm) > 300) [spokenMs, quietMs] = [spokenMs + ms, 0]
      else quietMs += ms
      const count = Math.min(words.length, Math.floor(spokenMs / 400))
      if (count > told) session.partial({ text: words.slice(0, count).join(' '), translation: '' })
      told = Math.max(told, count)
      if (spokenMs < 100 || quietMs < 300) return
      session.say({ text: sentence, translation })
      ;[spokenMs, told] = [0, 0]
    }
  }
}

export function isInterpreter(started: ChannelInterpreter | StartFailure): started is ChannelInterpreter {
  return 'status' in started
}

/** A turn of speech: a tone, and the silence after it. */
export function speech(hz: number, ms: number): Int16Array {
  return tone(hz, ms, SAMPLE_RATE, 12_000)
}

/** Resampled to the 8 kHz of an ear. */
export function narrow(pcm: Int16Array): Int16Array {
  const half = new Int16Array(pcm.length >> 1)
  for (let n = 0; n < half.length; n++) half[n] = (pcm[2 * n]! + pcm[2 * n + 1]!) / 2
  return half
}

/** Total time for which `hz` is loud (ms). */
export function total(pcm: Int16Array, hz: number): number {
  return soundings(narrow(pcm), hz, LOUD).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
}

/** Returns whether `hz` is present at any level. */
export function anyOf(pcm: Int16Array, hz: number): boolean {
  return hears(narrow(pcm), hz)
}
