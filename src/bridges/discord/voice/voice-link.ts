import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import type { LinkCounters } from './link-counters.ts'
import type { PacketPlayer, PacketSink, PacketSource } from './packet-sink.ts'

export type VoiceLinkState = 'joining' | 'ready' | 'reconnecting' | 'ended'

/** Who is told what becomes of a link. Called in the link's own events; must not throw. */
export interface VoiceLinkWatcher {
  state?(state: VoiceLinkState): void
  /** The voice server says that this user begins to speak; they may be one to whom nobody listens. */
  speaking?(userId: string): void
  /** Somebody moved the bot; the link goes on there. */
  moved?(channelId: string): void
  /** Speaking was announced for 10 s, and not one packet came: UDP does not get through. Once a connection. */
  deaf?(): void
}

export interface VoiceLinkOptions {
  readonly guildId: string
  readonly channelId: string
  /** Of discord.js: `guild.voiceAdapterCreator`. */
  readonly adapterCreator: DiscordGatewayAdapterCreator
  /** The bot's user id: two bots of one process in one guild have a connection each. */
  readonly group: string
  /** End-to-end encryption. Default true; false only for tests and stage channels. */
  readonly dave?: boolean
  readonly clock: Clock
  readonly log: Log
  readonly counters: LinkCounters
  readonly watcher?: VoiceLinkWatcher
}

/** One voice channel: what is said there, by user, and what is played there. Whoever makes it leaves it. */
export class VoiceLink implements PacketSource, PacketPlayer {
  readonly ended: Promise<ChannelEnd>

  constructor(_options: VoiceLinkOptions) {
    this.ended = new Promise(() => {})
  }

  get state(): VoiceLinkState {
    return 'joining'
  }

  /** On, off (stage channels, tests), or not agreed yet. */
  get encrypted(): boolean | undefined {
    return undefined
  }

  /** The channel it is in now. */
  get channelId(): string {
    return ''
  }

  get playable(): boolean {
    return false
  }

  /** Settles when the channel can be heard, or with why it never will be. */
  join(): Promise<ChannelEnd | undefined> {
    throw new Error('not built yet')
  }

  listen(_userId: string, _sink: PacketSink): void {}

  unlisten(_userId: string): void {}

  play(_opus: Uint8Array): void {}

  setSpeaking(_on: boolean): void {}

  /** Idempotent: the first reason counts. */
  leave(_reason: ChannelEnd): Promise<ChannelEnd> {
    return this.ended
  }
}
