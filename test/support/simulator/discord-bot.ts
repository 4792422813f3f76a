import { Readable } from 'node:stream'
import {
  createAudioPlayer,
  createAudioResource,
  entersState,
  joinVoiceChannel,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice'
import { Client, type ClientOptions, Events, GatewayIntentBits } from 'discord.js'
import type { DiscordSimulator, VoiceChannel } from '../../../simulator/index.ts'
import { packetsOf } from './voice-packets.ts'

/** The unmodified client of discord.js, logged in; disposing logs it out. */
export interface Bot extends AsyncDisposable {
  readonly client: Client<true>
}

/** A client that is not logged in yet. */
export function clientFor({ api }: DiscordSimulator, options: Partial<ClientOptions> = {}): Client {
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates]
  return new Client({ intents, ...options, rest: { api, ...options.rest } })
}

export async function login(discord: DiscordSimulator, options: Partial<ClientOptions> = {}): Promise<Bot> {
  const client = clientFor(discord, options)
  const ready = new Promise<Client<true>>(settle => client.once(Events.ClientReady, settle))
  await client.login(discord.token)
  return { client: await ready, [Symbol.asyncDispose]: () => client.destroy() }
}

/** Settles after `count` events of this name from now on, with the payload of the last one. */
export function nextOf(client: Client, name: string, count = 1): Promise<unknown[]> {
  return new Promise(settle => {
    let left = count
    const listener = (...args: unknown[]) => {
      if (--left > 0) return
      client.off(name, listener)
      settle(args)
    }
    client.on(name, listener)
  })
}

/** The bot enters a voice channel through `guild.voiceAdapterCreator`. */
export function enter({ client }: Bot, { guild, id }: VoiceChannel, dave = true): VoiceConnection {
  return joinVoiceChannel({
    guildId: guild.id,
    channelId: id,
    group: client.user.id,
    adapterCreator: client.guilds.cache.get(guild.id)!.voiceAdapterCreator,
    selfDeaf: false,
    daveEncryption: dave,
  })
}

export function isReady(connection: VoiceConnection): Promise<VoiceConnection> {
  return entersState(connection, VoiceConnectionStatus.Ready, 15_000)
}

/** Plays `pcm` (16 kHz mono) like the library's player; settles at its end. */
export async function play(connection: VoiceConnection, pcm: Int16Array): Promise<void> {
  const player = createAudioPlayer({ behaviors: { maxMissedFrames: 1_000 } })
  const subscription = connection.subscribe(player)
  player.play(createAudioResource(Readable.from(packetsOf(pcm)), { inputType: StreamType.Opus }))
  await new Promise<void>((settle, fail) => {
    player.once('idle', () => settle())
    player.once('error', fail)
  })
  subscription?.unsubscribe()
}
