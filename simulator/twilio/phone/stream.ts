import type { WebSocket } from 'ws'
import type { Clock } from '../../../src/common/clock.ts'
import type { Quirks } from './call-options.ts'
import type { PhoneLine } from './line.ts'
import { PlayQueue } from './play-queue.ts'
import type { PhoneProfile, PhoneReader, PhoneWire } from './profile.ts'
import { isAudible, type Recording } from './recording.ts'
import type { StreamEnd, StreamReport } from './reports.ts'
import { Histogram, Notices } from './reports.ts'
import { containerOf } from './server-message.ts'
import { Uplink } from './uplink.ts'
import { SILENT_PACKET } from './voice.ts'
import type { StreamIds } from './wire.ts'

/** With more than this waiting in the socket, the server reads too slowly, and Twilio drops audio (31930). */
const MAX_BUFFERED_BYTES = 1_048_576
const OPEN = 1

export interface StreamOptions {
  profile: PhoneProfile
  attributes: ReadonlyMap<string, string>
  ids: StreamIds
  parameters: Readonly<Record<string, string>>
  clock: Clock
  line: PhoneLine
  quirks: Quirks
  recording: Recording | undefined
  /** Speech of the participant at a moment; undefined is silence. */
  packet: (due: number) => string | undefined
  onSent: ((due: number, now: number, timestampMs: number) => void) | undefined
  onMark: ((now: number, name: string) => void) | undefined
  onMedia: ((now: number, bytes: number, payload: string, audible: boolean) => void) | undefined
}

/** One media stream of a call: a socket, the uplink voice and the play queue. The call owns it. */
export class PhoneStream {
  readonly streamSid: string
  /** Settles once, never rejects. */
  readonly ended: Promise<StreamEnd>
  /** Protocol violations of the server. */
  readonly warnings = new Notices(1)
  readonly #options: StreamOptions
  readonly #wire: PhoneWire
  readonly #reader: PhoneReader
  readonly #queue = new PlayQueue()
  #resolveEnded: (end: StreamEnd) => void = () => {}
  #socket: WebSocket | undefined
  #uplink: Uplink | undefined
  #startedAt: number | undefined
  #stopping = false
  #failure = ''
  #end: StreamEnd | undefined
  /** Set by the call if the quirk requests a second socket. */
  twin: StreamEnd | undefined

  constructor(options: StreamOptions) {
    this.#options = options
    this.streamSid = options.ids.streamSid
    const { profile, ids, attributes } = options
    this.#wire = profile.wire(ids, attributes)
    this.#reader = profile.reader(ids, attributes)
    this.ended = new Promise(resolve => {
      this.#resolveEnded = resolve
    })
  }

  /** Attaches a socket that is not open yet, in the tick in which it was created. */
  attach(socket: WebSocket): void {
    this.#socket = socket
    socket.once('open', () => socket.once('close', (code, reason) => this.#closed(code, reason.toString())))
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    socket.on('error', error => {
      this.#failure = error.message
      const code = 'code' in error ? String(error.code) : ''
      if (code.startsWith('WS_ERR')) this.#warn(31924, `${code}: ${error.message}`)
    })
  }

  /** The socket is open: sends `connected` and `start`, and speaks from now on. */
  start(): void {
    const { line, quirks, clock } = this.#options
    if (this.#end) return
    const connected = this.#wire.connected()
    if (connected !== undefined) this.#send(connected)
    line.join(this)
    this.#startedAt = clock.now()
    const { packet, onSent, parameters } = this.#options
    if (quirks.mediaBeforeStart)
      for (let i = 0; i < 10; i++) this.#send(this.#wire.media(i * 20, SILENT_PACKET))
    this.#send(this.#wire.start(quirks.omitParameters ? undefined : parameters, quirks.callSid))
    if (quirks.unknownEvent) this.#send(this.#wire.unknown())
    const send = (message: string | Uint8Array) => this.#send(message)
    this.#uplink = new Uplink({ wire: this.#wire, quirks, startedAt: line.align(), packet, onSent, send })
  }

  /** There was no socket: the end is the server's answer. */
  refuse(status: number, reason: string): void {
    this.#finish({ by: 'refused', code: status, reason })
  }

  /** For the line: sends and returns everything that is due. */
  tick(now: number): void {
    this.#uplink?.tick(now)
    for (const name of this.#queue.advance(now)) this.#reached(name, now)
  }

  press(digit: string): void {
    this.#uplink?.inOrder(this.#options.clock.now(), this.#wire.dtmf(digit))
  }

  /** Time when everything sent so far is played, or was; minus infinity if no audio was sent. */
  get dryAt(): number {
    return this.#queue.dryAt
  }

  /** Sends `stop` and closes: the participant hung up, or the call received other instructions. */
  stop(): void {
    if (this.#stopping || this.#end) return
    this.#stopping = true
    this.#uplink?.flush()
    const last = this.#uplink && this.#wire.stop()
    if (last !== undefined) this.#send(last)
    this.#options.line.leave(this)
    this.#socket?.close(1000)
  }

  /** Breaks the connection: no `stop`, no close frame. */
  drop(): void {
    this.#options.line.leave(this)
    this.#socket?.terminate()
  }

  report(): StreamReport {
    return {
      streamSid: this.streamSid,
      startedAt: this.#startedAt,
      end: this.#end,
      playout: this.#queue.report(),
      sent: this.#uplink?.messages ?? 0,
      sendLateness: this.#uplink?.lateness ?? new Histogram(),
      twin: this.twin,
    }
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#stopping || this.#end) return
    const { clock, onMedia, recording } = this.#options
    const now = clock.now()
    const message = this.#reader.read(data, isBinary)
    switch (message.kind) {
      case 'media': {
        const container = containerOf(message.payload)
        if (container) this.#warn('NOT_MULAW', `media.payload starts like a ${container} file`)
        const audible = isAudible(message.payload)
        const heardAt = this.#queue.play(now, message.bytes, audible)
        if (heardAt === undefined) this.#warn(31931, 'more than 10 minutes of audio are queued')
        else recording?.add(heardAt, message.bytes, message.payload, audible)
        onMedia?.(now, message.bytes, message.payload, audible)
        return
      }
      case 'mark':
        // Marks that are due now return first, to keep their order.
        for (const name of this.#queue.advance(now)) this.#reached(name, now)
        if (this.#queue.mark(now, message.name)) this.#reached(message.name, now)
        return
      case 'clear':
        for (const name of this.#queue.advance(now)) this.#reached(name, now)
        recording?.cut(now)
        this.#cleared(this.#queue.clear(), now)
        return
      case 'wrong':
        this.#warn(message.code, message.why)
        return
      default:
        message satisfies never
    }
  }

  #reached(name: string, now: number): void {
    this.#options.onMark?.(now, name)
    this.#echo(name, now)
  }

  #cleared(marks: readonly string[], now: number): void {
    const message = this.#wire.cleared?.()
    if (message !== undefined) this.#uplink?.inOrder(now, message)
    else for (const name of marks) this.#echo(name, now)
  }

  #echo(name: string, now: number): void {
    this.#uplink?.inOrder(now, this.#wire.mark(name))
  }

  #send(message: string | Uint8Array): void {
    const socket = this.#socket
    if (!socket || socket.readyState !== OPEN) return
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES)
      this.#warn(31930, 'the server reads too slowly: audio is dropped')
    else socket.send(message)
  }

  #warn(code: number | 'NOT_MULAW', text: string): void {
    this.warnings.add(code, text, this.#options.clock.now())
  }

  #closed(code: number, reason: string): void {
    const by = this.#stopping ? 'phone' : code === 1006 ? 'network' : 'server'
    this.#finish({ by, code, reason: reason || this.#failure })
  }

  #finish(end: StreamEnd): void {
    if (this.#end) return
    const { line, clock, recording } = this.#options
    const now = clock.now()
    this.#end = end
    line.leave(this)
    recording?.cut(now)
    this.#resolveEnded(end)
  }
}
