import type { EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import { NumberedMarks } from '../websocket/mark-registry.ts'
import { SocketLeg } from '../websocket/socket-leg.ts'
import { Downlink, Uplink } from './leg-audio.ts'
import type { Inbound, VisitEnd } from './protocol.ts'
import type { BrowserLimits } from './settings.ts'
import type { CloseCause, LegCounters, TalkListener, TalkSocket } from './socket.ts'

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
export class BrowserLeg extends SocketLeg<CloseCause, LegCounters> implements TalkListener {
  readonly channel = 'browser'
  readonly call: string
  protected readonly uplink: Uplink
  readonly #options: LegOptions
  readonly #socket: TalkSocket
  readonly #downlink = new Downlink()
  readonly #marks = new NumberedMarks()
  #endTold = false

  /** Takes over an admitted socket. */
  static open(socket: TalkSocket, options: LegOptions): BrowserLeg {
    const leg = new BrowserLeg(socket, options)
    socket.attach(leg)
    socket.trust()
    return leg
  }

  private constructor(socket: TalkSocket, options: LegOptions) {
    const { id, call, limits, log } = options
    super({
      id,
      connection: socket,
      counters: socket.counters,
      limits,
      log,
      peer: 'page',
      causeOf,
      endEntry: { message: 'browser connection ended' },
    })
    this.call = call
    this.#options = options
    this.#socket = socket
    this.uplink = new Uplink(socket.counters, limits, socket.heardAt)
  }

  get socket(): Pick<TalkSocket, 'tell'> {
    return this.#socket
  }

  /** Incoming audio that was replaced by silence or arrived too late (ms). */
  get lostMs(): number {
    return this.counters.gapsFilledMs + this.counters.backlogDroppedMs
  }

  /** Tells the page why the session is about to end. Only the first reason is sent. */
  tellEnd(why: VisitEnd): void {
    if (!this.#endTold) this.#socket.tell({ kind: 'ended', why })
    this.#endTold = true
  }

  override close(reason: EndReason): Promise<void> {
    if (this.alive) this.tellEnd(endOf(reason))
    return super.close(reason)
  }

  audio(message: Buffer, now: number): void {
    this.counters.audioIn++
    this.uplink.write(message, now)
  }

  message(message: Exclude<Inbound, { kind: 'invalid' }>, now: number): void {
    switch (message.kind) {
      case 'mark':
        this.played(this.#marks.heard(message.id))
        return
      case 'ping':
        this.#socket.tell({ kind: 'pong', at: message.at })
        return
      case 'key':
        if (this.pressed(message.digit, now)) this.counters.keys++
        else this.counters.floodDropped++
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
        this.end(HUNG_UP)
        void this.shut('done')
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

  protected override sendAudio(frames: Int16Array): void {
    this.#socket.send(this.#downlink.encode(frames, this.#options.now()))
    this.counters.audioOut++
  }

  protected override sendMark(name: string): void {
    this.#socket.tell({ kind: 'mark', id: this.#marks.send(name) })
  }

  protected override sendFlush(): void {
    this.counters.flushes++
    this.#marks.flush()
    this.#downlink.flush(this.#options.now())
    this.#socket.tell({ kind: 'flush' })
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
