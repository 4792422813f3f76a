import { isoTime } from '../../../common/wall-clock.ts'
import type { Json } from '../json.ts'
import type { Member } from './member.ts'
import type { VoiceChannel } from './voice-channel.ts'

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
