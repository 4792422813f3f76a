import { isoTime } from '../../../src/common/wall-clock.ts'
import type { Json } from '../json.ts'
import type { VoiceCall } from '../voice/voice-call.ts'
import { Channel } from './channel.ts'
import type { Guild } from './guild.ts'
import type { Member } from './member.ts'

/** Options of a voice channel. */
export interface VoiceChannelOptions {
  name: string
  /** Maximum number of members; 0, the default, is unlimited. */
  userLimit?: number
  /** Region of its voice server. Default: Discord chooses. */
  region?: string
  /** A stage: members join as audience and cannot be heard. */
  stage?: boolean
}

/** A channel to talk in, with its own chat. */
export class VoiceChannel extends Channel {
  readonly kind: 'voice' | 'stage'
  readonly userLimit: number
  region: string | null

  constructor(guild: Guild, { name, userLimit = 0, region, stage = false }: VoiceChannelOptions) {
    super(guild, name)
    this.kind = stage ? 'stage' : 'voice'
    this.userLimit = userLimit
    this.region = region ?? null
  }

  /** Its members, in the order in which they joined. */
  get members(): readonly Member[] {
    return Array.from(this.guild.voiceStates.values())
      .filter(({ channel }) => channel === this)
      .map(({ member }) => member)
  }

  /** Audio of the bot in this channel since it first joined: linear16, 16 kHz, mono. Empty if it never joined. */
  heard(): Int16Array {
    return this.guild.voice.heard(this)
  }

  /**
   * Moves its voice server: the bot receives another endpoint. With `gapMs` it first receives none, and the new one
   * after this time, as when a server fails.
   */
  async changeRegion(region?: string, { gapMs }: { gapMs?: number } = {}): Promise<void> {
    await this.guild.voice.changeRegion(this, region ?? null, gapMs)
  }

  /** The voice server's side of it: its faults, members and encryption. */
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

/** A member's presence in a guild's voice channels, and their restrictions there. */
export class VoiceState {
  readonly member: Member
  readonly sessionId: string
  channel: VoiceChannel | undefined
  selfMute = false
  selfDeaf = false
  /** Without the permission to speak here, or in the audience of a stage. */
  suppress = false
  /** Time of a raised hand on a stage, in milliseconds since 1970. */
  requestedToSpeakAt: number | undefined

  constructor(member: Member, sessionId: string) {
    this.member = member
    this.sessionId = sessionId
  }

  /** By the server; stays with the member. */
  get mute(): boolean {
    return this.member.mute
  }

  set mute(mute: boolean) {
    this.member.mute = mute
  }

  get deaf(): boolean {
    return this.member.deaf
  }

  set deaf(deaf: boolean) {
    this.member.deaf = deaf
  }

  /** True if others can hear the member. */
  get audible(): boolean {
    return !(this.mute || this.selfMute || this.suppress)
  }

  /** Discord: Voice State Object. */
  get json(): Json {
    const { member } = this
    return {
      guild_id: member.guild.id,
      channel_id: this.channel?.id ?? null,
      user_id: member.id,
      member: member.json,
      session_id: this.sessionId,
      deaf: this.deaf,
      mute: this.mute,
      self_deaf: this.selfDeaf,
      self_mute: this.selfMute,
      self_video: false,
      suppress: this.suppress,
      request_to_speak_timestamp:
        this.requestedToSpeakAt === undefined ? null : isoTime(this.requestedToSpeakAt),
    }
  }
}
