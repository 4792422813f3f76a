import { isIP } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import type { CallHost } from './call-host.ts'
import type { PlacedCall } from './call-options.ts'
import type { OnTheLine, PhoneLine } from './line.ts'
import type { PhoneWire } from './profile.ts'
import type { Recording } from './recording.ts'
import type { StreamEnd } from './reports.ts'
import { forgedKey, type Route, routeOf } from './request.ts'
import { PhoneStream } from './stream.ts'
import type { StreamNoun } from './twiml.ts'
import { PACKET_MS, type PhoneSpeaker } from './voice.ts'

/** A participant continues to talk while no stream carries the voice: speech between two streams is lost, not delayed. */
class OffHook implements OnTheLine {
  readonly #line: PhoneLine
  readonly #mouth: PhoneSpeaker
  #since = 0
  #packets = 0
  #closed = false

  constructor(line: PhoneLine, mouth: PhoneSpeaker) {
    this.#line = line
    this.#mouth = mouth
  }

  /** Called when a stream has ended. */
  resume(): void {
    if (this.#closed) return
    this.#line.join(this)
    this.#since = this.#line.align()
    this.#packets = 0
  }

  /** Called when a stream has started. */
  pause(): void {
    this.#line.leave(this)
  }

  close(): void {
    this.#closed = true
    this.pause()
  }

  tick(now: number): void {
    for (let due = this.#due(); due <= now; due = this.#due()) {
      this.#mouth.packet(due)
      this.#packets++
    }
  }

  #due(): number {
    return this.#since + (this.#packets + 1) * PACKET_MS
  }
}

/** The media streams of one call, one at a time. The call's host owns it. */
export class CallStreams {
  /** In the order in which they were opened, including rejected ones. */
  readonly list: PhoneStream[] = []
  readonly #call: PlacedCall
  readonly #mouth: PhoneSpeaker
  readonly #recording: Recording | undefined
  readonly #owner: CallHost
  readonly #offHook: OffHook
  readonly #over = new AbortController()

  constructor(call: PlacedCall, mouth: PhoneSpeaker, recording: Recording | undefined, owner: CallHost) {
    this.#call = call
    this.#mouth = mouth
    this.#recording = recording
    this.#owner = owner
    this.#offHook = new OffHook(call.line, mouth)
  }

  /** The newest stream, open or ended. */
  get current(): PhoneStream | undefined {
    return this.list.at(-1)
  }

  /** Opens the stream that `<Connect>` requests; settles when it has ended. `onStart`: it has started, or was rejected. */
  async run(noun: StreamNoun, onStart: () => void): Promise<StreamEnd> {
    const parameters = { ...noun.parameters, ...this.#call.quirks.parameters }
    const stream = this.#newStream(parameters, attributesOf(noun))
    this.list.push(stream)
    await this.#open(stream, noun, parameters)
    onStart()
    const end = await stream.ended
    this.#offHook.resume()
    if (end.by === 'refused') return end
    if (end.by === 'network') this.#owner.error(31903, end.reason || 'the connection broke')
    if (end.by === 'server' && end.code !== 1000 && end.code !== 1005)
      this.#owner.error(31921, `the server closed with ${end.code} ${end.reason}`.trim())
    return end
  }

  /** Called after the last verb. */
  close(): void {
    this.#offHook.close()
    this.#over.abort()
  }

  #newStream(
    parameters: Readonly<Record<string, string>>,
    attributes: ReadonlyMap<string, string>,
  ): PhoneStream {
    const { profile, clock, line, quirks, callSid, accountSid, onMark, onMedia, onSent } = this.#call
    return new PhoneStream({
      ...{ profile, attributes },
      ids: { accountSid, callSid, streamSid: profile.newSid('MZ') },
      parameters,
      clock,
      line,
      quirks,
      recording: this.#recording,
      packet: due => this.#mouth.packet(due),
      onMark,
      onMedia,
      onSent,
    })
  }

  /** Opens the socket and starts the stream, or ends it with the server's answer. */
  async #open(
    stream: PhoneStream,
    noun: StreamNoun,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    const route = routeOf(noun.url, this.#call)
    if (!route) return stream.refuse(0, `${noun.url} is not a URL`)
    const fault = this.#call.profile.streamFault(attributesOf(noun))
    if (fault !== undefined) {
      stream.refuse(0, fault)
      return this.#owner.error(12200, fault)
    }
    const headers = this.#headers(noun)
    const opened = await upgrade(route, headers, socket => stream.attach(socket), this.#owner.begin())
    if (!opened.ok) {
      stream.refuse(opened.status ?? 0, opened.why)
      if (!this.#owner.interrupted) this.#owner.error(opened.code, opened.why)
      return
    }
    this.#offHook.pause()
    stream.start()
    this.#call.log.debug({ callSid: this.#call.callSid, streamSid: stream.streamSid }, 'stream started')
    if (this.#call.quirks.twinSocket) void this.#openTwin(stream, route, headers, noun, parameters)
    if (this.#owner.interrupted) stream.stop()
  }

  async #openTwin(
    stream: PhoneStream,
    route: Route,
    headers: Headers,
    noun: StreamNoun,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { accountSid, callSid, profile } = this.#call
    const ids = { accountSid, callSid, streamSid: profile.newSid('MZ') }
    const hello = (wire: PhoneWire) => [wire.connected() ?? [], wire.start(parameters)].flat()
    const wire = profile.wire(ids, attributesOf(noun))
    stream.twin = await openTwin(route, headers, hello(wire), this.#over.signal)
  }

  #headers(noun: StreamNoun): Headers {
    const { authToken, profile, quirks } = this.#call
    const signed = (key: string | undefined, url: string) => ({
      'user-agent': profile.streamAgent,
      ...profile.upgradeHeaders(key, { url, attributes: attributesOf(noun) }),
    })
    const { url } = noun
    switch (quirks.streamSignature) {
      case 'none':
        return { 'user-agent': profile.streamAgent }
      case 'wrong-token':
        return signed(forgedKey('wrong-token', authToken), url)
      case 'https':
        return signed(authToken ?? '', url.replace(/^ws/, 'http'))
      case 'other-path':
        return signed(authToken ?? '', `${url}/other`)
      default:
        return signed(authToken, url)
    }
  }
}

/** Headers by name. */
type Headers = Readonly<Record<string, string>>

/** Attributes of a `<Stream>` that carriers add to Twilio’s. */
function attributesOf({ attributes }: StreamNoun): ReadonlyMap<string, string> {
  return attributes ?? new Map()
}

/** Result of opening a socket. */
export type Upgrade =
  | { ok: true; socket: WebSocket }
  | { ok: false; code: number; status?: number; why: string }

const HANDSHAKE_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2_000
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Opens a WebSocket with exactly the headers that Twilio sends, in its order and case (observed in May 2026): no
 * `Origin`, no subprotocol, no extensions. `attach` runs before the first message can arrive; `signal` aborts the
 * attempt.
 */
function upgrade(
  route: Route,
  authentication: Headers,
  attach: (socket: WebSocket) => void,
  signal: AbortSignal,
): Promise<Upgrade> {
  return new Promise(resolve => {
    const options: ClientOptions & { closeTimeout: number } = {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      finishRequest(request) {
        const key = String(request.getHeader('sec-websocket-key'))
        for (const name of request.getHeaderNames()) request.removeHeader(name)
        for (const [name, value] of headersOf(route, key, authentication)) request.setHeader(name, value)
        request.end()
      },
    }
    // The name on the certificate; by default ws would check the address connected to.
    const name = URL.parse(`https://${route.headers.host ?? route.target.host}`)?.hostname ?? ''
    const servername = isIP(name.replace(/^\[|\]$/g, '')) === 0 ? { servername: name } : {}
    const socket = new WebSocket(route.target, { ...options, ...servername })
    attach(socket)
    const abort = () => socket.terminate()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('open', () => {
      signal.removeEventListener('abort', abort)
      resolve({ ok: true, socket })
    })
    socket.once('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      request.destroy()
      resolve({ ok: false, code: 31920, status, why: `the upgrade was answered with ${status}` })
    })
    socket.on('error', error => resolve({ ok: false, ...codeOf(error) }))
    socket.once('close', () => resolve({ ok: false, code: 31903, why: 'closed before it was open' }))
  })
}

function headersOf(
  route: Route,
  key: string,
  { 'user-agent': agent = '', ...authentication }: Headers,
): [string, string][] {
  const { host = route.target.host, ...added } = route.headers
  const headers: [string, string][] = [
    ['host', host],
    ['user-agent', agent],
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-version', '13'],
    ['sec-websocket-key', key],
  ]
  headers.push(...Object.entries(authentication), ['accept-encoding', 'gzip'], ...Object.entries(added))
  return headers
}

function codeOf(error: Error): { code: number; why: string } {
  const cause = 'code' in error ? error.code : undefined
  const why = error.message || String(cause)
  if (cause === 'ECONNREFUSED') return { code: 31902, why }
  if (cause === 'ENOTFOUND' || cause === 'EHOSTUNREACH') return { code: 31904, why }
  if (/handshake has timed out/.test(why)) return { code: 31901, why }
  if (/Unexpected server response|Invalid Sec-WebSocket|Server sent/.test(why)) return { code: 31920, why }
  if (/SSL|TLS|certificate|EPROTO/i.test(why)) return { code: 31910, why }
  return { code: 31900, why }
}

/**
 * Opens a second socket that sends the same `start` as the first, like an attacker with a stolen token. Settles with
 * its end, which `signal` can force; never rejects.
 */
async function openTwin(
  route: Route,
  authentication: Headers,
  hello: readonly string[],
  signal: AbortSignal,
): Promise<StreamEnd> {
  const opened = await upgrade(route, authentication, () => {}, signal)
  if (!opened.ok) return { by: 'refused', code: opened.status ?? 0, reason: opened.why }
  signal.addEventListener('abort', () => opened.socket.terminate(), { once: true })
  const ended = new Promise<StreamEnd>(resolve => {
    opened.socket.once('close', (code, reason) =>
      resolve({ by: code === 1006 ? 'network' : 'server', code, reason: reason.toString() }),
    )
  })
  for (const message of hello) opened.socket.send(message)
  return ended
}
