/**
 * The floor with the signaling of the bridge: it sends sound only, in messages of 40 ms, 200 ms ahead of real time. The
 * rest is as in `floor.ts`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { io, type Socket } from 'socket.io-client'
import { type WebSocket, WebSocketServer } from 'ws'
import { systemClock, Ticker } from '../src/common/clock.ts'
import { announce, subjectOptions } from './subject.ts'

/** 60 ms of 16 kHz linear16, as the real bridge sends. */
const FRAGMENT_BYTES = 1920
const FRAMES_PER_FRAGMENT = 3
const FRAME_BYTES = 160
const MESSAGE_MS = 40
const LEAD_MS = 200
const LOUD = Buffer.alloc(2 * FRAME_BYTES, 0x20).toString('base64')
/** Duration of a result; nothing is decoded here. */
const UTTERANCE_MS = 2200

/** The option's type does not include false; without it the client offers compression. */
const WITHOUT_DEFLATE: object = { perMessageDeflate: false }

const { service, mode } = subjectOptions()
const legs = new Set<FloorLeg>()

class FloorLeg {
  readonly #socket: WebSocket
  #service: Socket | undefined
  #loud = ''
  /** The sound that is sent ends at the first time; all of it at the second. */
  #sentUntil = 0
  #loudUntil = 0
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

  /** Sends every message that is due. */
  tick(now: number): void {
    for (; this.#sentUntil < Math.min(now + LEAD_MS, this.#loudUntil); this.#sentUntil += MESSAGE_MS)
      this.#socket.send(this.#loud)
  }

  #message(message: { event: string; streamSid: string; [field: string]: unknown }): void {
    if (message.event === 'start') this.#start(message.streamSid, message.start as Start)
    else if (message.event === 'media') this.#media((message.media as { payload: string }).payload)
  }

  #start(streamSid: string, start: Start): void {
    this.#loud = JSON.stringify({ event: 'media', streamSid, media: { payload: LOUD } })
    legs.add(this)
    this.#service = io(`${service}/sts`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      ...WITHOUT_DEFLATE,
      auth: { token: 'simulated-key' },
      query: {
        languageIdSource: 'en-us',
        languageIdTarget: start.customParameters.hears ?? 'es-es',
        receiveAudio: JSON.stringify({ obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode }),
      },
    })
    this.#service.on('start', () => {
      this.#ready = true
      for (const fragment of this.#waiting.splice(0)) this.#emit(fragment)
    })
    this.#service.on('result', () => {
      const now = performance.now()
      // Of an utterance in pieces, the first one counts.
      if (now < this.#loudUntil) return
      this.#sentUntil = now
      this.#loudUntil = now + UTTERANCE_MS
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

interface Start {
  customParameters: Record<string, string>
}

function acknowledged(): void {}

const http = createServer((request, response) => {
  let body = ''
  request.on('data', chunk => {
    body += chunk
  })
  request.on('end', () => {
    const dialed = new URLSearchParams(body).get('To') ?? ''
    const { port } = http.address() as AddressInfo
    response.setHeader('content-type', 'text/xml')
    response.end(
      `<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="ws://127.0.0.1:${port}/twilio/media">` +
        `<Parameter name="hears" value="es-${dialed.slice(-3)}"/></Stream></Connect></Response>`,
    )
  })
})
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false, maxPayload: 65_536 })
sockets.on('connection', socket => new FloorLeg(socket))
new Ticker(systemClock, 20, now => {
  for (const leg of legs) leg.tick(now)
})
http.listen(0, '127.0.0.1', () => announce((http.address() as AddressInfo).port))
