import Fastify, { type FastifyInstance } from 'fastify'
import { type ClientOptions, WebSocket } from 'ws'
import twilioBridge, { sign, type TwilioBridgeOptions } from '../../../src/bridges/phone/twilio/index.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { Admission, Invitation } from '../../../src/core/model/invitation.ts'
import type { Leg } from '../../../src/core/model/leg.ts'
import { LogLines } from '../log-lines.ts'

export const AUTH_TOKEN = '12345'
export const PUBLIC_URL = 'https://bridge.example.com'
export const MEDIA_URL = 'wss://bridge.example.com/twilio/media'

/** A relay that accepts every leg and records what it delivers. */
export class TestRelay implements Admission {
  readonly admitted: Admitted[] = []
  refuse: Error | undefined

  admit(leg: Leg, invitation: Invitation): void {
    if (this.refuse) throw this.refuse
    this.admitted.push(new Admitted(leg, invitation))
  }
}

export class Admitted {
  readonly leg: Leg
  readonly invitation: Invitation
  readonly frames: Int16Array[] = []
  readonly marks: string[] = []
  readonly digits: string[] = []
  ended: EndReason | undefined

  constructor(leg: Leg, invitation: Invitation) {
    this.leg = leg
    this.invitation = invitation
    leg.attach({
      write: frame => void this.frames.push(frame.slice()),
      marked: name => void this.marks.push(name),
      dtmf: digit => void this.digits.push(digit),
    })
    void leg.ended.then(reason => {
      this.ended = reason
    })
  }

  /** All frames concatenated. */
  get pcm(): Int16Array {
    return Int16Array.from(this.frames.flatMap(frame => Array.from(frame)))
  }
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** The bridge on a real server with a free port, and Twilio’s requests to it. */
export class Harness implements AsyncDisposable {
  readonly app: FastifyInstance
  readonly relay: TestRelay
  readonly log: LogLines
  readonly sockets: Party[] = []
  /** Address of the bridge’s routes. */
  readonly mount: string
  readonly #port: number

  private constructor(app: FastifyInstance, relay: TestRelay, log: LogLines, mount: string, port: number) {
    this.app = app
    this.mount = mount
    this.relay = relay
    this.log = log
    this.#port = port
  }

  /** `within`: prefix of the host’s scope in which the bridge is registered. */
  static async open(options: Partial<TwilioBridgeOptions> = {}, within = ''): Promise<Harness> {
    const host = Fastify()
    let app: FastifyInstance = host
    const relay = new TestRelay()
    const log = new LogLines()
    const signed = options.insecure ? {} : { publicUrl: PUBLIC_URL, authTokens: [AUTH_TOKEN] }
    const scope = async (inside: FastifyInstance) => {
      app = inside
      await inside.register(twilioBridge, {
        relay,
        log,
        invite: call => ({ room: call.callId, speaks: 'en-us', hears: 'es-es' }),
        ...signed,
        ...options,
        // A stop is an immediate hang-up, unless the test is about it.
        limits: { stoppedMs: 0, ...options.limits },
      })
    }
    if (within === '') await scope(host)
    else await host.register(scope, { prefix: within })
    await host.listen({ port: 0, host: '127.0.0.1' })
    const address = host.server.address()
    if (typeof address !== 'object' || !address) throw new Error('not listening')
    const mount = `${within}${options.prefix ?? ''}${options.path ?? '/twilio'}`
    return new Harness(app, relay, log, mount, address.port)
  }

  /** Sends a webhook, signed unless `signature` is given. */
  async post(path: string, fields: Record<string, string>, signature?: string | null): Promise<Answer> {
    const header = signature === undefined ? sign(AUTH_TOKEN, PUBLIC_URL + path, fields) : signature
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: header === null ? {} : { 'x-twilio-signature': header },
    })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: await response.text(),
    }
  }

  /** Places a call, and returns the token for its stream. */
  async ring(callSid: string): Promise<string> {
    return tokenIn((await this.post(`${this.mount}/voice`, fieldsOf(callSid))).body)
  }

  /** Opens a media socket; the upgrade is signed unless `signature` is given. */
  async dial(
    signature: string | null = sign(AUTH_TOKEN, `${PUBLIC_URL.replace('https', 'wss')}${this.mount}/media`),
    path = `${this.mount}/media`,
    options: ClientOptions = { perMessageDeflate: false },
  ): Promise<Party> {
    const headers: Record<string, string> = signature === null ? {} : { 'x-twilio-signature': signature }
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}${path}`, { ...options, headers })
    const party = new Party(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    this.sockets.push(party)
    return party
  }

  /** A whole call up to its `start`: the peer and what the relay received. */
  async call(callSid: string, streamSid = `MZ${callSid}`): Promise<{ party: Party; admitted: Admitted }> {
    return this.stream(callSid, await this.ring(callSid), streamSid)
  }

  /** Opens another stream of a call, as after a broken connection. */
  async again(callSid: string, streamSid: string): Promise<{ party: Party; admitted: Admitted }> {
    const { body } = await this.post(`${this.mount}/resume`, {
      ...fieldsOf(callSid),
      CallStatus: 'in-progress',
    })
    return this.stream(callSid, tokenIn(body), streamSid)
  }

  /** Opens a stream with `token`, up to its `start`. */
  async stream(
    callSid: string,
    token: string,
    streamSid: string,
  ): Promise<{ party: Party; admitted: Admitted }> {
    const party = await this.dial()
    party.connected()
    party.start({ callSid, streamSid, token })
    const admitted = await until(() => this.relay.admitted.find(each => each.leg === this.#legOf(streamSid)))
    return { party, admitted }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const party of this.sockets) party.socket.terminate()
    await this.app.close()
  }

  #legOf(streamSid: string): Leg | undefined {
    return [...this.app.twilio.legs].find(leg => leg.streamId === streamSid)
  }
}

/** Twilio’s end of a media socket. */
export class Party {
  readonly socket: WebSocket
  readonly received: {
    event: string
    streamSid: string
    media?: { payload: string }
    mark?: { name: string }
  }[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  streamSid = ''
  #sequence = 0
  #chunk = 0
  #timestamp = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', data => this.received.push(JSON.parse(String(data))))
    socket.on('error', () => {})
    this.closed = new Promise(resolve => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
  }

  raw(text: string | Buffer, binary = false): void {
    this.socket.send(text, { binary })
  }

  json(message: object): void {
    this.raw(JSON.stringify(message))
  }

  connected(): void {
    this.json({ event: 'connected', protocol: 'Call', version: '1.0.0' })
  }

  start({ callSid = '', streamSid = 'MZ1', token = '', format = {} }): void {
    this.streamSid = streamSid
    this.json({
      event: 'start',
      sequenceNumber: this.#next(),
      streamSid,
      start: {
        accountSid: 'AC1',
        streamSid,
        callSid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1, ...format },
        customParameters: token === '' ? {} : { token },
      },
    })
  }

  /** Sends audio, by default 20 ms of silence directly after the previous piece. */
  media(payload = SILENCE, timestamp = this.#timestamp): void {
    this.#timestamp = timestamp + 20
    this.json({
      event: 'media',
      sequenceNumber: this.#next(),
      media: { track: 'inbound', chunk: String(++this.#chunk), timestamp: String(timestamp), payload },
      streamSid: this.streamSid,
    })
  }

  mark(name: string): void {
    this.json({ event: 'mark', sequenceNumber: this.#next(), mark: { name }, streamSid: this.streamSid })
  }

  press(digit: string): void {
    this.json({ event: 'dtmf', sequenceNumber: this.#next(), dtmf: { digit }, streamSid: this.streamSid })
  }

  stop(): void {
    this.json({ event: 'stop', sequenceNumber: this.#next(), stop: {}, streamSid: this.streamSid })
  }

  #next(): string {
    return String(++this.#sequence)
  }
}

/** 20 ms of µ-law silence. */
export const SILENCE = Buffer.alloc(160, 0xff).toString('base64')

export function fieldsOf(callSid: string): Record<string, string> {
  return {
    CallSid: callSid,
    AccountSid: 'AC00000000000000000000000000000001',
    From: '+15005550006',
    To: '+15005550001',
    CallStatus: 'ringing',
    Direction: 'inbound',
  }
}

export function tokenIn(twiml: string): string {
  return /name="token" value="([^"]+)"/.exec(twiml)?.[1] ?? ''
}

/** Instructions without the second in which they were issued: a repeated request can fall into the next one. */
export function dateless<T extends { readonly body: string }>(response: T): T {
  return { ...response, body: response.body.replace(/dragoman-issued=\d+/, '') }
}

export function resumeUrlIn(twiml: string): string {
  const text = /<Redirect method="POST">([^<]+)</.exec(twiml)?.[1] ?? ''
  return text.replaceAll('&amp;', '&')
}

/** Waits until `look` finds something, in real time for real sockets. */
export async function until<T>(look: () => T | undefined | false, withinMs = 3_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error('timed out waiting')
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}
