import { createHmac, randomUUID } from 'node:crypto'
import { type Clock, setTimer } from '../../src/common/clock.ts'
import type { WallClock } from '../../src/common/wall-clock.ts'
import { PhoneAudio } from '../phone/phone-audio.ts'
import { type JambonzReading, ListenStream } from './listen-stream.ts'
import { type GatherVerb, type JambonzVerb, readVerbs } from './verbs.ts'

/** Statuses of a call (jambonz: call status). */
export type JambonzCallStatus =
  | 'trying'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'

/** The end of a call as its phone notices it. */
export type JambonzCallEnd = 'hung-up' | 'busy' | 'rejected'

export interface JambonzCallOptions {
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: string
  readonly accountSid: string
  readonly webhookSecret: string
  /** Requested for verbs, and notified of each status. */
  readonly callHook: string
  readonly statusHook: string | undefined
  /** Sample rate of the call’s codec (Hz): 8000 for G.711, 16000 for G.722. */
  readonly callRate: number
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly fault: (text: string) => void
  /** Form of the messages on the stream. Default: as documented. */
  readonly reading?: JambonzReading | undefined
  /** Called for every mark after the playback of all audio before it. */
  readonly onMark?: ((name: string) => void) | undefined
}

const MAX_VERBS = 500

/** One call at the simulated jambonz: its phone, its webhooks and its verbs. */
export class JambonzCall {
  readonly sid = randomUUID()
  readonly audio: PhoneAudio
  /** Texts of `say`. */
  readonly said: string[] = []
  /** Settles once, when the call is over. */
  readonly ended: Promise<JambonzCallEnd>
  status: JambonzCallStatus = 'trying'
  readonly #options: JambonzCallOptions
  readonly #end: (end: JambonzCallEnd) => void
  readonly #gone = new AbortController()
  #stream: ListenStream | undefined
  #keys = ''
  #pressed: (() => void) | undefined

  constructor(options: JambonzCallOptions) {
    this.#options = options
    this.audio = new PhoneAudio(options.callRate, options.clock)
    const { promise, resolve } = Promise.withResolvers<JambonzCallEnd>()
    this.ended = promise
    this.#end = resolve
  }

  get over(): boolean {
    return this.#gone.signal.aborted
  }

  /** Attributes of the call, as the first message of `listen` has them. */
  get attributes(): Readonly<Record<string, unknown>> {
    const { direction, from, to, accountSid } = this.#options
    return {
      ...{ callSid: this.sid, direction, from, to, accountSid, callStatus: this.status },
      ...{ callId: `${this.sid}@sip.test`, sipStatus: this.status === 'in-progress' ? 200 : 100 },
      ...{ traceId: this.sid.replaceAll('-', ''), fsSipAddress: '127.0.0.1:5060' },
    }
  }

  /** Requests the application, and executes its verbs until the call is over. */
  async run(): Promise<void> {
    await this.#execute((await this.#ask(this.#options.callHook, { defaults: {} })) ?? [])
    // An unanswered call without further verbs is declined.
    if (this.status === 'in-progress') await this.finish('completed', 'hung-up')
    else await this.finish('failed', 'rejected')
  }

  /** Reports a new status. */
  async become(status: JambonzCallStatus): Promise<void> {
    if (this.over) return
    this.status = status
    await this.#notify()
  }

  /** The call is over: stops its verb and reports its final status. Idempotent. */
  async finish(status: JambonzCallStatus, end: JambonzCallEnd): Promise<void> {
    if (this.over) return
    this.status = status
    this.#gone.abort()
    this.#stream?.close()
    this.audio.stop()
    this.#end(end)
    await this.#notify()
  }

  /** Sends the result of machine detection. */
  async detect(hook: string, type: string): Promise<void> {
    if (!this.over) await this.#post(hook, { type, reason: 'short greeting', language: 'en-US' })
  }

  press(keys: string): void {
    for (const key of keys) {
      this.#stream?.press(key)
      if (!this.#stream) this.#keys += key
    }
    this.#pressed?.()
  }

  hangUp(): Promise<void> {
    return this.finish('completed', 'hung-up')
  }

  /** Breaks the connection of the stream; the call continues. */
  drop(): void {
    this.#stream?.drop()
  }

  async #execute(first: readonly JambonzVerb[]): Promise<void> {
    let verbs = [...first]
    for (let count = 0; count < MAX_VERBS && !this.over; count++) {
      const verb = verbs.shift()
      if (!verb) return
      const replaced = await this.#perform(verb)
      if (replaced) verbs = [...replaced]
    }
  }

  /** Returns the verbs that replace the remaining ones. */
  async #perform(verb: JambonzVerb): Promise<readonly JambonzVerb[] | undefined> {
    switch (verb.verb) {
      case 'pause':
        await this.#wait(verb.length * 1_000)
        return undefined
      case 'redirect':
        return this.#ask(verb.actionHook, {})
      case 'hangup':
        // Ignored before the answer; the verbs end, and the call is declined.
        if (this.status === 'in-progress') await this.finish('completed', 'hung-up')
        return undefined
      case 'sip:decline':
        if (this.status === 'in-progress') return undefined
        await this.finish('failed', verb.status === 486 ? 'busy' : 'rejected')
        return undefined
      default:
        await this.#answer()
        return this.#withEndpoint(verb)
    }
  }

  async #withEndpoint(
    verb: Exclude<JambonzVerb, { verb: 'pause' | 'redirect' | 'hangup' | 'sip:decline' }>,
  ): Promise<readonly JambonzVerb[] | undefined> {
    switch (verb.verb) {
      case 'say':
        this.said.push(verb.text)
        return undefined
      case 'play':
        for (const url of [verb.url].flat()) await this.#play(url)
        return undefined
      case 'gather':
        return this.#gather(verb)
      case 'listen': {
        const { audio } = this
        const { fault, onMark, reading } = this.#options
        this.#stream = new ListenStream({ verb, call: this.attributes, audio, fault, onMark, reading })
        await this.#stream.ended
        this.#stream = undefined
        // Requested after a hang-up as well.
        return verb.actionHook === undefined ? undefined : this.#ask(verb.actionHook, {})
      }
    }
  }

  async #gather(verb: GatherVerb): Promise<readonly JambonzVerb[] | undefined> {
    const { numDigits, finishOnKey, minDigits, interDigitTimeout = 0, timeout = 15 } = verb
    this.#keys = ''
    const complete = () =>
      this.#keys.length === numDigits || (finishOnKey !== undefined && this.#keys.includes(finishOnKey))
    for (const url of [verb.play?.url ?? []].flat()) if (this.#keys === '') await this.#play(url)
    // Without `minDigits` the pause between keys never ends the input.
    const pausing = () => minDigits !== undefined && this.#keys.length >= minDigits && interDigitTimeout > 0
    while (!complete() && !this.over) {
      const before = this.#keys
      await this.#wait((pausing() ? interDigitTimeout : timeout) * 1_000)
      if (this.#keys === before) break
    }
    const digits = this.#keys.split(finishOnKey ?? '#')[0] ?? ''
    this.#keys = ''
    if (this.over) return undefined
    const result = complete() || digits !== '' ? { digits, reason: 'dtmfDetected' } : { reason: 'timeout' }
    return this.#ask(verb.actionHook, result)
  }

  async #play(url: string): Promise<void> {
    const { fault } = this.#options
    const response = await fetch(url).catch(() => undefined)
    if (!response?.ok) return fault(`play: ${url} could not be fetched`)
    this.audio.hearWav(new Uint8Array(await response.arrayBuffer()))
  }

  async #answer(): Promise<void> {
    if (this.status !== 'in-progress') await this.become('in-progress')
  }

  /** Waits for `ms`, a key, or the end of the call. */
  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimer(this.#options.clock, ms, resolve)
    this.#pressed = resolve
    this.#gone.signal.addEventListener('abort', () => resolve(), { once: true })
    if (!this.over) await promise
    this.#pressed = undefined
    timer[Symbol.dispose]()
  }

  async #notify(): Promise<void> {
    const { statusHook } = this.#options
    if (statusHook !== undefined) await this.#post(statusHook, {})
  }

  async #ask(hook: string, further: object): Promise<readonly JambonzVerb[] | undefined> {
    const { fault } = this.#options
    const response = await this.#post(hook, further)
    if (response?.status !== 200) return undefined
    if (!response.headers.get('content-type')?.includes('application/json')) {
      fault(`${new URL(hook).pathname} was not answered with JSON`)
      return undefined
    }
    const verbs = readVerbs(await response.json())
    if (typeof verbs !== 'string') return verbs
    fault(verbs)
    return undefined
  }

  /** A signed POST with the attributes of the call, in snake case (jambonz: securing your webhooks). */
  async #post(hook: string, further: object): Promise<Response | undefined> {
    const { webhookSecret, wallClock, fault } = this.#options
    const body = JSON.stringify({ ...snakeCase(this.attributes), ...further })
    const seconds = Math.floor(wallClock() / 1_000)
    const digest = createHmac('sha256', webhookSecret).update(`${seconds}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'jambonz-signature': `t=${seconds},v1=${digest}`,
    }
    const response = await fetch(hook, { method: 'POST', headers, body, redirect: 'manual' }).catch(
      () => undefined,
    )
    if (!response || ![200, 202, 204].includes(response.status))
      fault(`${new URL(hook).pathname} was answered with ${response?.status ?? 'no response'}`)
    return response
  }
}

function snakeCase(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}
