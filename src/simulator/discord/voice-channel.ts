import { Channel } from './channel.ts'
import type { Guild } from './guild.ts'
import type { Json } from './json.ts'
import type { Member } from './member.ts'
import type { VoiceCall } from './voice/voice-call.ts'

/** What a voice channel is like. */
export interface VoiceChannelOptions {
  name: string
  /** How many fit in; 0, the default, is any number. */
  userLimit?: number
  /** Where its voice server is. Default: Discord chooses. */
  region?: string
  /** A stage: who joins it is in the audience, and cannot be heard. */
  stage?: boolean
}

/** A channel to talk in, with a chat of its own. */
export class VoiceChannel extends Channel {
  readonly kind: 'voice' | 'stage'
  readonly userLimit: number
  region: string | null
  /** The line under its name. */
  status: string | null = null

  constructor(guild: Guild, { name, userLimit = 0, region, stage = false }: VoiceChannelOptions) {
    super(guild, name)
    this.kind = stage ? 'stage' : 'voice'
    this.userLimit = userLimit
    this.region = region ?? null
  }

  /** Who is in it, in the order in which they came. */
  get members(): readonly Member[] {
    return Array.from(this.guild.voiceStates.values())
      .filter(({ channel }) => channel === this)
      .map(({ member }) => member)
  }

  /** What the bot said here since it first came: linear16, 16 kHz, mono. Empty when it never was here. */
  heard(): Int16Array {
    return this.guild.voice.heard(this)
  }

  /**
   * Its voice server moves: the bot is given another endpoint. With `gapMs` it is first told that there is none, and
   * gets the new one so much later, as when a server fails.
   */
  async changeRegion(region?: string, { gapMs }: { gapMs?: number } = {}): Promise<void> {
    await this.guild.voice.changeRegion(this, region ?? null, gapMs)
  }

  /** The line under its name, or none. */
  setStatus(status: string | null): void {
    this.status = status
    this.guild.tell('VOICE_CHANNEL_STATUS_UPDATE', { id: this.id, guild_id: this.guild.id, status })
  }

  /** The voice server's side of it: its faults, who is in it, its encryption. */
  get call(): VoiceCall {
    return this.guild.voice.call(this)
  }

  override get json(): Json {
    return {
      ...super.json,
      bitrate: 64_000,
      user_limit: this.userLimit,
      rtc_region: this.region,
      video_quality_mode: 1,
      topic: null,
    }
  }
}
