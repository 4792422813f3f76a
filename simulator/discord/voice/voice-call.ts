import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { Expectation, Opened, PacketCounts } from './bot-receiver.ts'
import type { BotSession } from './bot-session.ts'
import { CallBots, type ExpectedBot, type Restriction } from './call-bots.ts'
import { type Address, DatagramPath } from './datagrams.ts'
import { DaveGroup, type Transition } from './dave/group.ts'
import { ScriptedMember } from './dave/members.ts'
import { Close, Op } from './gateway-message.ts'
import { type EncryptionMode, forgedPacket, type RtpHeader } from './rtp.ts'
import { VoiceFaults } from './voice-faults.ts'
import { type JoinOptions, VoiceUser } from './voice-user.ts'

/** Handles the DAVE messages of bots, and opens their frames like the group's members. */
class CallDave {
  readonly group: DaveGroup
  readonly #members: () => Iterable<ScriptedMember>

  constructor(group: DaveGroup, members: () => Iterable<ScriptedMember>) {
    this.group = group
    this.#members = members
  }

  /** Op 26; false if the key package cannot be added. */
  offered({ member }: BotSession, keyPackage: Buffer): boolean {
    if (!this.group.couldAdd(member, keyPackage)) return false
    member.keyPackage = Buffer.from(keyPackage)
    this.group.changed()
    return true
  }

  /** Op 28. */
  committed({ member }: BotSession, payload: Buffer): void {
    this.group.committed(member, Buffer.from(payload))
  }

  /** Op 23. */
  ready({ member }: BotSession, transitionId: number): void {
    this.group.execution.ready(member, transitionId)
  }

  /** Op 31: the bot could not use a commit or welcome and starts again; its new key package follows. */
  invalid({ member }: BotSession): void {
    member.keyPackage = undefined
    member.introduce()
    this.group.changed()
  }

  /** Opens an encrypted frame of `userId` like the members of the group. */
  open(userId: string, frame: Buffer): Opened {
    for (const member of this.#members()) {
      const opus = member.open(userId, frame)
      if (opus) return { kind: 'opus', opus }
    }
    return this.group.execution.underWay ? { kind: 'wait' } : { kind: 'lost' }
  }

  /** Current expectations of the bot's frames. */
  expectationOf(session: BotSession | undefined): Expectation {
    const { execution, generation, version } = this.group
    if (!session || version === 0 || execution.underWay || !this.group.has(session.member))
      return { encryption: 'free', generation }
    return { encryption: execution.fresh ? 'beginning' : 'demanded', generation }
  }
}

export type { ExpectedBot, Restriction } from './call-bots.ts'

export interface VoiceCallOptions {
  readonly guildId: string
  readonly channelId: string
  readonly dave: boolean
  readonly modes: readonly EncryptionMode[]
  readonly clock: Clock
  readonly random: () => number
  readonly nextSsrc: () => number
  readonly send: (bytes: Buffer, to: Address) => void
  readonly forge: (bytes: Buffer, to: Address) => Promise<void>
}

/**
 * One voice channel on the voice server: its bots, its scripted users, and the audio between them. Created by the
 * server, which owns it. Users who join or leave also join or leave the DAVE group automatically.
 */
export class VoiceCall {
  readonly guildId: string
  readonly channelId: string
  readonly faults = new VoiceFaults()
  /** For the gateway. */
  readonly bots: CallBots
  /** For the gateway: DAVE messages of bots. */
  readonly dave: CallDave
  readonly #options: VoiceCallOptions
  readonly #group: DaveGroup
  readonly #users = new Map<string, VoiceUser>()

  constructor(options: VoiceCallOptions) {
    const { guildId, channelId, clock, random } = options
    this.guildId = guildId
    this.channelId = channelId
    this.#options = options
    this.#group = new DaveGroup(options.dave ? 1 : 0, {
      channelId,
      clock,
      committer: () => this.faults.committer ?? (random() < 0.5 ? 'bot' : 'user'),
      onExecuted: () => this.bots.retry(),
    })
    this.dave = new CallDave(this.#group, () => Array.from(this.#users.values(), user => user.member))
    this.bots = this.#makeBots(clock.now())
  }

  /** Users in the call. */
  get users(): readonly VoiceUser[] {
    return [...this.#users.values()]
  }

  /** The call's current DAVE version; 0 is transport encryption only. */
  get daveVersion(): 0 | 1 {
    return this.#group.version
  }

  /** Transitions of the DAVE group, oldest first. */
  get transitions(): readonly Transition[] {
    return this.#group.transitions
  }

  /** Accepts an Identify with exactly this from now on; replaces earlier expectations of this user. */
  expect(bot: ExpectedBot): void {
    this.bots.expect(bot)
  }

  /** The bot left, was moved or kicked: closes its connection with `code` and no longer accepts it. */
  forget(userId: string, code: number = Close.disconnected): void {
    this.bots.forget(userId, code)
  }

  /** True while the bot has a session in this call, from Session Description on. */
  connected(botUserId: string): boolean {
    return this.bots.get(botUserId)?.connected ?? false
  }

  /** Adds a scripted user. Throws RangeError if the user is already in the call, or the id is not a snowflake. */
  addUser(userId: string, options: JoinOptions = {}): VoiceUser {
    if (!/^\d{1,20}$/.test(userId)) throw new RangeError(`a user id must be a snowflake, got ${userId}`)
    if (this.#users.has(userId)) throw new RangeError(`user ${userId} is already in the call`)
    const { clock, random, nextSsrc, channelId } = this.#options
    const { externalSender, version } = this.#group
    const user = new VoiceUser({
      ...options,
      userId,
      clock,
      random,
      nextSsrc,
      faults: this.faults,
      member: new ScriptedMember(userId, channelId, externalSender, version === 1),
      settled: () => this.settled(),
      onSpeaking: (speaker, flags) => this.#tellSpeaking(speaker, flags),
      onPacket: (speaker, header, frame, extension) => this.#spread(speaker.userId, header, frame, extension),
      onLeft: leaver => this.#left(leaver),
    })
    this.#users.set(userId, user)
    this.bots.tellAll(Op.clientsConnect, { user_ids: [userId] })
    for (const bot of this.bots) describe(user, bot)
    this.#group.enter(user.member)
    return user
  }

  /** Applies a moderator's restriction of the bot: muted or deafened, until removed. */
  restrict(botUserId: string, restriction: Restriction): void {
    this.bots.restrict(botUserId, restriction)
  }

  /** Audio of the bot, 16 kHz mono, from the opening of the call until now; silence where nothing arrived. */
  heard(botUserId: string): Int16Array {
    return this.bots.heard(botUserId)
  }

  /** Snapshot of the statistics of the bot's packets. */
  packetsFrom(botUserId: string): PacketCounts {
    return this.bots.counts(botUserId)
  }

  /** Closes the bot's socket with `code`; its session can be resumed after 4015 and after codes below 4000. */
  closeSocket(botUserId: string, code: number): void {
    this.bots.get(botUserId)?.wire?.close(code)
  }

  /** Breaks the bot's socket without a close frame (1006). */
  dropSocket(botUserId: string): void {
    this.bots.get(botUserId)?.wire?.drop()
  }

  /** Sends the bot a datagram from a third party that looks like a packet of `ssrc`: of random bytes, or exactly `bytes`. */
  async forge(botUserId: string, ssrc: number, bytes?: Buffer): Promise<void> {
    const to = this.bots.get(botUserId)?.address
    if (!to) throw new RangeError(`bot ${botUserId} is not connected`)
    await this.#options.forge(bytes ?? forgedPacket(ssrc, this.#options.random), to)
  }

  /** Enables DAVE. Settles when everyone has changed over. */
  upgrade(): Promise<void> {
    return this.#group.upgrade()
  }

  /** Disables DAVE, leaving transport encryption. Settles when everyone has changed over. */
  downgrade(): Promise<void> {
    return this.#group.downgrade()
  }

  /** Settles when no DAVE transition is under way. */
  settled(): Promise<void> {
    return this.#group.settled()
  }

  /** For the server: removes everyone. */
  close(): void {
    this.#group.close()
    for (const user of this.users) user.leave()
    this.bots.close()
  }

  #makeBots(openedAt: number): CallBots {
    const { clock, random, modes, nextSsrc, send } = this.#options
    const { faults } = this
    const toBot = new DatagramPath(faults.toBot, clock, random)
    const fromBot = new DatagramPath(faults.fromBot, clock, random)
    return new CallBots({
      session: () => ({
        ssrc: nextSsrc(),
        modes: faults.encryption ?? modes,
        clock,
        faults,
        externalSender: this.#group.externalSender,
        toBot,
        fromBot,
        send,
        restriction: userId => this.bots.restriction(userId),
        onPacket: (session, header, frame) => this.#spread(session.userId, header, frame, undefined),
        onSpeaking: ({ userId, ssrc }, flags) =>
          this.bots.tellAll(Op.speaking, { user_id: userId, ssrc, speaking: flags }, this.bots.get(userId)),
      }),
      receiver: userId => ({
        clock,
        openedAt,
        open: frame => this.dave.open(userId, frame),
        expectation: () => this.dave.expectationOf(this.bots.get(userId)),
      }),
      onJoined: session => this.#joined(session),
      onEnded: session => this.#group.depart(session.member),
    })
  }

  #joined(session: BotSession): void {
    this.bots.tellAll(Op.clientsConnect, { user_ids: [session.userId] }, session)
    const others = [...this.bots].filter(other => other !== session)
    const ids = [...others, ...this.#users.values()].map(({ userId }) => userId)
    if (this.#group.version === 1) session.member.introduce()
    if (ids.length > 0) session.tell(Op.clientsConnect, { user_ids: ids })
    for (const user of this.#users.values()) {
      describe(user, session)
      if (user.speaking) this.#tellSpeaking(user, 1, session)
    }
    if (session.options.daveVersion > 0) this.#group.enter(session.member)
  }

  #left(user: VoiceUser): void {
    this.#users.delete(user.userId)
    this.bots.tellAll(Op.clientDisconnect, { user_id: user.userId })
    this.#group.depart(user.member)
  }

  /** Sends one packet to every bot except its sender. */
  #spread(userId: string, header: RtpHeader, frame: Buffer, extension: Buffer | undefined): void {
    for (const session of this.bots)
      if (session.userId !== userId) session.deliver(userId, header, frame, extension)
  }

  #tellSpeaking(user: VoiceUser, flags: number, only?: BotSession): void {
    const { withholdSpeaking } = this.faults
    if (withholdSpeaking === true) return
    const body = { user_id: user.userId, ssrc: user.ssrc, speaking: flags }
    const tell = () => (only ? only.tell(Op.speaking, body) : this.bots.tellAll(Op.speaking, body))
    if (withholdSpeaking === false) tell()
    else setTimer(this.#options.clock, withholdSpeaking, tell)
  }
}

/** Further messages about users that Discord sends and clients can ignore. */
function describe({ userId }: VoiceUser, bot: BotSession): void {
  bot.tell(Op.clientFlags, { user_id: userId, flags: 0 })
  bot.tell(Op.clientPlatform, { user_id: userId, platform: 0 })
}
