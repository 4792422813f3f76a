import { after, type Clock } from '../../../core/clock.ts'
import { BotEar } from './bot-ear.ts'
import { type Address, BotSession } from './bot-session.ts'
import { CallDave } from './call-dave.ts'
import { DatagramPath } from './datagram-path.ts'
import { DaveGroup } from './dave/dave-group.ts'
import { ScriptedMember } from './dave/scripted-member.ts'
import type { EncryptionMode } from './encryption.ts'
import { Close, Op } from './opcodes.ts'
import type { PacketCounts } from './packet-counts.ts'
import { noPackets } from './packet-counts.ts'
import type { RtpHeader } from './rtp.ts'
import { VoiceFaults } from './voice-faults.ts'
import { VoiceUser } from './voice-user.ts'

/** Whom the voice server lets in: what VOICE_STATE_UPDATE and VOICE_SERVER_UPDATE told the bot. */
export interface ExpectedBot {
  readonly userId: string
  readonly sessionId: string
  readonly token: string
}

export interface VoiceCallOptions {
  readonly guildId: string
  readonly channelId: string
  readonly dave: boolean
  readonly modes: readonly EncryptionMode[]
  readonly clock: Clock
  readonly random: () => number
  readonly nextSsrc: () => number
  readonly sendDatagram: (bytes: Buffer, to: Address) => void
}

/** So long a session waits for its bot to resume it. */
const RESUMABLE_MS = 60_000

/** One voice channel on the voice server: its bots, its scripted users, and what they hear of each other. */
export class VoiceCall {
  readonly guildId: string
  readonly channelId: string
  readonly faults = new VoiceFaults()
  /** For the gateway: what bots say about DAVE. */
  readonly dave: CallDave
  readonly #options: VoiceCallOptions
  readonly #openedAt: number
  readonly #group: DaveGroup
  readonly #expected = new Map<string, ExpectedBot>()
  readonly #sessions = new Map<string, BotSession>()
  readonly #ears = new Map<string, BotEar>()
  readonly #users = new Map<string, VoiceUser>()
  readonly #toBot: DatagramPath
  readonly #fromBot: DatagramPath

  constructor(options: VoiceCallOptions) {
    const { guildId, channelId, clock, random, dave } = options
    this.guildId = guildId
    this.channelId = channelId
    this.#options = options
    this.#openedAt = clock.now()
    this.#group = new DaveGroup(dave ? 1 : 0, {
      channelId,
      clock,
      committer: () => this.faults.committer ?? (random() < 0.5 ? 'bot' : 'user'),
      onExecuted: () => this.#retry(),
    })
    this.dave = new CallDave(this.#group, () => Array.from(this.#users.values(), user => user.member))
    this.#toBot = new DatagramPath(this.faults.toBot, clock, random)
    this.#fromBot = new DatagramPath(this.faults.fromBot, clock, random)
  }

  get users(): readonly VoiceUser[] {
    return [...this.#users.values()]
  }

  /** The DAVE version that the call runs now; 0 is transport encryption only. */
  get daveVersion(): 0 | 1 {
    return this.#group.version
  }

  /** From now on an Identify with exactly this is right; replaces what was expected of this user before. */
  expect(bot: ExpectedBot): void {
    this.#expected.set(bot.userId, bot)
  }

  /** The bot left, was moved or kicked: its connection is closed with `code`, and nothing is expected of it. */
  forget(userId: string, code: number = Close.disconnected): void {
    this.#expected.delete(userId)
    const session = this.#sessions.get(userId)
    if (!session) return
    session.wire?.close(code)
    this.#end(session)
  }

  /** True while the bot has a session in this call, from Session Description on. */
  connected(botUserId: string): boolean {
    return this.#sessions.get(botUserId)?.connected ?? false
  }

  /** A scripted user enters. Throws RangeError when the user is there already, or the id is no snowflake. */
  addUser(userId: string): VoiceUser {
    if (!/^\d{1,20}$/.test(userId)) throw new RangeError(`a user id is a snowflake, got ${userId}`)
    if (this.#users.has(userId)) throw new RangeError(`user ${userId} is in the call already`)
    const { clock, random, nextSsrc, channelId } = this.#options
    const { externalSender, version } = this.#group
    const user = new VoiceUser({
      userId,
      clock,
      random,
      nextSsrc,
      faults: this.faults,
      member: new ScriptedMember(userId, channelId, externalSender, version === 1),
      settled: () => this.settled(),
      onSpeaking: (speaker, flags) => this.#tellSpeaking(speaker, flags),
      onPacket: (speaker, header, frame, extension) => this.#spread(speaker, header, frame, extension),
      onLeft: leaver => this.#left(leaver),
    })
    this.#users.set(userId, user)
    this.#tellAll(Op.clientsConnect, { user_ids: [userId] })
    this.#group.enter(user.member)
    return user
  }

  /** What the bot sent, 16 kHz mono, from the opening of the call until now; silence where nothing came. */
  heard(botUserId: string): Int16Array {
    return this.#ear(botUserId).heard()
  }

  /** A copy of what has been counted of the bot's packets so far. */
  packetsFrom(botUserId: string): PacketCounts {
    const counts = this.#ears.get(botUserId)?.counts ?? noPackets()
    return { ...counts, speaking: [...counts.speaking] }
  }

  /** DAVE from now on. Settles when everybody has changed over. */
  upgrade(): Promise<void> {
    return this.#group.upgrade()
  }

  /** Transport encryption only from now on. Settles when everybody has changed over. */
  downgrade(): Promise<void> {
    return this.#group.downgrade()
  }

  /** Settles when no DAVE transition is under way. */
  settled(): Promise<void> {
    return this.#group.settled()
  }

  /** For the server: everybody is out. */
  close(): void {
    for (const user of this.users) user.leave()
    for (const { userId } of [...this.#sessions.values()]) this.forget(userId, Close.callTerminated)
    this.#expected.clear()
  }

  /** For the gateway: who is expected. */
  expected(userId: string): ExpectedBot | undefined {
    return this.#expected.get(userId)
  }

  /** For the gateway: a new session of a bot that identified itself; an older one of the same bot ends. */
  open(bot: ExpectedBot, daveVersion: number): BotSession {
    const before = this.#sessions.get(bot.userId)
    if (before) {
      before.wire?.close(Close.sessionInvalid)
      this.#end(before)
    }
    const { clock, modes, nextSsrc, sendDatagram } = this.#options
    const ear = this.#ear(bot.userId)
    ear.restart()
    const session = new BotSession({
      ...bot,
      ssrc: nextSsrc(),
      daveVersion,
      modes: this.faults.encryption ?? modes,
      clock,
      faults: this.faults,
      group: this.#group,
      ear,
      toBot: this.#toBot,
      fromBot: this.#fromBot,
      sendDatagram,
    })
    this.#sessions.set(bot.userId, session)
    return session
  }

  /** For the gateway: the session that may be resumed with these words. */
  resumable(sessionId: string, token: string): BotSession | undefined {
    for (const session of this.#sessions.values())
      if (session.options.sessionId === sessionId && session.options.token === token && session.connected)
        return session
    return undefined
  }

  /** For the media socket: the session with this SSRC. */
  sessionOf(ssrc: number): BotSession | undefined {
    for (const session of this.#sessions.values()) if (session.ssrc === ssrc) return session
    return undefined
  }

  /** For the gateway: the bot has its Session Description. */
  joined(session: BotSession): void {
    for (const other of this.#sessions.values())
      if (other !== session && other.connected) other.tell(Op.clientsConnect, { user_ids: [session.userId] })
    const others = [...this.#sessions.values()].filter(other => other !== session && other.connected)
    const ids = [...others.map(other => other.userId), ...this.#users.keys()]
    if (this.#group.version === 1) session.member.introduce()
    if (ids.length > 0) session.tell(Op.clientsConnect, { user_ids: ids })
    for (const user of this.#users.values()) if (user.speaking) this.#tellSpeaking(user, 1, session)
    if (session.options.daveVersion > 0) this.#group.enter(session.member)
  }

  /** For the gateway: the bot's socket has gone. */
  lost(session: BotSession, resumable: boolean): void {
    if (!resumable || !session.connected) return this.#end(session)
    after(this.#options.clock, RESUMABLE_MS, () => {
      if (!session.wire) this.#end(session)
    })
  }

  #end(session: BotSession): void {
    if (this.#sessions.get(session.userId) !== session) return
    this.#sessions.delete(session.userId)
    this.#group.depart(session.member)
    this.#tellAll(Op.clientDisconnect, { user_id: session.userId })
  }

  #left(user: VoiceUser): void {
    this.#users.delete(user.userId)
    this.#tellAll(Op.clientDisconnect, { user_id: user.userId })
    this.#group.depart(user.member)
  }

  #spread(user: VoiceUser, header: RtpHeader, frame: Buffer, extension: Buffer | undefined): void {
    for (const session of this.#sessions.values()) session.deliver(user.userId, header, frame, extension)
  }

  #tellSpeaking(user: VoiceUser, flags: number, only?: BotSession): void {
    const { withholdSpeaking } = this.faults
    if (withholdSpeaking === true) return
    const body = { user_id: user.userId, ssrc: user.ssrc, speaking: flags }
    const tell = () => (only ? only.tell(Op.speaking, body) : this.#tellAll(Op.speaking, body))
    if (withholdSpeaking === false) tell()
    else after(this.#options.clock, withholdSpeaking, tell)
  }

  #tellAll(op: number, body: unknown): void {
    for (const session of this.#sessions.values()) if (session.connected) session.tell(op, body)
  }

  #retry(): void {
    for (const ear of this.#ears.values()) ear.retry()
  }

  #ear(userId: string): BotEar {
    const known = this.#ears.get(userId)
    if (known) return known
    const ear = new BotEar({
      clock: this.#options.clock,
      openedAt: this.#openedAt,
      open: frame => this.dave.open(userId, frame),
      mustEncrypt: () => this.dave.mustEncrypt(this.#sessions.get(userId)),
    })
    this.#ears.set(userId, ear)
    return ear
  }
}
