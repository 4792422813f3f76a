/**
 * The floor: a relay without any audio work. Messages in, parsed, into fragments, to the service with acks; prepared
 * frames back on one absolute 20 ms grid. Everything that a bridge costs above this is its own cost.
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
const QUIET = Buffer.alloc(FRAME_BYTES, 0xff).toString('base64')
const LOUD = Buffer.alloc(FRAME_BYTES, 0x20).toString('base64')
/** Duration of a result; nothing is decoded here. */
const UTTERANCE_MS = 2200

/** The option's type does not include false; without it the client offers compression. */
const WITHOUT_DEFLATE: object = { perMessageDeflate: false }

const { service, mode } = subjectOptions()
const legs = new Set<FloorLeg>()

class FloorLeg {
  readonly #socket: WebSocket
  #service: Socket | undefined
  #streamSid = ''
  #quiet = ''
  #loud = ''
  #startedAt = 0
  #sent = 0
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

  /** Sends every frame that is due. */
  tick(now: number): void {
    for (const due = Math.floor((now - this.#startedAt) / 20) + 1; this.#sent < due; this.#sent++)
      this.#socket.send(now < this.#loudUntil ? this.#loud : this.#quiet)
  }

  #message(message: { event: string; streamSid: string; [field: string]: unknown }): void {
    if (message.event === 'start') this.#start(message.streamSid, message.start as Start)
    else if (message.event === 'media') this.#media((message.media as { payload: string }).payload)
  }

  #start(streamSid: string, start: Start): void {
    this.#streamSid = streamSid
    this.#quiet = this.#canned(QUIET)
    this.#loud = this.#canned(LOUD)
    this.#startedAt = performance.now()
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
      this.#loudUntil = performance.now() + UTTERANCE_MS
    })
  }

  #canned(payload: string): string {
    return JSON.stringify({ event: 'media', streamSid: this.#streamSid, media: { payload } })
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
