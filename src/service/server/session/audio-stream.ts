import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Clock, setTimer, Ticker } from '../../../common/clock.ts'
import { createMp3, type Mp3Encoder, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'

/** Interval at which silence is added (ms). */
const TICK_MS = 100
/** Silence is added up to this far ahead of a real-time reader: slightly more than the encoder holds back (ms). */
const LEAD_MS = 400
/** New speech waits while the stream is this far ahead of a real-time reader. */
const MOST_AHEAD_MS = 15_000
/** Time a reader has to read the rest after the session has ended. */
const LINGER_MS = 5 * 60_000

export interface AudioStreamOptions {
  readonly mp3: LiveMp3
  readonly clock: Clock
  /** Maximum number of bytes buffered for a reader, or until one connects. */
  readonly maxUnreadBytes: number
  /** Called when audio was dropped because it was not read, once per reader or period without one. */
  readonly lost: (description: string) => void
}

/**
 * The mp3 of a session, read over HTTP. Speech is sent once it is made; in between, silence keeps pace with the
 * clock, so that a player never runs dry. Without a reader the stream pauses and buffers the newest speech, up to the
 * limit. There is one reader at a time; a new one replaces the old one.
 */
export class AudioStream {
  readonly #options: AudioStreamOptions
  #reader: Readable | undefined
  #ticker: Ticker | undefined
  /** Clock time at which a real-time reader is, or would have been, at the start of the mp3. */
  #origin = 0
  #kept: { readonly bytes: Uint8Array; readonly ms: number }[] = []
  #keptBytes = 0
  #told = false
  #ended = false
  #waiting: (() => void)[] = []

  /** Takes ownership of `mp3` and finishes it at the end. */
  constructor(options: AudioStreamOptions) {
    this.#options = options
  }

  /**
   * Opens a new reader, which receives the buffered audio and then everything. Ends the previous reader. Destroying the
   * reader disconnects it.
   */
  open(): Readable {
    const reader = new Readable({ read() {} })
    reader.on('error', () => {})
    reader.once('close', () => this.#left(reader))
    this.#reader?.push(null)
    this.#reader = reader
    this.#told = false
    if (this.#ended) {
      reader.push(null)
      return reader
    }
    const { mp3, clock } = this.#options
    const keptMs = this.#kept.reduce((sum, { ms }) => sum + ms, 0)
    this.#origin = clock.now() - (mp3.positionMs - keptMs)
    for (const { bytes } of this.#kept.splice(0)) if (bytes.length > 0) reader.push(bytes)
    this.#keptBytes = 0
    this.#fill()
    this.#ticker ??= new Ticker(clock, TICK_MS, () => this.#fill())
    return reader
  }

  /** Resolves when there is room for more speech; never rejects. */
  async room(): Promise<void> {
    while (this.#reader && !this.#ended && this.#aheadMs > MOST_AHEAD_MS)
      await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Prepares for speech at `rate` Hz. */
  async tune(rate: number): Promise<void> {
    this.#deliver(await this.#options.mp3.tune(rate), 0)
  }

  /** Adds speech at the rate last passed to `tune`. */
  write(pcm: Int16Array): void {
    const { mp3 } = this.#options
    const before = mp3.positionMs
    const bytes = mp3.speech(pcm)
    this.#deliver(bytes, mp3.positionMs - before)
  }

  /** Ends the stream; the reader has some minutes to read the rest. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#deliver(this.#options.mp3.finish(), 0)
    this.#ended = true
    this.#kept = []
    this.#stop()
    const reader = this.#reader
    if (!reader) return
    reader.push(null)
    const late = setTimer(this.#options.clock, LINGER_MS, () => reader.destroy())
    reader.once('close', () => late[Symbol.dispose]())
  }

  get #aheadMs(): number {
    const { mp3, clock } = this.#options
    return mp3.positionMs - (clock.now() - this.#origin)
  }

  #fill(): void {
    const missing = LEAD_MS + TICK_MS - this.#aheadMs
    if (missing > TICK_MS / 2) this.#deliver(this.#options.mp3.silence(missing), missing)
    if (this.#aheadMs <= MOST_AHEAD_MS) this.#wake()
  }

  #deliver(bytes: Uint8Array, ms: number): void {
    if (this.#ended) return
    const { maxUnreadBytes } = this.#options
    const reader = this.#reader
    if (!reader) this.#keep(bytes, ms)
    else if (reader.readableLength + bytes.length > maxUnreadBytes) {
      this.#left(reader)
      reader.destroy()
      this.#tell(`the reader of the audio stream was ${maxUnreadBytes} bytes behind and was cut off`)
    } else if (bytes.length > 0) reader.push(bytes)
  }

  #keep(bytes: Uint8Array, ms: number): void {
    const { maxUnreadBytes } = this.#options
    this.#kept.push({ bytes, ms })
    this.#keptBytes += bytes.length
    let lost = 0
    while (this.#keptBytes > maxUnreadBytes) {
      const oldest = this.#kept.shift()!
      this.#keptBytes -= oldest.bytes.length
      lost += oldest.bytes.length
    }
    if (lost > 0) this.#tell(`the audio stream has no reader, only its last ${maxUnreadBytes} bytes are kept`)
  }

  #tell(description: string): void {
    if (!this.#told) this.#options.lost(description)
    this.#told = true
  }

  #left(reader: Readable): void {
    if (this.#reader !== reader) return
    this.#reader = undefined
    this.#stop()
  }

  #stop(): void {
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** Path prefix of streams. */
export const STREAM_PATH = '/stream/'

/** Headers with which pages of all origins may play a stream: its path is the only credential. */
export const STREAM_ORIGINS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'range',
  'cross-origin-resource-policy': 'cross-origin',
}

/** The streams of the open sessions, each at an unguessable path. The path is the only credential. */
export class AudioStreams {
  readonly #streams = new Map<string, AudioStream>()

  /** Serves `stream` at the returned path until `withdraw` is called with it. */
  offer(stream: AudioStream): string {
    const name = `${randomBytes(32).toString('base64url')}.mp3`
    this.#streams.set(name, stream)
    return `${STREAM_PATH}${name}`
  }

  withdraw(path: string): void {
    this.#streams.delete(path.slice(STREAM_PATH.length))
  }

  find(name: string): AudioStream | undefined {
    return this.#streams.get(name)
  }
}

/** An mp3 of indefinite length, made of speech and requested silence. */
export class LiveMp3 {
  readonly #to: Mp3Rate
  #encoder: Mp3Encoder
  /** Input sample rate of the encoder (Hz). */
  #from: number
  #positionMs = 0
  #finished = false

  private constructor(encoder: Mp3Encoder, to: Mp3Rate) {
    this.#encoder = encoder
    this.#from = to
    this.#to = to
  }

  /** Creates an mp3 of `rate` Hz. */
  static async create(rate: Mp3Rate): Promise<LiveMp3> {
    return new LiveMp3(await createMp3(rate, rate), rate)
  }

  /** Duration of the input so far; up to the last 0.1 s of it can still be in the encoder. */
  get positionMs(): number {
    return this.#positionMs
  }

  /**
   * Prepares for speech at `rate` Hz; returns the bytes that became ready. An encoder has a fixed rate, so a new one
   * takes over: frames of the same kind follow, with some hundredths of a second of silence at the joint.
   */
  async tune(rate: number): Promise<Uint8Array> {
    if (rate === this.#from) return new Uint8Array(0)
    const next = await createMp3(rate, this.#to)
    if (this.#finished) return new Uint8Array(0)
    const rest = this.#encoder.finish()
    this.#encoder = next
    this.#from = rate
    return rest
  }

  /** Adds speech at the rate last passed to `tune`; returns the bytes that became ready. */
  speech(pcm: Int16Array): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#positionMs += (pcm.length / this.#from) * 1000
    return this.#encoder.encode(pcm)
  }

  silence(ms: number): Uint8Array {
    return this.speech(new Int16Array(Math.ceil((ms * this.#from) / 1000)))
  }

  /** Returns the last bytes; later input is ignored. */
  finish(): Uint8Array {
    if (this.#finished) return new Uint8Array(0)
    this.#finished = true
    return this.#encoder.finish()
  }
}
