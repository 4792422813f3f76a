import { setTimer, Ticker } from '../../../common/clock.ts'
import { withDefaults } from '../../../common/defaults.ts'
import { errorFields } from '../../../common/log.ts'
import type { ChannelEnd } from '../contract.ts'
import { DaveGuard } from './dave-guard.ts'
import { JoinAttempts } from './join-attempts.ts'
import type { LinkConnection, VoiceLinkOptions, VoiceLinkState } from './link-options.ts'
import {
  answerTo,
  DEFAULT_LINK_LIMITS,
  GATEWAY_RETRY_MS,
  type LinkLimits,
  refusalOf,
  SAME_MOMENT_MS,
} from './link-options.ts'
import { type ConnectionWatcher, PatchedConnection } from './patches/patched-connection.ts'
import { VoiceReceiver } from './receiver.ts'
import type { PacketPlayer, PacketSink, PacketSource } from './rtp-packet.ts'

/**
 * One voice channel: the source of its users' audio and the destination of ours. The link survives lost connections,
 * moves and changes of server, until `leave` or a permanent refusal by Discord. The creator calls `leave`.
 */
export class VoiceLink implements PacketSource, PacketPlayer {
  readonly ended: Promise<ChannelEnd>
  readonly #options: VoiceLinkOptions
  readonly #limits: LinkLimits
  readonly #receiver: VoiceReceiver
  readonly #guard: DaveGuard
  readonly #attempts: JoinAttempts
  readonly #settle: (end: ChannelEnd) => void
  readonly #joined = Promise.withResolvers<undefined>()
  #state: VoiceLinkState = 'joining'
  #channelId: string
  #connection: LinkConnection | undefined
  /** The next step, unless another event replaces it. */
  #next: Disposable | undefined
  #ticker: Ticker | undefined
  #begun = false
  #announcedAt = Number.NaN
  /** Time at which the main gateway last reported that we are in a channel. */
  #placedAt = Number.NEGATIVE_INFINITY
  #deaf = false

  constructor(options: VoiceLinkOptions) {
    this.#options = options
    this.#limits = withDefaults(DEFAULT_LINK_LIMITS, options.limits)
    this.#attempts = new JoinAttempts(this.#limits)
    this.#channelId = options.channelId
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#settle = resolve
    this.#guard = new DaveGuard(options.clock, options.counters, () =>
      this.#end({ kind: 'refused', code: 'encryption' }),
    )
    this.#receiver = new VoiceReceiver(options.clock, options.counters, this.#guard)
  }

  get state(): VoiceLinkState {
    return this.#state
  }

  /** On, off (stage channels, tests), or not negotiated yet. */
  get encrypted(): boolean | undefined {
    return this.#state === 'ready' ? this.#guard.encrypted : undefined
  }

  /** The current channel. */
  get channelId(): string {
    return this.#channelId
  }

  get playable(): boolean {
    // Until the encryption is negotiated, audio would be sent in plaintext.
    return this.#state === 'ready' && this.#guard.encrypted !== undefined
  }

  /** Resolves when the channel is connected, or with the reason why it never will be. Call it once. */
  join(): Promise<ChannelEnd | undefined> {
    if (this.#begun) throw new RangeError('join() can be called only once')
    this.#begun = true
    if (this.#state !== 'ended') {
      this.#ticker = new Ticker(this.#options.clock, 1_000, now => this.#check(now))
      this.#open()
    }
    return Promise.race([this.#joined.promise, this.ended])
  }

  listen(userId: string, sink: PacketSink): void {
    this.#receiver.listen(userId, sink)
  }

  unlisten(userId: string, sink?: PacketSink): void {
    this.#receiver.unlisten(userId, sink)
  }

  play(opus: Uint8Array): void {
    if (!this.playable) return
    this.#connection?.play(opus)
  }

  setSpeaking(on: boolean): void {
    if (this.#state === 'ready') this.#connection?.setSpeaking(on)
  }

  /**
   * Requests to join again, because a new session of the main gateway does not know us. An intact voice connection
   * stays in use until another server is named, or permanently if none is.
   */
  askAgain(): void {
    if (this.#state === 'ended' || !this.#connection || this.#endIfReplaced()) return
    this.#attempts.answered()
    if (this.#state === 'ready' && this.#connection.ready) this.#connection.rejoin()
    else {
      this.#reconnecting()
      this.#rejoin()
    }
  }

  /** Idempotent: the first reason counts. */
  leave(reason: ChannelEnd): Promise<ChannelEnd> {
    this.#end(reason)
    return this.ended
  }

  #open(): void {
    if (this.#endIfReplaced()) return
    this.#attempts.begin()
    const { guildId, userId, adapterCreator, dave = true, clock, counters } = this.#options
    if (!this.#gatewayUp) {
      this.#unsent()
      return
    }
    this.#within(this.#limits.joinTimeoutMs, () => this.#afresh())
    const { connect = (...all) => PatchedConnection.join(...all) } = this.#options
    const options = { guildId, userId, adapterCreator, dave, clock, counters }
    const [receiver, guard, channelId] = [this.#receiver, this.#guard, this.#channelId]
    try {
      this.#connection = connect({ ...options, channelId, receiver, guard }, this.#watcher())
    } catch (error) {
      this.#options.log.error({ guildId, channelId, ...errorFields(error) }, 'voice connection not requested')
      this.#end(this.#attempts.unreachable)
    }
  }

  /** The attempt failed: starts another one from scratch. */
  #afresh(): void {
    this.#connection?.destroy(true)
    this.#connection = undefined
    this.#reconnecting()
    this.#again(() => this.#open())
  }

  /** Schedules another attempt, or ends the link. */
  #again(attempt: () => void): void {
    const next = this.#attempts.next()
    if (typeof next !== 'number') this.#end(next)
    else
      this.#within(next, () => {
        this.#options.counters.rejoins++
        attempt()
      })
  }

  get #gatewayUp(): boolean {
    return this.#options.gatewayUp?.() ?? true
  }

  #rejoin(): void {
    if (this.#endIfReplaced()) return
    this.#attempts.begin()
    if (!this.#gatewayUp) {
      this.#unsent()
      return
    }
    this.#within(this.#limits.joinTimeoutMs, () => this.#afresh())
    this.#connection?.rejoin()
  }

  /**
   * The request was not sent, so it is not an attempt. Retries until the main gateway is back or the outage takes too
   * long.
   */
  #unsent(): void {
    if (this.#state === 'ended' || this.#state === 'ready') return
    if (!this.#attempts.unsent(this.#options.clock.now())) this.#end(this.#attempts.unreachable)
    else
      this.#within(GATEWAY_RETRY_MS, () => {
        if (this.#connection) this.#rejoin()
        else this.#open()
      })
  }

  #watcher(): ConnectionWatcher {
    return {
      ready: () => this.#ready(),
      connecting: () => {
        this.#reconnecting()
        this.#within(this.#limits.joinTimeoutMs, () => this.#afresh())
      },
      closed: code => this.#closed(code),
      unsent: () => this.#unsent(),
      voiceState: channelId => this.#placed(channelId),
      voiceServer: endpoint => {
        this.#attempts.answered()
        if (endpoint !== undefined) return
        this.#reconnecting()
        this.#within(this.#limits.endpointTimeoutMs, () => this.#again(() => this.#rejoin()))
      },
      dropped: () => this.#end(this.#attempts.unreachable),
      speaking: userId => {
        if (Number.isNaN(this.#announcedAt)) this.#announcedAt = this.#options.clock.now()
        this.#options.watcher?.speaking?.(userId)
      },
      failed: error => {
        this.#options.counters.libraryErrors++
        this.#options.log.warn(
          { guildId: this.#options.guildId, ...errorFields(error) },
          'voice library error',
        )
      },
    }
  }

  #ready(): void {
    if (this.#state === 'ended' || this.#state === 'ready') return
    this.#to('ready')
    this.#joined.resolve(undefined)
    // Attempts are reset only after a stable time, so that a server that admits us and closes at once is not retried
    // forever.
    this.#within(this.#limits.stableMs, () => this.#attempts.stable())
  }

  #closed(code: number): void {
    if (this.#state === 'ended' || this.#endIfReplaced()) return
    this.#options.log.info({ guildId: this.#options.guildId, code }, 'voice connection closed')
    const again = this.#attempts.closed(code)
    this.#reconnecting()
    const answer = answerTo(code)
    const refused = { kind: 'refused', code: refusalOf(code) ?? code } as const
    if (
      answer === 'refuse' ||
      (answer === 'once' && again) ||
      (code === 4017 && this.#options.dave === false)
    )
      this.#end(refused)
    else if (answer === 'wait') this.#wait(code === 4014 ? { kind: 'kicked' } : refused)
    else this.#again(() => this.#rejoin())
  }

  /**
   * Disconnected by someone else: ends with `end` unless the main gateway reports a new place, once it is available.
   */
  #wait(end: ChannelEnd, since = this.#options.clock.now()): void {
    this.#within(this.#limits.waitMs, () => {
      if (this.#placedAt > since - SAME_MOMENT_MS) this.#again(() => this.#rejoin())
      else if (this.#gatewayUp) this.#end(end)
      else if (this.#options.clock.now() - since < this.#limits.outageMs) this.#wait(end, since)
      else this.#end(this.#attempts.unreachable)
    })
  }

  #placed(channelId: string | undefined): void {
    if (this.#state === 'ended') return
    this.#attempts.answered()
    if (channelId === undefined) {
      this.#end({ kind: 'kicked' })
      return
    }
    // Answers to our own requests arrive here too, and do not indicate a move.
    if (this.#state !== 'joining') this.#placedAt = this.#options.clock.now()
    if (channelId !== this.#channelId) {
      this.#channelId = channelId
      this.#options.watcher?.moved?.(channelId)
    }
  }

  /** Ends the link if another part of the program has taken the guild's voice. */
  #endIfReplaced(): boolean {
    if (!this.#options.replaced?.()) return false
    this.#end({ kind: 'taken' })
    return true
  }

  #check(now: number): void {
    if (this.#endIfReplaced()) return
    this.#connection?.check(now)
    if (this.#deaf || this.#receiver.receivedAudio || !(now - this.#announcedAt >= this.#limits.deafMs))
      return
    this.#deaf = true
    this.#options.log.warn({ guildId: this.#options.guildId }, 'no voice packets received over UDP')
    this.#options.watcher?.deaf?.()
  }

  #reconnecting(): void {
    if (this.#state === 'ready') this.#to('reconnecting')
  }

  #to(state: VoiceLinkState): void {
    this.#state = state
    this.#options.watcher?.state?.(state)
  }

  #within(ms: number, task: () => void): void {
    this.#next?.[Symbol.dispose]()
    this.#next = this.#state === 'ended' ? undefined : setTimer(this.#options.clock, ms, task)
  }

  #end(end: ChannelEnd): void {
    if (this.#state === 'ended') return
    this.#to('ended')
    this.#next?.[Symbol.dispose]()
    this.#ticker?.[Symbol.dispose]()
    this.#connection?.destroy(end.kind !== 'kicked' && end.kind !== 'taken')
    this.#connection = undefined
    this.#receiver.close()
    const { guildId, counters, log } = this.#options
    log.info({ guildId, channelId: this.#channelId, end, ...counters }, 'voice channel left')
    this.#settle(end)
  }
}
