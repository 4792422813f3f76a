import { connect, type Socket } from 'node:net'
import { bytesOf, samplesOf } from '../../src/transcode/pcm.ts'
import type { PhoneAudio } from '../phone/phone-audio.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const FRAME_TYPES: Readonly<Record<number, number>> = { 8000: 0x10, 16000: 0x12 }
/** Frames that the channel queues before it drops them: Asterisk plays audio when it arrives (2 s). */
const MAX_QUEUED = 100

/**
 * What real streams were seen to send: frames without audio, or `MEDIA_START` after more than a second of audio (asterisk#1712,
 * chan_websocket only).
 */
export type AsteriskReading = 'empty frames' | 'late start'

export interface AudioStreamOptions {
  readonly address: string
  readonly uuid: string
  readonly audio: PhoneAudio
  readonly reading?: AsteriskReading | undefined
  /** Reports a frame for which Asterisk would end the channel, or audio that it could not play in time. */
  readonly fault: (text: string) => void
}

/**
 * The channel driver of AudioSocket, as Asterisk 22 behaves: the UUID first, then 20 ms of audio in each frame, and keys.
 * The end of the connection ends only this channel.
 */
export class AudioStream {
  /** Settles when the connection is closed, or could not be opened. */
  readonly ended: Promise<void>
  readonly #options: AudioStreamOptions
  readonly #socket: Socket
  readonly #queue: Int16Array[] = []
  #bytes: Buffer = Buffer.alloc(0)
  #rate = 0

  constructor(options: AudioStreamOptions) {
    const { address, uuid, audio, fault } = options
    this.#options = options
    const [host = '', port = ''] = address.split(':')
    if (!UUID.test(uuid)) fault(`AudioSocket: failed to parse UUID ${JSON.stringify(uuid)}`)
    this.#rate = audio.rate
    this.#socket = connect({ host, port: Number(port), noDelay: true })
    this.#socket.on('connect', () => this.#start())
    this.#socket.on('data', data => this.#receive(data))
    this.#socket.on('error', () => {})
    this.ended = new Promise(resolve =>
      this.#socket.on('close', () => {
        audio.stop()
        resolve()
      }),
    )
  }

  press(digit: string): void {
    this.#write(0x03, Buffer.from(digit))
  }

  /** The call is over: Asterisk closes the connection without a frame. */
  close(): void {
    this.#options.audio.stop()
    this.#socket.end()
  }

  /** Breaks the connection. */
  drop(): void {
    this.#socket.resetAndDestroy()
  }

  #start(): void {
    const { uuid, audio, reading } = this.#options
    this.#write(0x01, Buffer.from(uuid.replaceAll('-', ''), 'hex'))
    const type = FRAME_TYPES[audio.rate] ?? 0
    audio.start(voice => {
      this.#write(type, bytesOf(voice))
      if (reading === 'empty frames')
        for (let empty = 0; empty < 2; empty++) this.#write(0x10, Buffer.alloc(0))
      return this.#queue.shift()
    })
  }

  #write(type: number, payload: Uint8Array): void {
    const header = Buffer.from([type, payload.length >> 8, payload.length & 0xff])
    if (this.#socket.writable) this.#socket.write(Buffer.concat([header, payload]))
  }

  #receive(data: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, data])
    while (this.#bytes.length >= 3) {
      const end = 3 + this.#bytes.readUInt16BE(1)
      if (this.#bytes.length < end) return
      this.#obey(this.#bytes[0] ?? 0, this.#bytes.subarray(3, end))
      this.#bytes = this.#bytes.subarray(end)
    }
  }

  #obey(type: number, payload: Buffer): void {
    const { fault } = this.#options
    if (type === 0x00) this.#socket.end()
    else if (type !== FRAME_TYPES[this.#rate]) {
      fault(`AudioSocket: frame of type 0x${type.toString(16)}`)
      this.#socket.destroy()
    } else if (payload.length === 0 || payload.length % 2 !== 0) {
      fault(`AudioSocket: audio of ${payload.length} bytes`)
      this.#socket.destroy()
    } else this.#play(payload)
  }

  #play(payload: Buffer): void {
    const pcm = samplesOf(payload)
    const size = this.#rate / 50
    if (pcm.length !== size) this.#options.fault(`AudioSocket: audio of ${pcm.length} samples, not ${size}`)
    if (this.#queue.length >= MAX_QUEUED) this.#options.fault('AudioSocket: audio faster than real time')
    else this.#queue.push(pcm)
  }
}
