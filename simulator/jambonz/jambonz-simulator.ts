import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, pause, systemClock } from '../../src/common/clock.ts'
import { systemWallClock, type WallClock } from '../../src/common/wall-clock.ts'
import { readBody } from '../rest-faults.ts'
import { JambonzCall, type JambonzCallOptions } from './call.ts'
import type { JambonzReading } from './listen-stream.ts'
import { type CallRequest, readCallRequest } from './rest.ts'

/** The behaviour of a called phone. */
export type JambonzCallee = 'answers' | 'rings' | 'is-busy' | 'is-a-machine'

export interface JambonzSimulatorOptions {
  /** Port on loopback. Default 0: a free one. */
  readonly port?: number
  readonly webhookSecret?: string
  readonly apiKey?: string
  readonly accountSid?: string
  /** Sample rate of calls (Hz). Default 8000; 16000 as with G.722. */
  readonly callRate?: number
  readonly clock?: Clock
  readonly wallClock?: WallClock
}

const MAX_BODY_BYTES = 65_536
const RING_AFTER_MS = 20
const ANSWER_AFTER_MS = 30
const DETECT_AFTER_MS = 50

/**
 * jambonz on loopback: its REST API for calls, and phones whose audio goes through the verb `listen`. Webhooks are signed,
 * and everything that jambonz would ignore or misread is in `faults`. The caller of `listen` closes it.
 */
export class JambonzSimulator implements AsyncDisposable {
  readonly webhookSecret: string
  readonly apiKey: string
  readonly accountSid: string
  /** The next called phone. */
  callee: JambonzCallee = 'answers'
  /** Calls in both directions, oldest first. */
  readonly calls: JambonzCall[] = []
  /** Violations of the protocol by the server, in order. */
  readonly faults: string[] = []
  readonly #options: JambonzSimulatorOptions
  readonly #clock: Clock
  readonly #http: Server
  readonly #working = new Set<Promise<void>>()

  private constructor(options: JambonzSimulatorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.webhookSecret = options.webhookSecret ?? `wh_${randomBytes(16).toString('hex')}`
    this.apiKey = options.apiKey ?? randomUUID()
    this.accountSid = options.accountSid ?? randomUUID()
    this.#http = createServer((request, response) => void this.#serve(request, response))
  }

  static async listen(options: JambonzSimulatorOptions = {}): Promise<JambonzSimulator> {
    const simulator = new JambonzSimulator(options)
    const http = simulator.#http
    await new Promise<void>((settle, fail) => {
      http.once('error', fail)
      http.listen(options.port ?? 0, '127.0.0.1', settle)
    })
    return simulator
  }

  /** Address of the REST API, without its version. */
  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /** Places an incoming call; `callHook` is the webhook of the application. */
  call(
    from: string,
    to: string,
    hooks: {
      callHook: string
      statusHook?: string
      onMark?: (name: string) => void
      /** Form of the messages on the stream. Default: as documented. */
      reading?: JambonzReading
    },
  ): JambonzCall {
    const call = this.#add({ direction: 'inbound', from, to, statusHook: undefined, ...hooks })
    this.#work(call.run())
    return call
  }

  /** Ends every call. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.calls.map(call => call.hangUp()))
    await Promise.all(this.#working)
    this.#http.closeAllConnections()
    await new Promise(settle => this.#http.close(settle))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #add(
    options: Pick<
      JambonzCallOptions,
      'direction' | 'from' | 'to' | 'callHook' | 'statusHook' | 'onMark' | 'reading'
    >,
  ): JambonzCall {
    const { callRate = 8_000, wallClock = systemWallClock } = this.#options
    const call = new JambonzCall({
      ...options,
      ...{ accountSid: this.accountSid, webhookSecret: this.webhookSecret, callRate, wallClock },
      clock: this.#clock,
      fault: text => void this.faults.push(text),
    })
    this.calls.push(call)
    return call
  }

  #work(work: Promise<void>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }

  #dial(request: CallRequest): JambonzCall {
    const { from, to, call_hook: callHook, call_status_hook: statusHook } = request
    const call = this.#add({
      ...{ direction: 'outbound', from, to: to.number },
      ...{ callHook: callHook.url, statusHook: statusHook?.url },
    })
    this.#work(this.#ring(call, request, this.callee))
    return call
  }

  async #ring(call: JambonzCall, { amd, timeout = 60 }: CallRequest, callee: JambonzCallee): Promise<void> {
    await pause(this.#clock, RING_AFTER_MS)
    await call.become('ringing')
    if (callee === 'rings') {
      await Promise.race([call.ended, pause(this.#clock, timeout * 1_000)])
      return call.finish('no-answer', 'hung-up')
    }
    await pause(this.#clock, ANSWER_AFTER_MS)
    if (callee === 'is-busy') return call.finish('busy', 'busy')
    await call.become('in-progress')
    const detection = amd
      ? pause(this.#clock, DETECT_AFTER_MS).then(() =>
          call.detect(
            amd.actionHook,
            callee === 'is-a-machine' ? 'amd_machine_detected' : 'amd_human_detected',
          ),
        )
      : undefined
    await Promise.all([call.run(), detection])
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request, MAX_BODY_BYTES)
    if (bytes === undefined || bytes === 'too long') return void response.destroy()
    const { status, body } = this.#answer(request, bytes.toString('utf8'))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  #answer({ method, url = '', headers }: IncomingMessage, text: string): { status: number; body?: object } {
    if (headers.authorization !== `Bearer ${this.apiKey}`) return { status: 401 }
    const [, account, sid] = /^\/v1\/Accounts\/([^/]+)\/Calls(?:\/([^/]+))?$/.exec(url) ?? []
    if (account !== this.accountSid) return { status: account === undefined ? 404 : 403 }
    if (sid === undefined) {
      const request = readCallRequest(text)
      if (method !== 'POST') return { status: 404 }
      if (typeof request === 'string') return { status: 400, body: { msg: request } }
      const call = this.#dial(request)
      return { status: 201, body: { sid: call.sid, callId: call.attributes.callId } }
    }
    const call = this.calls.find(each => each.sid === sid)
    if (!call) return { status: 404 }
    if (method === 'GET')
      return {
        status: 200,
        body: { call_sid: sid, call_status: call.status, direction: call.attributes.direction },
      }
    return method === 'PUT' || method === 'POST' ? this.#update(call, text) : { status: 404 }
  }

  /** `completed` ends an answered call, `no-answer` cancels a ringing one; anything else is 422. */
  #update(call: JambonzCall, text: string): { status: number; body?: object } {
    const wanted = statusIn(text)
    if (wanted !== 'completed' && wanted !== 'no-answer')
      return { status: 400, body: { msg: 'invalid call_status' } }
    if (call.over || (wanted === 'completed') !== (call.status === 'in-progress'))
      return { status: 422, body: { msg: 'current call state is incompatible with requested action' } }
    this.#work(call.finish(wanted, 'hung-up'))
    return { status: 202 }
  }
}

function statusIn(text: string): unknown {
  try {
    return JSON.parse(text)?.call_status
  } catch {
    return undefined
  }
}
