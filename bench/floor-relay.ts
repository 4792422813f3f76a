/**
 * The shared part of both floors: a relay without any audio work. Messages in, parsed, into fragments, to the service with acks;
 * prepared frames back. A floor decides only when it sends which frames.
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
/** 20 ms of µ-law. */
export const FRAME_BYTES = 160
/** Duration of a result, without decoding it. */
export const UTTERANCE_MS = 2200

/** The option's type does not include false; without it the client offers compression. */
const WITHOUT_DEFLATE: object = { perMessageDeflate: false }

interface Start {
  customParameters: Record<string, string>
}

/** The frames of one leg. */
export interface FloorPlayer {
  /** A result has arrived. */
  result(now: number): void
  /** Sends everything that is due. */
  tick(now: number): void
}

/** Creates the player of a stream; `message` builds a media message with base64 µ-law. */
export type CreatePlayer = (socket: WebSocket, message: (payload: string) => string) => FloorPlayer

const legs = new Set<FloorLeg>()
const { service, mode } = subjectOptions()

class FloorLeg {
  readonly #socket: WebSocket
  readonly #createPlayer: CreatePlayer
  #player: FloorPlayer | undefined
  #service: Socket | undefined
  #ready = false
  #fragment = Buffer.allocUnsafe(FRAGMENT_BYTES)
  #frames = 0
  readonly #waiting: Buffer[] = []

  constructor(socket: WebSocket, createPlayer: CreatePlayer) {
    this.#socket = socket
    this.#createPlayer = createPlayer
    socket.on('message', (data: Buffer) => this.#message(JSON.parse(data.toString())))
    socket.on('close', () => {
      legs.delete(this)
      this.#service?.disconnect()
    })
  }

  tick(now: number): void {
    this.#player?.tick(now)
  }

  #message(message: { event: string; streamSid: string; [field: string]: unknown }): void {
    if (message.event === 'start') this.#start(message.streamSid, message.start as Start)
    else if (message.event === 'media') this.#media((message.media as { payload: string }).payload)
  }

  #start(streamSid: string, start: Start): void {
    const message = (payload: string) => JSON.stringify({ event: 'media', streamSid, media: { payload } })
    const player = this.#createPlayer(this.#socket, message)
    this.#player = player
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
    this.#service.on('result', () => player.result(performance.now()))
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

/** Accepts calls on a free port, which it announces to the bench. */
export function serveFloor(createPlayer: CreatePlayer): void {
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
  sockets.on('connection', socket => new FloorLeg(socket, createPlayer))
  new Ticker(systemClock, 20, now => {
    for (const leg of legs) leg.tick(now)
  })
  http.listen(0, '127.0.0.1', () => announce((http.address() as AddressInfo).port))
}
