import { WebSocket } from 'ws'
import { bytesOf, samplesOf } from '../../src/transcode/pcm.ts'
import type { PhoneAudio } from '../phone/phone-audio.ts'
import type { AsteriskReading } from './audio-stream.ts'

/** A section of `websocket_client.conf`, which `Dial(WebSocket/…)` names. */
export interface WebSocketClient {
  readonly uri: string
  readonly username: string
  readonly password: string
}

/** Frames that the channel queues before it ignores messages, and at which it asks to pause (chan_websocket: `QUEUE_LENGTH_MAX`). */
const MAX_QUEUED = 1_000
const PAUSE_AT = 900
/** Maximum length of a command (chan_websocket: `MAX_TEXT_MESSAGE_LEN`). */
const MAX_COMMAND_BYTES = 128
const NORMAL = 1000
/** Frames before a late `MEDIA_START` (1.2 s). */
const LATE_FRAMES = 60

export interface WebSocketStreamOptions {
  readonly client: WebSocketClient
  /** Name of the section. */
  readonly connection: string
  /** Unique ID of the channel. */
  readonly channelId: string
  /** Variables that the channel inherits. */
  readonly variables: Readonly<Record<string, string>>
  readonly audio: PhoneAudio
  readonly reading?: AsteriskReading | undefined
  /** Called for each mark when all audio before it has been played. */
  readonly onMark?: ((name: string) => void) | undefined
  /** Reports a message that Asterisk would ignore, cut, or misread. */
  readonly fault: (text: string) => void
}

/**
 * The channel driver `chan_websocket`, as its source of August 2026 behaves with the options `c(slin)` or `c(slin16)` and `f(json)`:
 * events and commands as JSON, 20 ms of audio in each frame, a queue with marks. The end of the connection ends only this channel.
 */
export class WebSocketStream {
  /** Settles when the connection is closed, or could not be opened. */
  readonly ended: Promise<void>
  readonly #options: WebSocketStreamOptions
  readonly #socket: WebSocket
  /** Frames, and the marks after them. */
  #queue: (Int16Array | string)[] = []
  #frames = 0
  #full = false

  constructor(options: WebSocketStreamOptions) {
    const { client, audio, fault } = options
    this.#options = options
    const login = Buffer.from(`${client.username}:${client.password}`).toString('base64')
    this.#socket = new WebSocket(client.uri, 'media', {
      perMessageDeflate: false,
      headers: { authorization: `Basic ${login}` },
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#socket.on('open', () => this.#start())
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary) this.#play(data as Buffer)
      else this.#obey(data as Buffer)
    })
    this.#socket.on('unexpected-response', (_request, response) => {
      fault(`the upgrade was answered with HTTP ${response.statusCode}`)
      response.destroy()
      resolve()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      audio.stop()
      resolve()
    })
  }

  press(digit: string): void {
    this.#event('DTMF_END', { digit })
  }

  /** The call is over: Asterisk closes the connection. */
  close(): void {
    this.#options.audio.stop()
    this.#socket.close(NORMAL)
  }

  /** Breaks the connection. */
  drop(): void {
    this.#socket.terminate()
  }

  get #frameSamples(): number {
    return this.#options.audio.rate / 50
  }

  #start(): void {
    const { audio, reading } = this.#options
    let early = reading === 'late start' ? LATE_FRAMES : 0
    if (early === 0) this.#announce()
    audio.start(voice => {
      if (this.#socket.readyState === WebSocket.OPEN) {
        this.#socket.send(bytesOf(voice))
        if (reading === 'empty frames')
          for (let empty = 0; empty < 2; empty++) this.#socket.send(Buffer.alloc(0))
      }
      if (early > 0 && --early === 0) this.#announce()
      return this.#next()
    })
  }

  #announce(): void {
    const { connection, audio, variables } = this.#options
    const size = this.#frameSamples * 2
    this.#event('MEDIA_START', {
      connection_id: connection,
      channel: `WebSocket/${connection}/0x7f0000000000`,
      format: audio.rate === 16_000 ? 'slin16' : 'slin',
      optimal_frame_size: size,
      ptime: 20,
      channel_variables: {
        ...variables,
        ...{ MEDIA_WEBSOCKET_CONNECTION_ID: connection, MEDIA_WEBSOCKET_OPTIMAL_FRAME_SIZE: String(size) },
      },
    })
  }

  #event(event: string, fields: object): void {
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ event, channel_id: this.#options.channelId, ...fields }))
  }

  /** Confirms the marks at the head of the queue, which take no time, and returns the frame after them. */
  #next(): Int16Array | undefined {
    if (this.#full && this.#frames < PAUSE_AT - 100) {
      this.#full = false
      this.#event('MEDIA_XON', {})
    }
    for (let item = this.#queue.shift(); item !== undefined; item = this.#queue.shift()) {
      if (typeof item !== 'string') {
        this.#frames--
        return item
      }
      this.#options.onMark?.(item)
      this.#event('MEDIA_MARK_PROCESSED', { correlation_id: item })
    }
    return undefined
  }

  #play(data: Buffer): void {
    const { fault } = this.#options
    const size = this.#frameSamples * 2
    if (data.length === 0 || data.length % size !== 0)
      fault(`chan_websocket: the last ${data.length % size} of ${data.length} bytes are dropped`)
    for (let at = 0; at + size <= data.length; at += size) {
      if (this.#frames >= MAX_QUEUED) {
        fault('chan_websocket: the queue is full')
        return
      }
      this.#frames++
      this.#queue.push(samplesOf(data.subarray(at, at + size)))
      if (this.#full || this.#frames < PAUSE_AT) continue
      this.#full = true
      this.#event('MEDIA_XOFF', {})
    }
  }

  #obey(data: Buffer): void {
    const { fault } = this.#options
    if (data.length > MAX_COMMAND_BYTES) {
      fault(`chan_websocket: a command of ${data.length} bytes`)
      return
    }
    const command = parse(data.toString('utf8'))
    switch (command?.command) {
      case 'MARK_MEDIA':
        if (typeof command.correlation_id !== 'string') fault('chan_websocket: a mark without correlation_id')
        else this.#queue.push(command.correlation_id)
        return
      case 'FLUSH_MEDIA':
        this.#queue = []
        this.#frames = 0
        return
      case 'HANGUP':
        this.close()
        return
      default:
        fault(`chan_websocket: unknown command ${JSON.stringify(command?.command)}`)
    }
  }
}

function parse(text: string): { command?: unknown; correlation_id?: unknown } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
