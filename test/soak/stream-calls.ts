import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import twilioBridge, { sign } from '../../src/bridges/phone/twilio/index.ts'
import { relayOptions } from '../../src/core/model/relay-settings.ts'
import { Relay } from '../../src/core/room/relay.ts'
import { SeededRandom } from '../fuzz/random.ts'

const TOKEN = '12345'
const PUBLIC = 'bridge.example.com'
const SILENCE = Buffer.alloc(160, 0xff).toString('base64')
const AT_ONCE = 8

/** Phone calls over real sockets: webhook, stream, some speech, and one of many endings. */
export class StreamCalls {
  readonly relay: Relay
  readonly faults = new Map<string, number>()
  readonly #app: FastifyInstance
  readonly #random: SeededRandom
  readonly #translator: FakeTranslator
  #port = 0
  #count = 0

  private constructor(seed: number) {
    this.#random = new SeededRandom(seed)
    this.#translator = new FakeTranslator()
    this.relay = new Relay({ translator: this.#translator, options: relayOptions({ reconnectWindowMs: 0 }) })
    this.#app = Fastify({ forceCloseConnections: true })
  }

  static async open(seed: number): Promise<StreamCalls> {
    const calls = new StreamCalls(seed)
    await calls.relay.ready()
    await calls.#app.register(twilioBridge, {
      relay: calls.relay,
      invite: ({ callId }) => ({ room: callId, speaks: 'en-us', hears: 'es-es' }),
      publicUrl: `https://${PUBLIC}`,
      authTokens: [TOKEN],
      // Ended calls are remembered for ten minutes, here for a second, so that leftovers are detected.
      limits: { stoppedMs: 0, rememberMs: 1_000 },
    })
    await calls.#app.listen({ port: 0, host: '127.0.0.1' })
    calls.#port = (calls.#app.server.address() as AddressInfo).port
    return calls
  }

  /** Sets up and tears down `calls` more; all of them are over afterwards. */
  async run(calls: number): Promise<void> {
    for (let begun = 0; begun < calls; begun += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, calls - begun) }, () => this.#call()))
    for (let waitedMs = 0; this.relay.legs > 0 && waitedMs < 10_000; waitedMs += 20) await pause(20)
    // Last words are still played.
    for (let waitedMs = 0; this.relay.rooms.size > 0 && waitedMs < 15_000; waitedMs += 50) await pause(50)
    this.#translator.connections.length = 0
  }

  async close(): Promise<void> {
    await this.#app.close()
    await this.relay.close()
  }

  async #call(): Promise<void> {
    const callSid = `CA${++this.#count}`
    const answer = await this.#post('/twilio/voice', {
      CallSid: callSid,
      CallStatus: 'ringing',
      From: '',
      To: '',
    })
    const token = /name="token" value="([^"]+)"/.exec(answer)?.[1] ?? ''
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}/twilio/media`, {
      perMessageDeflate: false,
      headers: { 'x-twilio-signature': sign(TOKEN, `wss://${PUBLIC}/twilio/media`) },
    })
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    await once(socket, 'open')
    const how = this.#random.pick([
      'stop',
      'stop',
      'close',
      'terminate',
      'wrong token',
      'no start',
      'rubbish',
    ])
    this.faults.set(how, (this.faults.get(how) ?? 0) + 1)
    this.#speak(socket, callSid, token, how)
    await pause(5)
    if (how === 'terminate' || how === 'no start') socket.terminate()
    else if (how !== 'wrong token') socket.close()
    await closed
    if (this.#random.below(2) === 0)
      await this.#post('/twilio/status', { CallSid: callSid, CallStatus: 'completed', From: '', To: '' })
  }

  #speak(socket: WebSocket, callSid: string, token: string, how: string): void {
    if (how === 'no start') return
    const streamSid = `MZ${callSid}`
    const send = (message: object) => socket.send(JSON.stringify({ ...message, streamSid }))
    send({ event: 'connected' })
    const customParameters = { token: how === 'wrong token' ? 'x' : token }
    send({ event: 'start', start: { streamSid, callSid, customParameters } })
    for (let n = 0; n < 5; n++)
      send({ event: 'media', media: { track: 'inbound', timestamp: String(n * 20), payload: SILENCE } })
    if (how === 'rubbish') socket.send('{"event":')
    if (how === 'stop') send({ event: 'stop' })
  }

  async #post(path: string, fields: Record<string, string>): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'x-twilio-signature': sign(TOKEN, `https://${PUBLIC}${path}`, fields), connection: 'close' },
    })
    return answer.text()
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
