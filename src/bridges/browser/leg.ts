import { BridgeError } from '../../common/errors.ts'
import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import type { Leg, LegUplink } from '../../core/model/leg.ts'
import { durationMs } from '../../transcode/pcm.ts'
import { NumberedMarks } from '../websocket/mark-registry.ts'
import { Downlink, Uplink } from './leg-audio.ts'
import type { Inbound, VisitEnd } from './protocol.ts'
import type { BrowserLimits } from './settings.ts'
import type { CloseCause, LegCounters, TalkListener, TalkSocket } from './socket.ts'

/** Maximum rate of key presses that are forwarded. */
const MAX_KEYS_PER_SECOND = 20
const HUNG_UP: EndReason = { kind: 'hangup', by: 'remote' }

/** Requests of the page that concern its session, not its leg. */
export interface PageRequests {
  asked(message: Extract<Inbound, { kind: 'change' | 'invite' }>, now: number): void
}

export interface LegOptions {
  readonly id: string
  /** Id of the session: shared by all its legs. */
  readonly call: string
  readonly now: () => number
  readonly limits: BrowserLimits
  readonly log: Logger
  readonly requests: PageRequests
}

/** One connection of a page, as a leg. */
export class BrowserLeg implements Leg, TalkListener {
  readonly id: string
  readonly channel = 'browser'
  readonly call: string
  readonly counters: LegCounters
  readonly ended: Promise<EndReason>
  readonly #options: LegOptions
  readonly #socket: TalkSocket
  readonly #uplink: Uplink
  readonly #downlink = new Downlink()
  readonly #marks = new NumberedMarks()
  readonly #keyRate: TokenBucket
  readonly #settle: (reason: EndReason) => void
  #sink: LegUplink | undefined
  #reason: EndReason | undefined
  #closing: Promise<void> | undefined
  #pingedAt: number
  #endTold = false

  /** Takes over an admitted socket. */
  static open(socket: TalkSocket, options: LegOptions): BrowserLeg {
    const leg = new BrowserLeg(socket, options)
    socket.attach(leg)
    socket.trust()
    return leg
  }

  private constructor(socket: TalkSocket, options: LegOptions) {
    const now = socket.heardAt
    this.id = options.id
    this.call = options.call
    this.counters = socket.counters
    this.#options = options
    this.#socket = socket
    this.#uplink = new Uplink(socket.counters, options.limits, now)
    this.#keyRate = new TokenBucket(MAX_KEYS_PER_SECOND, MAX_KEYS_PER_SECOND, now)
    this.#pingedAt = now
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  get socket(): Pick<TalkSocket, 'tell'> {
    return this.#socket
  }

  /** Incoming audio that was replaced by silence or arrived too late (ms). */
  get lostMs(): number {
    return this.counters.gapsFilledMs + this.counters.backlogDroppedMs
  }

  attach(uplink: LegUplink): void {
    this.#sink = uplink
    this.#uplink.attach(uplink)
  }

  /** Sends one message of any whole number of frames. Sends nothing once the leg has ended. */
  play(frames: Int16Array): void {
    if (this.#reason) return
    this.#socket.send(this.#downlink.encode(frames, this.#options.now()))
    this.counters.audioOut++
    this.counters.sentMs += durationMs(frames.length)
    if (this.#socket.unsentBytes > this.#options.limits.maxUnsentBytes)
      this.#cutOff('LEG_LOST', 'the page does not read')
  }

  mark(name: string): void {
    if (this.#reason) return
    this.counters.marksSent++
    this.#socket.tell({ kind: 'mark', id: this.#marks.send(name) })
  }

  flush(): void {
    if (this.#reason) return
    this.counters.flushes++
    this.#marks.flush()
    this.#downlink.flush(this.#options.now())
    this.#socket.tell({ kind: 'flush' })
  }

  get congested(): boolean {
    return this.#socket.unsentBytes > this.#options.limits.congestedBytes
  }

  /** Tells the page why the session is about to end. Only the first reason is sent. */
  tellEnd(why: VisitEnd): void {
    if (!this.#endTold) this.#socket.tell({ kind: 'ended', why })
    this.#endTold = true
  }

  /**
   * Settles `ended` at once. The returned promise waits for the socket, which is terminated if it does not close in
   * time.
   */
  close(reason: EndReason): Promise<void> {
    if (!this.#reason) this.tellEnd(endOf(reason))
    this.#end(reason)
    this.#closing ??= this.#socket.close(causeOf(reason))
    return this.#closing
  }

  /**
   * Supervises a quiet connection: feeds silence, pings, ends the leg. The owner’s timer calls it several times a
   * second.
   */
  watch(now: number): void {
    if (this.#reason) return
    const { pingAfterMs, lostAfterMs } = this.#options.limits
    const quietMs = this.#socket.quietMs(now)
    if (quietMs >= lostAfterMs) {
      this.#cutOff('LEG_SILENT', `no data received for ${Math.round(quietMs / 1000)} s`)
      return
    }
    if (quietMs >= pingAfterMs && now - this.#pingedAt >= pingAfterMs) {
      this.#pingedAt = now
      this.#socket.ping()
    }
    this.#uplink.watch(now)
  }

  audio(message: Buffer, now: number): void {
    this.counters.audioIn++
    this.#uplink.write(message, now)
  }

  message(message: Exclude<Inbound, { kind: 'invalid' }>, now: number): void {
    switch (message.kind) {
      case 'mark':
        this.#marked(message.id)
        return
      case 'ping':
        this.#socket.tell({ kind: 'pong', at: message.at })
        return
      case 'key':
        if (this.#keyRate.take(now) < 0) this.counters.floodDropped++
        else {
          this.counters.keys++
          this.#sink?.dtmf(message.digit)
        }
        return
      case 'report':
        this.counters.underruns = message.underruns
        this.counters.skippedMs = message.skippedMs
        return
      case 'change':
      case 'invite':
        this.#options.requests.asked(message, now)
        return
      case 'bye':
        this.#end(HUNG_UP)
        this.#closing ??= this.#socket.close('done')
        return
      case 'hello':
      case 'resume':
      case 'unknown':
        this.counters.ignored++
        return
      default:
        message satisfies never
    }
  }

  closed(reason: EndReason): void {
    this.#end(reason)
  }

  fault(fault: string, err?: unknown): void {
    const about = {
      channel: this.channel,
      legId: this.id,
      fault,
      ...(err === undefined ? {} : { error: String(err) }),
    }
    if (err === undefined) this.#options.log.warn(about, 'leg protocol violation')
    else this.#options.log.error(about, 'leg failed')
  }

  #marked(id: number): void {
    const name = this.#marks.heard(id)
    if (name === undefined) this.counters.marksStale++
    else {
      this.counters.marksHeard++
      this.#sink?.marked(name)
    }
  }

  #cutOff(code: 'LEG_SILENT' | 'LEG_LOST', text: string): void {
    this.#end({ kind: 'failed', error: new BridgeError(code, text, { retryable: true }) })
    this.#socket.terminate()
  }

  #end(reason: EndReason): void {
    if (this.#reason) return
    this.#reason = reason
    this.#socket.detach()
    this.#options.log.info(
      { legId: this.id, reason: describeEnd(reason), ...this.counters },
      'browser connection ended',
    )
    this.#settle(reason)
  }
}

function endOf(reason: EndReason): VisitEnd {
  switch (reason.kind) {
    case 'replaced':
      return 'replaced'
    case 'parent-closed':
      return 'server'
    case 'failed':
      return 'failed'
    case 'idle':
      return 'time'
    default:
      return 'hung-up'
  }
}

function causeOf(reason: EndReason): CloseCause {
  switch (reason.kind) {
    case 'replaced':
      return 'replaced'
    case 'parent-closed':
      return 'going-away'
    case 'failed':
      return 'failed'
    default:
      return 'done'
  }
}
