import { setTimer } from '../../../src/common/clock.ts'
import type { VoiceCall } from '../voice/voice-call.ts'
import type { SayOptions, VoiceUser } from '../voice/voice-user.ts'
import type { Guild } from './guild.ts'
import type { Member } from './member.ts'
import type { VoiceChannel } from './voice-channel.ts'
import { VoiceState } from './voice-channel.ts'

export type { SayOptions } from '../voice/voice-user.ts'

/** Voice state requested by a bot with gateway op 4. */
export interface BotVoiceRequest {
  readonly channel: VoiceChannel | undefined
  readonly selfMute: boolean
  readonly selfDeaf: boolean
}

/** Events that are withheld or reordered when the bot joins. */
export interface PresenceFaults {
  /** While true, the bot never receives the voice server's address. */
  withholdServer: boolean
  /** While true, the bot does not receive its own voice state. */
  withholdState: boolean
  /** While true, the bot receives the server before its own voice state. */
  serverFirst: boolean
}

/** Members in the voice channels of a guild, and the calls for them. */
export class VoicePresence {
  /** Events that the bot does not receive. */
  readonly faults: PresenceFaults = { withholdServer: false, withholdState: false, serverFirst: false }
  readonly #guild: Guild
  readonly #users = new Map<Member, VoiceUser>()
  #moves = 0

  constructor(guild: Guild) {
    this.#guild = guild
  }

  /** The call of a channel, with its faults. */
  call(channel: VoiceChannel): VoiceCall {
    return this.#guild.world.voiceServer.openCall(this.#guild.id, channel.id)
  }

  /** The speaking side of a member in a voice channel. */
  user(member: Member): VoiceUser | undefined {
    return this.#users.get(member)
  }

  async join(member: Member, channel: VoiceChannel): Promise<void> {
    if (member === this.#guild.bot) return this.#moveBot(channel)
    if (!member.can('Connect', channel))
      throw new Error(`${member.displayName} may not enter ${channel.name}`)
    if (isFull(channel, member)) throw new Error(`${channel.name} is full`)
    this.#users.get(member)?.leave()
    const state = this.#enter(member, channel)
    state.suppress = channel.kind === 'stage' || !member.can('Speak', channel)
    this.#tellState(state)
    const user = this.call(channel).addUser(member.id)
    this.#users.set(member, user)
    await user.joined
  }

  async leave(member: Member): Promise<void> {
    const state = this.#guild.voiceStates.get(member.id)
    if (!state?.channel) return
    const { channel } = state
    state.channel = undefined
    this.#guild.voiceStates.delete(member.id)
    this.#tellState(state)
    if (member === this.#guild.bot) return this.call(channel).forget(member.id)
    this.#users.get(member)?.leave()
    this.#users.delete(member)
  }

  async empty(channel: VoiceChannel): Promise<void> {
    for (const member of channel.members) await this.leave(member)
  }

  async say(member: Member, pcm: Int16Array, options: SayOptions): Promise<void> {
    const user = this.#users.get(member)
    if (!user) throw new Error(`${member.displayName} is in no voice channel`)
    // The audio of a muted person leaves neither their client nor the server.
    if (!member.voice?.audible) return
    await user.say(pcm, options)
  }

  change(
    member: Member,
    change: { mute?: boolean; deaf?: boolean; selfMute?: boolean; selfDeaf?: boolean; suppress?: boolean },
  ): void {
    const state = this.#guild.voiceStates.get(member.id)
    if (!state) throw new Error(`${member.displayName} is in no voice channel`)
    Object.assign(state, change)
    this.#tellState(state)
  }

  /**
   * Applies changed permissions: members without the permission to speak are suppressed, others are not. On a stage
   * moderators decide.
   */
  permissionsChanged(): void {
    for (const state of this.#guild.voiceStates.values()) {
      const suppress = !state.member.can('Speak', state.channel)
      if (state.channel?.kind === 'stage' || state.suppress === suppress) continue
      state.suppress = suppress
      this.#tellState(state)
    }
  }

  /** Handles the bot's op 4; requests without permission are ignored silently, as at Discord. */
  request({ channel, selfMute, selfDeaf }: BotVoiceRequest): void {
    const { bot } = this.#guild
    if (!channel) return void this.leave(bot)
    const there = bot.voice?.channel === channel
    if (!there && (!bot.can('Connect', channel) || isFull(channel, bot))) return
    const left = bot.voice?.channel
    const state = this.#enter(bot, channel)
    state.selfMute = selfMute
    state.selfDeaf = selfDeaf
    if (!there)
      state.suppress =
        channel.kind === 'stage' ? !bot.can('MuteMembers', channel) : !bot.can('Speak', channel)
    if (left && !there) this.call(left).forget(bot.id)
    // Muting or deafening itself needs no other server.
    const session = this.call(channel).bots.get(bot.id)
    this.#tellBot(state, channel, !there || !session?.connected || !session.wire)
  }

  async changeRegion(channel: VoiceChannel, region: string | null, gapMs?: number): Promise<void> {
    const { bot, id, world } = this.#guild
    channel.region = region
    this.#guild.tell('CHANNEL_UPDATE', channel.json)
    if (bot.voice?.channel !== channel) return
    this.#moves++
    if (gapMs !== undefined) {
      this.#guild.tell('VOICE_SERVER_UPDATE', { guild_id: id, token: world.ids.next(), endpoint: null })
      await new Promise<void>(settle => void setTimer(world.clock, gapMs, settle))
      if (bot.voice?.channel !== channel) return
    }
    this.#tellServer(channel)
  }

  heard(channel: VoiceChannel): Int16Array {
    return this.call(channel).heard(this.#guild.bot.id)
  }

  /** A moderator moves the bot, which cannot refuse. */
  #moveBot(channel: VoiceChannel): void {
    const { bot } = this.#guild
    const state = bot.voice
    if (!state?.channel) throw new Error('the bot is in no voice channel: it can only join on its own')
    const left = state.channel
    if (left === channel) return
    state.channel = channel
    state.suppress = channel.kind === 'stage' || !bot.can('Speak', channel)
    this.call(left).forget(bot.id)
    this.#tellBot(state, channel, true)
  }

  #tellBot(state: VoiceState, channel: VoiceChannel, server: boolean): void {
    const steps = [() => this.#tellState(state), () => server && this.#tellServer(channel)]
    for (const step of this.faults.serverFirst ? steps.reverse() : steps) step()
  }

  #enter(member: Member, channel: VoiceChannel): VoiceState {
    const { voiceStates, world } = this.#guild
    const state = voiceStates.get(member.id) ?? new VoiceState(member, `voice-${world.ids.next()}`)
    // Keeps the list in the order of joining.
    if (state.channel !== channel) voiceStates.delete(member.id)
    state.channel = channel
    voiceStates.set(member.id, state)
    return state
  }

  #tellState(state: VoiceState): void {
    this.#restrict(state)
    if (state.member === this.#guild.bot && this.faults.withholdState) return
    this.#guild.tell('VOICE_STATE_UPDATE', state.json)
  }

  /** A muted bot is inaudible, and a deafened bot receives nothing. */
  #restrict({ member, channel, audible, deaf, selfDeaf }: VoiceState): void {
    if (!audible) this.#users.get(member)?.hush()
    if (channel && member === this.#guild.bot)
      this.call(channel).restrict(member.id, { mute: !audible, deaf: deaf || selfDeaf })
  }

  /** Admits the bot to the call of `channel` and sends the endpoint, whose name differs after each move of the server. */
  #tellServer(channel: VoiceChannel): void {
    if (this.faults.withholdServer) return
    const { bot, id, world } = this.#guild
    const token = `voice-token-${world.ids.next()}`
    this.call(channel).expect({ userId: bot.id, sessionId: bot.voice!.sessionId, token })
    const port = world.voiceServer.endpoint.split(':').at(-1)
    const endpoint = this.#moves % 2 === 0 ? world.voiceServer.endpoint : `127.0.0.1:${port}`
    this.#guild.tell('VOICE_SERVER_UPDATE', { guild_id: id, token, endpoint })
  }
}

function isFull(channel: VoiceChannel, comer: Member): boolean {
  const there = channel.members.filter(member => member !== comer).length
  return channel.userLimit > 0 && there >= channel.userLimit && !comer.can('MoveMembers', channel)
}
