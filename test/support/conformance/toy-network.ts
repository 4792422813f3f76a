import Fastify, { type FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import type { CallOrder } from '../../../src/bridges/telephony/ports/carrier-api.ts'
import { decodeMulaw, encodeMulaw } from '../../../src/transcode/g711.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { pause } from '../until.ts'
import type { Callee, CarrierNetwork, CarrierPhone, PhoneEnd } from './telephony.ts'
import { ToyApi, type ToyStep, toySignature } from './toy-carrier.ts'

const LINE_RATE = 8_000
const FRAME = 160

/** The phone network of the toy carrier: a REST API on loopback, and phones that follow its steps. */
export class ToyNetwork implements CarrierNetwork {
  readonly api: ToyApi
  callee: Callee = 'answers'
  readonly secret: string
  readonly #app: FastifyInstance
  readonly #calls = new Map<string, OrderedCall>()
  readonly #phones: ToyPhone[] = []
  #bridge = ''
  #ids = 0

  private constructor(app: FastifyInstance, url: string, secret: string) {
    this.#app = app
    this.secret = secret
    this.api = new ToyApi(url, secret)
  }

  static async open(secret: string): Promise<ToyNetwork> {
    const app = Fastify({ forceCloseConnections: true })
    const calls = () => network.#calls
    app.addHook('onRequest', async (request, reply) =>
      request.headers.authorization === `Bearer ${secret}` ? undefined : reply.code(401).send(),
    )
    app.post('/calls', request => ({ call: network.#order(request.body as CallOrder) }))
    app.get<{ Params: { call: string } }>('/calls/:call', (request, reply) => {
      const call = calls().get(request.params.call)
      return call ? { state: call.state } : reply.code(404).send()
    })
    app.delete<{ Params: { call: string } }>('/calls/:call', (request, reply) => {
      const call = calls().get(request.params.call)
      if (!call) return reply.code(404).send()
      call.end('withdrawn')
      return {}
    })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const network = new ToyNetwork(app, url, secret)
    return network
  }

  serve(bridge: string): void {
    this.#bridge = bridge
  }

  async call(from: string, to: string): Promise<CarrierPhone> {
    const fields = { call: `in-${++this.#ids}`, account: 'toy-1', caller: from, called: to, way: 'in' }
    const phone = new ToyPhone(fields, this.secret)
    this.#phones.push(phone)
    void phone.follow(`${this.#bridge}/toy/voice`)
    return phone
  }

  async answered(): Promise<CarrierPhone> {
    for (let waited = 0; waited < 5_000; waited += 10) {
      for (const { phone } of this.#calls.values()) if (phone) return phone
      await pause(10)
    }
    throw new Error('nobody answered')
  }

  over(): boolean {
    return [...this.#calls.values()].every(({ state }) => state !== 'ringing' && state !== 'talking')
  }

  async forge(signature: 'none' | 'wrong'): Promise<{ webhook: number; upgrade: number }> {
    const headers: Record<string, string> =
      signature === 'none' ? {} : { 'toy-signature': toySignature('another', this.#bridge) }
    const { status } = await fetch(`${this.#bridge}/toy/voice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ call: 'forged', state: 'ringing' }),
    })
    const upgrade = await upgradeStatus(`${this.#bridge.replace('http', 'ws')}/toy/media`, headers)
    return { webhook: status, upgrade }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const phone of this.#phones) phone.hangUp()
    for (const call of this.#calls.values()) call.end('done')
    await this.#app.close()
  }

  #order(order: CallOrder): string {
    const id = `out-${++this.#ids}`
    this.#calls.set(id, new OrderedCall(id, order, this.callee, this.secret))
    return id
  }
}

/** The HTTP status that answers an upgrade; 101: accepted. */
export function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise(resolve => {
    const socket = new WebSocket(url, { headers })
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('error', () => {})
  })
}

/** A call ordered by the REST API. */
class OrderedCall {
  phone: ToyPhone | undefined
  state = 'ringing'
  readonly #order: CallOrder
  readonly #fields: Record<string, string>
  readonly #secret: string

  constructor(id: string, order: CallOrder, callee: Callee, secret: string) {
    this.#order = order
    this.#secret = secret
    this.#fields = { call: id, account: 'toy-1', caller: order.from, called: order.to, way: 'out' }
    void this.#ring(callee)
  }

  /** Ends it with `state`, unless it is over. */
  end(state: string): void {
    if (this.state !== 'ringing' && this.state !== 'talking') return
    this.phone?.hangUp()
    void this.#become(state)
  }

  async #ring(callee: Callee): Promise<void> {
    await pause(20)
    await this.#become('ringing')
    if (callee === 'rings') return
    await pause(30)
    if (callee === 'is-busy') return this.#become('busy')
    await this.#become('talking')
    this.phone = new ToyPhone({ ...this.#fields, state: 'talking' }, this.#secret)
    void this.phone.follow(this.#order.answerUrl).then(() => this.end('done'))
    const { machineUrl } = this.#order
    const listener = callee === 'is-a-machine' ? 'machine' : 'person'
    if (machineUrl !== undefined) await signedPost(machineUrl, { ...this.#fields, listener }, this.#secret)
  }

  async #become(state: string): Promise<void> {
    this.state = state
    await signedPost(this.#order.statusUrl, { ...this.#fields, state }, this.#secret)
  }
}

async function signedPost(url: string, fields: Record<string, string>, secret: string): Promise<ToyStep[]> {
  const body = JSON.stringify(fields)
  const headers = { 'content-type': 'application/json', 'toy-signature': toySignature(secret, url, body) }
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
  return response?.status === 200 ? ((await response.json()) as ToyStep[]) : []
}

/** A phone in a call: takes its steps in order, and hears in real time. */
class ToyPhone implements CarrierPhone {
  readonly ended: Promise<PhoneEnd>
  readonly #said: string[] = []
  readonly #fields: Record<string, string>
  readonly #secret: string
  readonly #end: (end: PhoneEnd) => void
  #over = false
  #stream: ToyStream | undefined
  readonly #heard: Int16Array[] = []
  #keys = ''

  constructor(fields: Record<string, string>, secret: string) {
    this.#fields = fields
    this.#secret = secret
    const { promise, resolve } = Promise.withResolvers<PhoneEnd>()
    this.ended = promise
    this.#end = end => {
      this.#over = true
      resolve(end)
    }
  }

  async follow(url: string): Promise<void> {
    let state = this.#fields.state ?? 'ringing'
    let next: { url: string; keys?: string } | undefined = { url }
    while (next && !this.#over) {
      const { url: at, ...keys } = next
      const steps = await signedPost(at, { ...this.#fields, state, ...keys }, this.#secret)
      state = 'talking'
      next = await this.#take(steps)
    }
    this.#end('hung-up')
  }

  async #take(steps: readonly ToyStep[]): Promise<{ url: string; keys?: string } | undefined> {
    for (const step of steps) {
      if (this.#over) return undefined
      if (step.do === 'ask') return { url: step.url }
      if (step.do === 'wait') await pause(step.seconds * 1_000)
      if (step.do === 'say') this.#said.push(step.text)
      if (step.do === 'play') for (const url of step.urls) await this.#play(url)
      if (step.do === 'reject') this.#end(step.reason)
      if (step.do === 'stream') await this.#talk(step.url, step.with)
      if (step.do === 'keys') {
        for (const url of step.play) await this.#play(url)
        const until = performance.now() + step.seconds * 1_000
        while (this.#keys.length < (step.keys ?? 1) && performance.now() < until && !this.#over)
          await pause(10)
        const keys = this.#keys
        this.#keys = ''
        return { url: step.url, keys }
      }
    }
    return undefined
  }

  async #play(url: string): Promise<void> {
    const wav = Buffer.from(await (await fetch(url)).arrayBuffer())
    this.#heard.push(new Int16Array(wav.buffer.slice(44)))
  }

  async #talk(url: string, parameters: Readonly<Record<string, string>>): Promise<void> {
    const { call = '' } = this.#fields
    const stream = new ToyStream(url, { call, codec: 'PCMU', rate: '8000', ...parameters }, this.#secret)
    this.#stream = stream
    await stream.closed
    this.#heard.push(stream.heard())
    this.#stream = undefined
  }

  say(pcm: Int16Array): void {
    this.#stream?.say(pcm)
  }

  press(keys: string): void {
    if (this.#stream) for (const digit of keys) this.#stream.send('key', { digit })
    else this.#keys += keys
  }

  heard(): Int16Array {
    const parts = [...this.#heard, ...(this.#stream ? [this.#stream.heard()] : [])]
    return Int16Array.from(parts.flatMap(part => [...part]))
  }

  said(): readonly string[] {
    return this.#said
  }

  hangUp(): void {
    if (this.#over) return
    this.#end('hung-up')
    this.#stream?.send('bye', {})
    // Nothing but `bye` tells that it was not lost.
    this.#stream?.socket.close(4000)
  }

  drop(): void {
    this.#stream?.socket.terminate()
  }
}

/** The carrier’s end of a media stream, which plays in real time. */
class ToyStream {
  readonly socket: WebSocket
  readonly closed: Promise<void>
  readonly #queue: { readonly pcm: Int16Array; readonly until: number }[] = []
  #marks: NodeJS.Timeout[] = []
  #until = 0
  #sentMs = 0
  readonly #resampler = createResampler(SAMPLE_RATE, LINE_RATE)

  constructor(url: string, start: Record<string, string>, secret: string) {
    this.socket = new WebSocket(url, { headers: { 'toy-signature': toySignature(secret, url) } })
    this.closed = new Promise(resolve => this.socket.on('close', () => resolve()))
    this.socket.on('error', () => {})
    this.socket.on('open', () => this.send('start', start))
    this.socket.on('message', (data: Buffer, isBinary: boolean) =>
      isBinary ? this.#queueAudio(data) : this.#event(String(data)),
    )
  }

  send(event: string, fields: Record<string, string>): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(`${event}?${new URLSearchParams(fields)}`)
  }

  say(pcm: Int16Array): void {
    const line = this.#resampler.process(pcm).slice()
    for (let at = 0; at + FRAME <= line.length; at += FRAME, this.#sentMs += 20) {
      const frame = Buffer.alloc(4 + FRAME)
      frame.writeUInt32BE(this.#sentMs)
      encodeMulaw(line.subarray(at, at + FRAME), frame.subarray(4))
      this.socket.send(frame)
    }
  }

  heard(): Int16Array {
    const now = performance.now()
    const played = this.#queue.filter(({ until }) => until <= now)
    return Int16Array.from(played.flatMap(({ pcm }) => [...pcm]))
  }

  #queueAudio(data: Buffer): void {
    for (let at = 4; at < data.length; at += FRAME) {
      const mulaw = data.subarray(at, at + FRAME)
      const pcm = new Int16Array(mulaw.length)
      decodeMulaw(mulaw, pcm)
      this.#until = Math.max(performance.now(), this.#until) + mulaw.length / (LINE_RATE / 1_000)
      this.#queue.push({ pcm, until: this.#until })
    }
  }

  #event(text: string): void {
    if (text === 'clear') {
      const now = performance.now()
      while ((this.#queue.at(-1)?.until ?? 0) > now) this.#queue.pop()
      this.#until = now
      // Unlike at Twilio, cleared marks are never echoed.
      for (const timer of this.#marks) clearTimeout(timer)
      this.#marks = []
      return
    }
    const [event, query] = text.split('?')
    if (event !== 'mark') return
    const name = new URLSearchParams(query).get('name') ?? ''
    const wait = Math.max(0, this.#until - performance.now())
    this.#marks.push(setTimeout(() => this.send('played', { name }), wait))
  }
}
