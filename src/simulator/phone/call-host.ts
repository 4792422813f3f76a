import { after } from '../../core/clock.ts'
import { type PlacedCall, webhookFields } from './call-options.ts'
import { newSid } from './ids.ts'
import type { Mouth } from './mouth.ts'
import { type NoticeCode, Notices } from './notice.ts'
import { OffHook } from './off-hook.ts'
import type { Recording } from './recording.ts'
import { askWebhook, isXml } from './request.ts'
import { type Route, routeTo } from './route.ts'
import type { CallEnd, Errand, ScriptHost } from './script.ts'
import { signRequest } from './signature.ts'
import { type StreamEvent, tellStatus } from './status-callback.ts'
import { PhoneStream } from './stream.ts'
import type { StreamEnd } from './stream-report.ts'
import { parseTwiml, type StreamNoun, type Twiml } from './twiml.ts'
import { openTwin } from './twin.ts'
import { upgrade } from './upgrade.ts'

/** Twilio's side of one call: fetches, waits and streams as its TwiML says. The call owns it. */
export class CallHost implements ScriptHost {
  readonly streams: PhoneStream[] = []
  readonly errors = new Notices(100)
  readonly texts: string[] = []
  readonly #call: PlacedCall
  readonly #mouth: Mouth
  readonly #recording: Recording | undefined
  readonly #onStart: () => void
  readonly #offHook: OffHook
  readonly #callbacks = new Set<Promise<void>>()
  readonly #over = new AbortController()
  #step = new AbortController()
  #status = 'ringing'
  #hungUp: CallEnd | undefined
  #update: Twiml | undefined

  constructor(call: PlacedCall, mouth: Mouth, recording: Recording | undefined, onStart: () => void) {
    this.#call = call
    this.#mouth = mouth
    this.#recording = recording
    this.#onStart = onStart
    this.#offHook = new OffHook(call.line, mouth)
  }

  get hungUp(): CallEnd | undefined {
    return this.#hungUp
  }

  get updated(): boolean {
    return this.#update !== undefined
  }

  /** The newest stream; it may have ended. */
  get current(): PhoneStream | undefined {
    return this.streams.at(-1)
  }

  takeUpdate(): Twiml | undefined {
    const update = this.#update
    this.#update = undefined
    return update
  }

  /** The party hangs up: whatever is being done ends now. */
  hangUp(): void {
    this.#hungUp ??= { kind: 'hangup', code: undefined, reason: 'the party hung up' }
    this.#interrupt()
  }

  /** Other instructions, as by `calls(sid).update({ twiml })`. */
  update(twiml: string): void {
    this.#update = parseTwiml(twiml, this.#call)
    this.#interrupt()
  }

  /** After the last verb. Waits for what is still being told to the status callback. */
  async close(): Promise<void> {
    this.#offHook.close()
    this.#over.abort()
    await Promise.all(this.#callbacks)
  }

  async fetch({ url, method }: Errand): Promise<Twiml> {
    const { authToken, quirks, clock, log } = this.#call
    const route = this.#route(url)
    if (!route) return { ok: false, code: 11100, why: `${url} is not a URL` }
    const fields = webhookFields(this.#call, this.#status)
    this.#status = 'in-progress'
    const key = quirks.webhookSignature ? forgedKey(quirks.webhookSignature, authToken) : authToken
    const { signal } = this.#begin()
    const answer = await askWebhook({ url, method, fields, route, clock, authToken: key, signal })
    if (!answer.ok) return answer
    log.debug({ callSid: this.#call.callSid, status: answer.status }, 'webhook answered')
    if (!isXml(answer.type))
      return { ok: false, code: 12300, why: `content type ${answer.type || 'missing'}` }
    return parseTwiml(answer.body, this.#call)
  }

  said(text: string): void {
    this.texts.push(text)
  }

  error(code: NoticeCode, text: string): void {
    const { clock, log, callSid } = this.#call
    this.errors.add(code, text, clock.now())
    log.warn({ callSid, code, text }, 'the call met an error')
  }

  pause(seconds: number): Promise<void> {
    const { signal } = this.#begin()
    return new Promise(resolve => {
      const timer = after(this.#call.clock, seconds * 1000, resolve)
      const abort = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  async stream(noun: StreamNoun): Promise<StreamEnd> {
    const parameters = { ...noun.parameters, ...this.#call.quirks.parameters }
    const stream = this.#newStream(parameters)
    this.streams.push(stream)
    await this.#open(stream, noun, parameters)
    this.#onStart()
    const end = await stream.ended
    this.#offHook.resume()
    if (end.by === 'refused') return end
    if (end.by === 'network') this.error(31903, end.reason || 'the connection broke')
    if (end.by === 'server' && end.code !== 1000 && end.code !== 1005)
      this.error(31921, `the server closed with ${end.code} ${end.reason}`.trim())
    this.#tell(noun, stream.streamSid, 'stream-stopped')
    return end
  }

  #newStream(parameters: Readonly<Record<string, string>>): PhoneStream {
    const { clock, line, quirks, callSid, accountSid, gapWithinMs, onMedia, onSent } = this.#call
    return new PhoneStream({
      ids: { accountSid, callSid, streamSid: newSid('MZ') },
      parameters,
      clock,
      line,
      quirks,
      gapWithinMs,
      recording: this.#recording,
      packet: due => this.#mouth.packet(due),
      onMedia,
      onSent,
    })
  }

  /** Opens the socket and begins, or ends the stream with what the server answered. */
  async #open(
    stream: PhoneStream,
    noun: StreamNoun,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    const route = this.#route(noun.url)
    if (!route) return stream.refuse(0, `${noun.url} is not a URL`)
    const signature = this.#streamSignature(noun.url)
    const opened = await upgrade(route, signature, socket => stream.attach(socket), this.#begin().signal)
    if (!opened.ok) {
      stream.refuse(opened.status ?? 0, opened.why)
      if (!this.#hungUp) this.error(opened.code, opened.why)
      this.#tell(noun, stream.streamSid, 'stream-error', opened.why)
      return
    }
    this.#offHook.pause()
    stream.start()
    this.#call.log.debug({ callSid: this.#call.callSid, streamSid: stream.streamSid }, 'stream started')
    this.#tell(noun, stream.streamSid, 'stream-started')
    if (this.#call.quirks.twinSocket) void this.#openTwin(stream, route, signature, parameters)
    if (this.#hungUp || this.#update) stream.stop()
  }

  #route(url: string): Route | undefined {
    const { publicUrl, webhook, resolve, proxied } = this.#call
    return URL.canParse(url) ? routeTo(url, { publicUrl, localUrl: webhook, resolve, proxied }) : undefined
  }

  #begin(): AbortController {
    this.#step = new AbortController()
    if (this.#hungUp) this.#step.abort()
    return this.#step
  }

  #interrupt(): void {
    this.#step.abort()
    this.current?.stop()
  }

  async #openTwin(
    stream: PhoneStream,
    route: Route,
    signature: string | undefined,
    parameters: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { accountSid, callSid } = this.#call
    const ids = { accountSid, callSid, streamSid: newSid('MZ') }
    stream.twin = await openTwin(route, signature, ids, parameters, this.#over.signal)
  }

  #streamSignature(url: string): string | undefined {
    const { authToken, quirks } = this.#call
    switch (quirks.streamSignature) {
      case 'none':
        return undefined
      case 'wrong-token':
        return signRequest(forgedKey('wrong-token', authToken) ?? '', url)
      case 'https':
        return signRequest(authToken ?? '', url.replace(/^ws/, 'http'))
      case 'other-path':
        return signRequest(authToken ?? '', `${url}/other`)
      default:
        return authToken && signRequest(authToken, url)
    }
  }

  #tell(noun: StreamNoun, streamSid: string, event: StreamEvent, error?: string): void {
    const { accountSid, callSid, authToken, clock } = this.#call
    const route = noun.statusCallback === undefined ? undefined : this.#route(noun.statusCallback)
    if (!route) return
    const ids = { accountSid, callSid, streamSid }
    const told = tellStatus({ noun, ids, event, error, route, authToken, clock })
      .then(failure => void (failure && this.error(15003, failure)))
      .finally(() => this.#callbacks.delete(told))
    this.#callbacks.add(told)
  }
}

function forgedKey(kind: 'none' | 'wrong-token', authToken: string | undefined): string | undefined {
  return kind === 'none' ? undefined : `not-${authToken ?? 'the-token'}`
}
