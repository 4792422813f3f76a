import { BotReceiver, type BotReceiverOptions, noPackets, type PacketCounts } from './bot-receiver.ts'
import { BotSession, type BotSessionOptions } from './bot-session.ts'
import { Close, Op } from './gateway-message.ts'

/** A bot that the voice server admits, with the data it received in VOICE_STATE_UPDATE and VOICE_SERVER_UPDATE. */
export interface ExpectedBot {
  readonly userId: string
  readonly sessionId: string
  readonly token: string
}

/** Moderator's restrictions of a bot. */
export interface Restriction {
  /** Others cannot hear it. */
  readonly mute?: boolean
  /** It cannot hear others. */
  readonly deaf?: boolean
}

export interface CallBotsOptions {
  /** Options of a new session, in addition to the bot itself. */
  readonly session: () => Omit<BotSessionOptions, keyof ExpectedBot | 'daveVersion' | 'receiver'>
  readonly receiver: (userId: string) => BotReceiverOptions
  /** Called when a bot has its Session Description. */
  readonly onJoined: (session: BotSession) => void
  readonly onEnded: (session: BotSession) => void
}

/** Time that a session waits for its bot to resume it (ms). */
const RESUMABLE_MS = 60_000

/** The bots of one call: expected and connected ones, with their packets. */
export class CallBots implements Iterable<BotSession> {
  readonly #options: CallBotsOptions
  readonly #expected = new Map<string, ExpectedBot>()
  readonly #sessions = new Map<string, BotSession>()
  readonly #receivers = new Map<string, BotReceiver>()
  readonly #restrictions = new Map<string, Restriction>()

  constructor(options: CallBotsOptions) {
    this.#options = options
  }

  /** The bots that have their Session Description. */
  *[Symbol.iterator](): Iterator<BotSession> {
    for (const session of this.#sessions.values()) if (session.connected) yield session
  }

  /** Replaces earlier restrictions. */
  restrict(userId: string, restriction: Restriction): void {
    this.#restrictions.set(userId, restriction)
  }

  restriction(userId: string): Restriction | undefined {
    return this.#restrictions.get(userId)
  }

  expect(bot: ExpectedBot): void {
    this.#expected.set(bot.userId, bot)
  }

  expected(userId: string): ExpectedBot | undefined {
    return this.#expected.get(userId)
  }

  /** The bot's session, connected or not yet. */
  get(userId: string): BotSession | undefined {
    return this.#sessions.get(userId)
  }

  forget(userId: string, code: number): void {
    this.#expected.delete(userId)
    const session = this.#sessions.get(userId)
    if (!session) return
    session.wire?.close(code)
    this.#end(session)
  }

  close(): void {
    for (const userId of [...this.#expected.keys(), ...this.#sessions.keys()])
      this.forget(userId, Close.callTerminated)
  }

  /** Opens a session for a bot that identified itself; an older session of the same bot ends. */
  open(bot: ExpectedBot, daveVersion: number): BotSession {
    const before = this.#sessions.get(bot.userId)
    if (before) {
      before.wire?.close(Close.sessionInvalid)
      this.#end(before)
    }
    const receiver = this.#receiver(bot.userId)
    receiver.restart()
    const session = new BotSession({ ...this.#options.session(), ...bot, daveVersion, receiver })
    this.#sessions.set(bot.userId, session)
    return session
  }

  /** The bot has its Session Description. */
  joined(session: BotSession): void {
    this.#options.onJoined(session)
  }

  /** The bot's socket is gone; a resumable session waits a minute for it. */
  lost(session: BotSession, resumable: boolean): void {
    if (resumable && session.connected) session.expireAfter(RESUMABLE_MS, () => this.#end(session))
    else this.#end(session)
  }

  /** The session that can be resumed with these credentials. */
  resumable(sessionId: string, token: string): BotSession | undefined {
    for (const session of this)
      if (session.options.sessionId === sessionId && session.options.token === token) return session
    return undefined
  }

  withSsrc(ssrc: number): BotSession | undefined {
    for (const session of this.#sessions.values()) if (session.ssrc === ssrc) return session
    return undefined
  }

  tellAll(op: number, body: unknown, except?: BotSession): void {
    for (const session of this) if (session !== except) session.tell(op, body)
  }

  heard(userId: string): Int16Array {
    return this.#receiver(userId).heard()
  }

  counts(userId: string): PacketCounts {
    const counts = this.#receivers.get(userId)?.counts ?? noPackets()
    return { ...counts, speaking: [...counts.speaking] }
  }

  /** A transition is over: frames that could not be decrypted are retried. */
  retry(): void {
    for (const receiver of this.#receivers.values()) receiver.retry()
  }

  #end(session: BotSession): void {
    if (this.#sessions.get(session.userId) !== session) return
    this.#sessions.delete(session.userId)
    session.end()
    if (session.connected) this.tellAll(Op.clientDisconnect, { user_id: session.userId })
    this.#options.onEnded(session)
  }

  #receiver(userId: string): BotReceiver {
    const known = this.#receivers.get(userId)
    if (known) return known
    const receiver = new BotReceiver(this.#options.receiver(userId))
    this.#receivers.set(userId, receiver)
    return receiver
  }
}
