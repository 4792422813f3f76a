import { type BackoffPolicy, backoffMs } from '../../../common/backoff.ts'
import { type Clock, setTimer, Ticker } from '../../../common/clock.ts'
import { rms } from '../../../transcode/level.ts'
import { durationMs, FRAME_SAMPLES, Framer } from '../../../transcode/pcm.ts'
import { VoiceActivity } from '../../../transcode/voice-activity.ts'
import type { SpeechStream } from '../engine.ts'
import { AudioHistory, samplesIn } from './audio-history.ts'
import { SocketFault } from './engine-socket.ts'
import { LiveConnection, type LiveConnectionListener } from './live-connection.ts'
import type { LiveProtocol } from './live-protocol.ts'

export interface LiveStreamOptions {
  readonly protocol: LiveProtocol
  readonly clock: Clock
  /** Time without speech after which the connection is closed until someone speaks (ms). */
  readonly quietMs: number
  /** Every attempt to connect, by its outcome. */
  readonly connected: (fault: SocketFault | undefined) => void
  /** Its owner closes it: results are no longer needed. Called before it closes, once. */
  readonly closed: () => void
  /** The stream has failed; called once. */
  readonly failed: (fault: SocketFault) => void
}

/** A place in the audio where the speaker has paused for `pauseMs`. */
interface Pause {
  /** Position (samples). */
  readonly at: number
  /** Start of the speech before it (ms). */
  readonly speechFromMs: number
}

/** Audio before speech that a new connection gets after a quiet time (ms). */
const LEAD_MS = 500
/** Maximum length of unanswered audio that is repeated on a new connection (ms). */
const MOST_REPEATED_MS = 15_000
/** Audio this long after speech is considered answered (ms): there was nothing to recognize. */
const NOTHING_MS = 5_000
/** Time without audio after which the utterance in progress is finished (ms). */
const STALL_MS = 800
/** Interval of the stream's housekeeping (ms), and length of inserted silence. */
const TICK_MS = 100
const RETRY: BackoffPolicy = { firstMs: 250, maxMs: 4_000 }
/** Consecutive failed attempts after which a stream fails, so that another engine can take over. */
const MOST_ATTEMPTS = 5
/** A connection that has lasted this long was a success (ms). */
const STABLE_MS = 10_000
/** A connection is replaced in a pause within this time before its end, and at the latest just before it (ms). */
const RENEW_LEAD_MS = 30_000
const RENEW_LAST_MS = 2_000
/** Audio that can be sent at once in spite of a speed limit (ms). */
const BURST_MS = 1_000

/**
 * The stream of one speaker at a service with its own connection per speaker. It outlives its connections: they are
 * replaced when they break or expire, repeating the audio that was not answered, and closed while no one speaks,
 * because services charge for silence.
 *
 *   asleep ──speech──▶ connecting ──confirmed──▶ open ──quiet──▶ asleep
 *                      ▲     └──refused for good──▶ failed  │
 *                      └───────back-off──broken, expired────┘
 */
export class LiveStream implements SpeechStream {
  readonly #options: LiveStreamOptions
  readonly #history = new AudioHistory()
  readonly #activity = new VoiceActivity()
  readonly #frames: Framer
  readonly #closed = new AbortController()
  #left = false
  #connection: LiveConnection | undefined
  /** Settles when the attempt to connect is over. */
  #connecting: Promise<void> | undefined
  #ticker: Ticker | undefined
  #retry: Disposable | undefined
  #pace: Disposable | undefined
  #attempts = 0
  /** Position up to which audio was sent (samples), and up to which it has been answered. */
  #sent = 0
  #answered = 0
  /** Arrival time of the last audio, and end of the last speech (position, ms). */
  #arrivedAt: number
  #spokeAt = 0
  #framesMs = 0
  /** Start of the speech since the last pause (ms). */
  #speechFromMs = 0
  /** Pauses in the audio that a new connection might get again, in order. */
  #pauses: Pause[] = []
  #paused = true
  /** Arrival time of the oldest audio that was not sent. */
  #waitsSince: number | undefined
  /** Clock time at which the service ends the connection. */
  #endsAt = Number.POSITIVE_INFINITY

  private constructor(options: LiveStreamOptions) {
    this.#options = options
    this.#arrivedAt = options.clock.now()
    this.#frames = new Framer(FRAME_SAMPLES, frame => this.#listen(frame))
  }

  /** Opens the stream with its first connection. Rejects with a `SocketFault`. */
  static async open(options: LiveStreamOptions): Promise<LiveStream> {
    const stream = new LiveStream(options)
    try {
      const connection = await stream.#connect(0)
      if (connection.fault) throw connection.fault
      stream.#connection = connection
    } catch (error) {
      // Nobody has it.
      stream.#left = true
      await stream.close()
      throw error
    }
    stream.#ticker = new Ticker(options.clock, TICK_MS, () => stream.#tick())
    return stream
  }

  get queuedMs(): number {
    return durationMs(Math.max(0, this.#history.end - Math.max(this.#answered, this.#quietFrom())))
  }

  get waitingMs(): number {
    return Math.min(durationMs(this.#history.end - this.#sent), this.queuedMs)
  }

  get behindMs(): number {
    if (this.#connection || this.#waitsSince === undefined) return 0
    return this.#options.clock.now() - this.#waitsSince
  }

  write(pcm: Int16Array): void {
    if (this.#closed.signal.aborted) return
    this.#arrivedAt = this.#options.clock.now()
    this.#waitsSince ??= this.#arrivedAt
    this.#history.push(pcm)
    this.#frames.write(pcm)
    this.#pump()
  }

  async close(): Promise<void> {
    if (!this.#left) this.#options.closed()
    this.#left = true
    if (this.#closed.signal.aborted) return this.#connecting
    this.#closed.abort()
    this.#ticker?.[Symbol.dispose]()
    this.#retry?.[Symbol.dispose]()
    this.#pace?.[Symbol.dispose]()
    this.#connection?.close()
    this.#connection = undefined
    await this.#connecting
  }

  /** Time since speech, in the audio of the stream and since it stopped arriving (ms). */
  get #quietMs(): number {
    return this.#framesMs - this.#spokeAt + (this.#options.clock.now() - this.#arrivedAt)
  }

  /** Position from which the audio has no speech. */
  #quietFrom(): number {
    return this.#connection?.busy ? 0 : this.#activity.speaking ? 0 : samplesIn(this.#spokeAt + LEAD_MS)
  }

  #listen(frame: Int16Array): void {
    this.#framesMs += durationMs(frame.length)
    if (!this.#activity.frame(rms(frame), this.#framesMs)) {
      const { pauseMs } = this.#options.protocol
      if (this.#paused || pauseMs === undefined || this.#framesMs - this.#spokeAt < pauseMs) return
      this.#paused = true
      this.#pauses.push({ at: samplesIn(this.#framesMs), speechFromMs: this.#speechFromMs })
      return
    }
    this.#spokeAt = this.#framesMs
    if (this.#paused) this.#speechFromMs = this.#framesMs - durationMs(frame.length)
    this.#paused = false
  }

  /** Sends what has arrived, as fast as the service takes it. */
  #pump(): void {
    const connection = this.#connection
    if (!connection) {
      if (this.#activity.speaking) this.#wake()
      else if (this.#retry === undefined && this.#connecting === undefined) this.#doze()
      return
    }
    const { protocol, clock } = this.#options
    let until = this.#history.end
    if (protocol.fastest !== undefined) {
      const allowedMs = (clock.now() - connection.openedAt) * protocol.fastest + BURST_MS
      until = Math.min(until, this.#sent + samplesIn(Math.max(0, allowedMs - connection.sentMs)))
    }
    for (const pause of this.#pauses) {
      if (pause.at <= this.#sent || pause.at > until) continue
      this.#send(connection, pause.at)
      connection.pause()
    }
    this.#send(connection, until)
    if (this.#connection !== connection) return
    if (until >= this.#history.end) this.#waitsSince = undefined
    else
      this.#pace ??= setTimer(clock, TICK_MS, () => {
        this.#pace = undefined
        this.#pump()
      })
    this.#forget()
  }

  #send(connection: LiveConnection, until: number): void {
    if (until <= this.#sent) return
    this.#history.read(this.#sent, until, pcm => connection.audio(pcm))
    this.#sent = until
  }

  /** Start of the speech that is being sent (ms). */
  get #sentSpeechFromMs(): number {
    return this.#pauses.find(({ at }) => at >= this.#sent)?.speechFromMs ?? this.#speechFromMs
  }

  /** Asleep: keeps only the lead of the next speech. */
  #doze(): void {
    this.#sent = Math.max(this.#sent, this.#history.end - samplesIn(LEAD_MS))
    this.#answered = this.#sent
    this.#waitsSince = undefined
    this.#history.forget(this.#sent)
  }

  #forget(): void {
    const quiet = !this.#connection?.busy && this.#quietMs > NOTHING_MS
    if (quiet) this.#answered = Math.max(this.#answered, this.#sent - samplesIn(NOTHING_MS))
    this.#answered = Math.max(this.#answered, this.#sent - samplesIn(MOST_REPEATED_MS))
    this.#history.forget(this.#answered)
    while (this.#pauses[0] && this.#pauses[0].at < this.#history.start) this.#pauses.shift()
  }

  #tick(): void {
    const connection = this.#connection
    if (!connection) return
    const { protocol, clock, quietMs } = this.#options
    const now = clock.now()
    const stalled = now - this.#arrivedAt >= STALL_MS
    if (protocol.continuous && connection.idleMs >= 2 * TICK_MS) connection.silence(TICK_MS)
    if (!this.#paused && stalled && this.#sent >= this.#history.end) {
      this.#paused = true
      this.#pauses.push({ at: this.#sent, speechFromMs: this.#speechFromMs })
      connection.pause()
    }
    if (protocol.keepAliveMs !== undefined && connection.idleMs >= protocol.keepAliveMs)
      connection.keepAlive()
    if (this.#connection !== connection) return
    if (this.#quietMs >= quietMs && !connection.busy) this.#sleep(connection)
    else this.#renewInTime(connection, now)
  }

  #sleep(connection: LiveConnection): void {
    this.#connection = undefined
    this.#endsAt = Number.POSITIVE_INFINITY
    connection.close()
    this.#doze()
  }

  #renewInTime(connection: LiveConnection, now: number): void {
    const leftMs = this.#endsAt - now
    if (leftMs > RENEW_LEAD_MS) return
    const inPause = !connection.busy && !this.#activity.speaking && this.#quietMs > LEAD_MS
    if (!inPause && leftMs > RENEW_LAST_MS) return
    if (inPause) this.#answered = this.#sent
    this.#replace(connection)
  }

  /** Closes `connection` and opens another one, from the first sample that was not answered. */
  #replace(connection: LiveConnection): void {
    this.#connection = undefined
    this.#endsAt = Number.POSITIVE_INFINITY
    connection.close()
    this.#wake()
  }

  /** Connects, unless it already does or waits for the next attempt. */
  #wake(): void {
    if (this.#closed.signal.aborted || this.#connecting || this.#retry) return
    this.#sent = Math.max(this.#answered, this.#history.start)
    const start = this.#sent
    this.#connecting = this.#connect(start)
      .then(
        connection => {
          if (connection.fault) {
            this.#again(connection.fault)
            return
          }
          this.#connection = connection
        },
        (fault: SocketFault) => this.#again(fault),
      )
      .finally(() => {
        this.#connecting = undefined
        if (this.#connection) this.#pump()
      })
  }

  async #connect(start: number): Promise<LiveConnection> {
    const { protocol, clock, connected } = this.#options
    let mine: LiveConnection | undefined
    const stream = this
    const listener: LiveConnectionListener = {
      get quietMs() {
        return stream.#quietMs
      },
      get speechFromMs() {
        return stream.#sentSpeechFromMs
      },
      answered: streamMs => {
        this.#attempts = 0
        this.#answered = Math.max(this.#answered, Math.min(samplesIn(streamMs), this.#sent))
      },
      renewIn: ms => {
        this.#endsAt = Math.min(this.#endsAt, clock.now() + ms)
      },
      failed: fault => {
        if (mine) this.#broken(mine, fault)
      },
    }
    try {
      this.#endsAt = Number.POSITIVE_INFINITY
      mine = await LiveConnection.open(start, { protocol, clock }, listener, this.#closed.signal)
      connected(undefined)
      return mine
    } catch (error) {
      const fault =
        error instanceof SocketFault
          ? error
          : new SocketFault('failed to connect', { passing: false, cause: error })
      if (!this.#closed.signal.aborted) connected(fault)
      throw fault
    }
  }

  #broken(connection: LiveConnection, fault: SocketFault): void {
    // It can break while it is being opened: then the attempt rejects.
    if (this.#connection !== connection) return
    this.#connection = undefined
    if (this.#options.clock.now() - connection.openedAt > STABLE_MS) this.#attempts = 0
    this.#again(fault)
  }

  #again(fault: SocketFault): void {
    if (this.#closed.signal.aborted) return
    if (!fault.passing || ++this.#attempts >= MOST_ATTEMPTS) {
      this.#ticker?.[Symbol.dispose]()
      this.#closed.abort()
      this.#options.failed(fault)
      return
    }
    this.#retry = setTimer(this.#options.clock, backoffMs(this.#attempts, RETRY), () => {
      this.#retry = undefined
      this.#wake()
    })
  }
}
