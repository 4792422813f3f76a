import type { Clock } from '../../common/clock.ts'
import { describeEnd, type EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import { type Leg, type LegUplink, MAX_KEYS_PER_SECOND } from '../../core/model/leg.ts'
import { durationMs, FRAME_SAMPLES, SILENT_FRAME } from '../../transcode/pcm.ts'
import { GuardedSocket, type LegTransport, type SocketListener } from '../websocket/guarded-socket.ts'
import { HEADER_BYTES, isPacketLength, MOST_FRAMES, MOST_PACKET_BYTES, writeHeader } from './audio-packet.ts'
import { CLOSE_CODES, type CloseCause, type PageSocket } from './close-codes.ts'
import { BrowserLegCounters } from './leg-counters.ts'
import type { BrowserLimits } from './limits.ts'
import { NumberedMarks } from './numbered-marks.ts'
import { PageTimeline } from './page-timeline.ts'
import { type Outbound, type PageMessage, parse, type VisitEnd } from './protocol.ts'

/** Samples per millisecond. */
const PER_MS = 16
const HUNG_UP: EndReason = { kind: 'hangup', by: 'remote' }

// Shared by all legs: they hold data only while one message is processed, synchronously.
const BYTES = Buffer.allocUnsafeSlow(MOST_FRAMES * FRAME_SAMPLES * 2)
const FRAMES = Array.from(
  { length: MOST_FRAMES },
  (_, n) => new Int16Array(BYTES.buffer, n * FRAME_SAMPLES * 2, FRAME_SAMPLES),
)

export interface BrowserLegOptions {
  readonly id: string
  /** Id of the session: shared by all its legs. */
  readonly call: string
  readonly clock: Clock
  readonly limits: BrowserLimits
  readonly log: Logger
  /** Handles requests of the page that concern its session, not its leg. */
  readonly requested: (message: Extract<PageMessage, { kind: 'change' | 'invite' }>, now: number) => void
}

/** Guards the socket of a page. Its owner attaches a listener in the same tick, and closes it. */
export function pageSocket(transport: LegTransport, clock: Clock, limits: BrowserLimits): PageSocket {
  return new GuardedSocket<CloseCause, BrowserLegCounters>(transport, {
    clock,
    limits,
    counters: new BrowserLegCounters(),
    codes: CLOSE_CODES,
    text: { maxBytes: limits.maxTextBytes, isAudio: false },
    binary: { maxBytes: MOST_PACKET_BYTES, isAudio: true },
    peer: 'page',
  })
}

/** Sends `message` as text, unless the socket is closing. */
export function tell(socket: Pick<PageSocket, 'send'>, message: Outbound): void {
  socket.send(JSON.stringify(message))
}

/** One connection of a page, as a leg. This file follows it: message, hear, play, mark and flush, watch, close. */
export class BrowserLeg implements Leg, SocketListener<CloseCause> {
  readonly id: string
  readonly channel = 'browser'
  readonly call: string
  readonly counters: BrowserLegCounters
  readonly #options: BrowserLegOptions
  readonly #socket: PageSocket
  readonly #timeline: PageTimeline
  readonly #marks = new NumberedMarks()
  readonly #keyRate: TokenBucket
  readonly #ended = Promise.withResolvers<EndReason>()
  #uplink: LegUplink | undefined
  #alive = true
  #endTold = false
  /** Number of the next message to the page, and the time of the first (ms). */
  #sequence = 0
  #begin: number | undefined
  /** End of all audio sent so far, as a page without delay plays it, relative to the first message (samples). */
  #playedUntil = 0

  /** Takes over an admitted socket. */
  static open(socket: PageSocket, options: BrowserLegOptions): BrowserLeg {
    const leg = new BrowserLeg(socket, options)
    socket.attach(leg)
    socket.trust()
    return leg
  }

  private constructor(socket: PageSocket, options: BrowserLegOptions) {
    const { id, call, clock, limits } = options
    const now = clock.now()
    this.id = id
    this.call = call
    this.counters = socket.counters
    this.#options = options
    this.#socket = socket
    this.#timeline = new PageTimeline(socket.counters, limits, now)
    this.#keyRate = new TokenBucket(MAX_KEYS_PER_SECOND, MAX_KEYS_PER_SECOND, now)
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
  }

  message(data: Buffer, isBinary: boolean, now: number): string | undefined {
    if (isBinary) {
      if (!isPacketLength(data.length)) return 'audio'
      this.#hear(data, now)
      return undefined
    }
    const message = parse(data.toString('utf8'))
    switch (message.kind) {
      case 'mark':
        this.#played(this.#marks.heard(message.id))
        return undefined
      case 'ping':
        this.tell({ kind: 'pong', at: message.at })
        return undefined
      case 'key':
        this.#press(message.digit, now)
        return undefined
      case 'report':
        this.counters.underruns = message.underruns
        this.counters.skippedMs = message.skippedMs
        return undefined
      case 'change':
      case 'invite':
        this.#options.requested(message, now)
        return undefined
      case 'bye':
        this.#end(HUNG_UP)
        void this.#socket.close('done')
        return undefined
      case 'hello':
      case 'resume':
      case 'unknown':
        this.counters.ignored++
        return undefined
      default:
        return message.fault
    }
  }

  #press(digit: string, now: number): void {
    if (this.#keyRate.take(now) < 0) {
      this.counters.floodDropped++
      return
    }
    this.#uplink?.dtmf(digit)
    this.counters.keys++
  }

  /** Passes on the frames of one message, after silence in place of those missing before it. */
  #hear(packet: Buffer, now: number): void {
    const count = (packet.length - HEADER_BYTES) / (FRAME_SAMPLES * 2)
    const timeline = this.#timeline
    if (!timeline.place(packet.readUInt32LE(4), count, now)) return
    for (let n = 0; n < timeline.fill; n++) if (timeline.take(now)) this.#emit(SILENT_FRAME)
    packet.copy(BYTES, 0, HEADER_BYTES)
    for (let n = timeline.skip; n < count; n++) if (timeline.take(now)) this.#emit(FRAMES[n]!)
  }

  #emit(frame: Int16Array): void {
    this.counters.framesIn++
    this.#uplink?.write(frame)
  }

  /** Incoming audio that was replaced by silence or arrived too late (ms). */
  get lostMs(): number {
    return this.counters.gapsFilledMs + this.counters.backlogDroppedMs
  }

  /** Sends one message of any whole number of frames. Sends nothing once the leg has ended. */
  play(frames: Int16Array): void {
    if (!this.#alive) return
    this.counters.sentMs += durationMs(frames.length)
    this.#socket.send(this.#packet(frames))
  }

  /** The message with `frames`, and with the time at which a page without delay plays them. */
  #packet(frames: Int16Array): Buffer {
    const now = this.#options.clock.now()
    this.#begin ??= now
    const at = Math.max(this.#playedUntil, Math.round((now - this.#begin) * PER_MS))
    this.#playedUntil = at + frames.length
    const packet = Buffer.allocUnsafe(HEADER_BYTES + frames.byteLength)
    writeHeader(new DataView(packet.buffer, packet.byteOffset, HEADER_BYTES), this.#sequence++, at)
    packet.set(new Uint8Array(frames.buffer, frames.byteOffset, frames.byteLength), HEADER_BYTES)
    return packet
  }

  mark(name: string): void {
    if (!this.#alive) return
    this.counters.marksSent++
    this.tell({ kind: 'mark', id: this.#marks.send(name) })
  }

  /** The page played all audio before mark `name`; undefined for a mark that was flushed or never sent. */
  #played(name: string | undefined): void {
    if (name === undefined) {
      this.counters.marksStale++
      return
    }
    this.counters.marksHeard++
    this.#uplink?.marked(name)
  }

  flush(): void {
    if (!this.#alive) return
    this.counters.flushes++
    this.#marks.flush()
    if (this.#begin !== undefined)
      this.#playedUntil = Math.round((this.#options.clock.now() - this.#begin) * PER_MS)
    this.tell({ kind: 'flush' })
  }

  tell(message: Outbound): void {
    tell(this.#socket, message)
  }

  get congested(): boolean {
    return this.#socket.congested
  }

  /** Supervises a quiet page, and passes on silence. Called several times a second. */
  watch(now: number): void {
    this.#socket.watch(now)
    if (!this.#alive) return
    for (let n = this.#timeline.silence(now); n > 0; n--) this.#emit(SILENT_FRAME)
  }

  closed(reason: EndReason): void {
    this.#end(reason)
  }

  fault(fault: string, err?: unknown): void {
    const about = { channel: this.channel, legId: this.id, fault }
    if (err === undefined) this.#options.log.warn(about, 'leg protocol violation')
    else this.#options.log.error({ ...about, error: String(err) }, 'leg failed')
  }

  /** Tells the page why the session is about to end. Only the first reason is sent. */
  tellEnd(why: VisitEnd): void {
    if (!this.#endTold) this.tell({ kind: 'ended', why })
    this.#endTold = true
  }

  get ended(): Promise<EndReason> {
    return this.#ended.promise
  }

  /**
   * Settles `ended` at once. The returned promise waits for the socket, which is terminated if it does not close in
   * time.
   */
  close(reason: EndReason): Promise<void> {
    if (this.#alive) this.tellEnd(endOf(reason))
    this.#end(reason)
    return this.#socket.close(causeOf(reason))
  }

  /** Ends the leg, unless it has ended. */
  #end(reason: EndReason): void {
    if (!this.#alive) return
    this.#alive = false
    this.#socket.detach()
    const about = { legId: this.id, reason: describeEnd(reason) }
    this.#options.log.info({ ...about, ...this.counters }, 'browser connection ended')
    this.#ended.resolve(reason)
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
