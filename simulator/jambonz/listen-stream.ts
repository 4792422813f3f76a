import { WebSocket } from 'ws'
import { bytesOf, samplesOf } from '../../src/transcode/pcm.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import type { PhoneAudio } from '../phone/phone-audio.ts'
import { PlayoutQueue } from './playout-queue.ts'
import type { ListenVerb } from './verbs.ts'

const SUBPROTOCOL = 'audio.jambonz.org'
/** Duration of a key press in RTP units, as a string (jambonz: `passDtmf`). */
const KEY_DURATION = '1600'
const CLOSE_NORMAL = 1000

/** What public sources show of the first message and of audio, besides the documented form. */
export type JambonzReading = 'nested metadata' | 'rate as text' | 'no rate' | 'empty frames'

export interface ListenOptions {
  readonly verb: ListenVerb
  /** The attributes of the call. */
  readonly call: Readonly<Record<string, unknown>>
  readonly audio: PhoneAudio
  /** Default: as documented. */
  readonly reading?: JambonzReading | undefined
  /** Called for every mark after the playback of all audio before it. */
  readonly onMark?: ((name: string) => void) | undefined
  /** Reports a message or an option that jambonz would ignore or misread. */
  readonly fault: (text: string) => void
}

/** The verb `listen`: a WebSocket with the audio of the call in both directions. Ends when the socket is closed. */
export class ListenStream {
  /** Settles when the socket is closed, or could not be opened. */
  readonly ended: Promise<void>
  readonly #options: ListenOptions
  readonly #socket: WebSocket
  readonly #queue: PlayoutQueue
  /** The odd last byte of a frame, which belongs to the next one. */
  #aside = Buffer.alloc(0)

  constructor(options: ListenOptions) {
    const { verb, audio, fault } = options
    this.#options = options
    const { url, wsAuth, bidirectionalAudio } = verb
    const rate = bidirectionalAudio.sampleRate ?? audio.rate
    this.#queue = new PlayoutQueue({
      ...{ rate, callRate: audio.rate },
      echo: (name, event) => {
        if (event === 'playout') options.onMark?.(name)
        this.#send(`{"type": "mark", "data": {"name":"${name}", "event": "${event}"}}`)
      },
    })
    if (bidirectionalAudio.streaming && bidirectionalAudio.sampleRate === undefined)
      fault('bidirectionalAudio.sampleRate is missing: jambonz has no default for it')
    const authorization =
      wsAuth && `Basic ${Buffer.from(`${wsAuth.username}:${wsAuth.password}`).toString('base64')}`
    this.#socket = new WebSocket(url, SUBPROTOCOL, {
      perMessageDeflate: false,
      headers: authorization === undefined ? {} : { authorization },
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#socket.on('open', () => this.#start())
    this.#socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
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

  /** Sends a key press, if the verb asks for them. */
  press(digit: string): void {
    if (this.#options.verb.passDtmf)
      this.#send(JSON.stringify({ event: 'dtmf', dtmf: digit, duration: KEY_DURATION }))
  }

  /** The call is over, or has received other verbs. */
  close(): void {
    this.#socket.close(CLOSE_NORMAL)
  }

  /** Breaks the connection. */
  drop(): void {
    this.#socket.terminate()
  }

  #start(): void {
    const { verb, call, audio, reading } = this.#options
    const { sampleRate, mixType, metadata } = verb
    const resampler = createResampler(audio.rate, sampleRate)
    const format = {
      ...(reading === 'no rate'
        ? {}
        : { sampleRate: reading === 'rate as text' ? String(sampleRate) : sampleRate }),
      mixType,
    }
    const added = reading === 'nested metadata' ? { metadata } : metadata
    this.#send(JSON.stringify({ ...format, ...call, ...added }))
    audio.start(voice => {
      if (reading === 'empty frames' && this.#socket.readyState === WebSocket.OPEN)
        for (let empty = 0; empty < 2; empty++) this.#socket.send(Buffer.alloc(0))
      if (this.#socket.readyState === WebSocket.OPEN)
        this.#socket.send(Buffer.from(bytesOf(resampler.process(voice))))
      return this.#queue.next(voice.length)
    })
  }

  #send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.#play(data)
    else this.#obey(data.toString('utf8'))
  }

  #play(data: Buffer): void {
    const { verb, fault } = this.#options
    const { enabled, streaming } = verb.bidirectionalAudio
    if (!enabled || !streaming) {
      fault('a binary frame although bidirectional audio is not streamed')
      return
    }
    if (data.toString('latin1', 0, 4) === 'RIFF') fault('a binary frame with a WAV header')
    const bytes = Buffer.concat([this.#aside, data])
    const length = bytes.length - (bytes.length % 2)
    this.#aside = Buffer.from(bytes.subarray(length))
    this.#queue.add(samplesOf(bytes.subarray(0, length)))
  }

  #obey(text: string): void {
    const { fault } = this.#options
    const message = parse(text)
    const name = message?.data?.name
    if (message?.type === 'killAudio') this.#queue.clear()
    else if (message?.type === 'mark' && typeof name === 'string') {
      if (!this.#queue.mark(name)) fault('a mark beyond the maximum of 30 outstanding ones')
    } else if (message?.type === 'disconnect') this.close()
    else fault('a text frame that jambonz does not know')
  }
}

function parse(text: string): { type?: unknown; data?: { name?: unknown } } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
