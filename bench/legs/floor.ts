/**
 * The floor: a relay without audio processing. Messages in, parsed, in fragments to the service with acks; prepared frames back
 * with the signaling of the bridge: only sound, in messages of 40 ms, 200 ms ahead of real time. What a bridge costs above this
 * is its own.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { io, type Socket } from 'socket.io-client'
import { type WebSocket, WebSocketServer } from 'ws'
import { systemClock, Ticker } from '../../src/common/clock.ts'
import type { Listening } from './process.ts'

/** 100 ms of 16 kHz linear16, as the bridge sends. */
const FRAGMENT_BYTES = 3_200
const FRAMES_PER_FRAGMENT = 5
/** 20 ms of µ-law. */
const FRAME_BYTES = 160
/** Duration of a result, which is not decoded. */
const UTTERANCE_MS = 2_200
const MESSAGE_MS = 40
const LEAD_MS = 200
const SOUND = Buffer.alloc(2 * FRAME_BYTES, 0x20).toString('base64')

/** The option's type does not include false; without it the client offers compression. */
const WITHOUT_DEFLATE: object = { perMessageDeflate: false }

const { service } = parseArgs({ options: { service: { type: 'string', default: '' } } }).values
const legs = new Set<FloorLeg>()

class FloorLeg {
  readonly #socket: WebSocket
  #sound = ''
  #playedUntil = 0
  #soundUntil = 0
  #service: Socket | undefined
  #ready = false
  #fragment = Buffer.allocUnsafe(FRAGMENT_BYTES)
  #frames = 0
  readonly #waiting: Buffer[] = []

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => this.#message(JSON.parse(data.toString())))
    socket.on('close', () => {
      legs.delete(this)
      this.#service?.disconnect()
    })
  }

  /** Sends the sound that is due. */
  tick(now: number): void {
    while (this.#playedUntil < Math.min(this.#soundUntil, now + LEAD_MS)) {
      this.#playedUntil += MESSAGE_MS
      this.#socket.send(this.#sound)
    }
  }

  #message(message: { event: string; streamSid: string; [field: string]: unknown }): void {
    if (message.event === 'start')
      this.#start(message.streamSid, message.start as { customParameters: Record<string, string> })
    else if (message.event === 'media') this.#media((message.media as { payload: string }).payload)
  }

  #start(streamSid: string, { customParameters }: { customParameters: Record<string, string> }): void {
    this.#sound = JSON.stringify({ event: 'media', streamSid, media: { payload: SOUND } })
    legs.add(this)
    this.#service = io(`${service}/sts`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      ...WITHOUT_DEFLATE,
      auth: { token: 'simulated-key' },
      query: {
        languageIdSource: 'en-us',
        languageIdTarget: customParameters.hears ?? 'es-es',
        receiveAudio: JSON.stringify({
          ...{ obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'streaming' },
        }),
      },
    })
    this.#service.on('start', () => {
      this.#ready = true
      for (const fragment of this.#waiting.splice(0)) this.#emit(fragment)
    })
    this.#service.on('result', () => {
      const now = performance.now()
      // A result in pieces is one utterance.
      if (now < this.#soundUntil) return
      this.#playedUntil = now
      this.#soundUntil = now + UTTERANCE_MS
    })
  }

  #media(payload: string): void {
    this.#fragment.write(payload, this.#frames * FRAME_BYTES, 'base64')
    if (++this.#frames < FRAMES_PER_FRAGMENT) return
    if (this.#ready) this.#emit(this.#fragment)
    else this.#waiting.push(this.#fragment)
    this.#fragment = Buffer.allocUnsafe(FRAGMENT_BYTES)
    this.#frames = 0
  }

  #emit(fragment: Buffer): void {
    this.#service?.emit('write_stream', fragment, acknowledged)
  }
}

function acknowledged(): void {}

const http = createServer((request, response) => {
  let body = ''
  request.on('data', chunk => {
    body += chunk
  })
  request.on('end', () => {
    const dialed = new URLSearchParams(body).get('To') ?? ''
    response.setHeader('content-type', 'text/xml')
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="ws://127.0.0.1:${port()}/twilio/media">` +
        `<Parameter name="hears" value="es-${dialed.slice(-3)}"/></Stream></Connect></Response>`,
    )
  })
})
const port = () => (http.address() as AddressInfo).port
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false, maxPayload: 65_536 })
sockets.on('connection', socket => new FloorLeg(socket))
new Ticker(systemClock, 20, now => {
  for (const leg of legs) leg.tick(now)
})
http.listen(0, '127.0.0.1', () => {
  const listening: Listening = { kind: 'listening', port: port() }
  process.send?.(listening)
})
process.on('disconnect', () => process.exit(0))
