import { type Clock, setTimer } from '../../src/common/clock.ts'
import { PhoneAudio } from '../phone/phone-audio.ts'
import { type AsteriskReading, AudioStream } from './audio-stream.ts'
import { type Dialplan, evaluate, type Step, splitArgs } from './dialplan.ts'
import { type WebSocketClient, WebSocketStream } from './websocket-stream.ts'

/** The end of a call as its phone notices it. */
export type ChannelEnd = 'hung-up' | 'busy' | 'rejected'

/** Result of calling a phone with `Dial(PJSIP/…)`. */
export type DialStatus = 'ANSWER' | 'BUSY' | 'NOANSWER' | 'CANCEL'

export interface ChannelOptions {
  readonly dialplan: Dialplan
  readonly uniqueId: string
  readonly callerId: string
  readonly rate: number
  readonly clock: Clock
  readonly fault: (text: string) => void
  /** Calls a phone; settles when it has answered or not. */
  readonly dial: (seconds: number, gone: AbortSignal) => Promise<DialStatus>
  /** Sections of `websocket_client.conf`. */
  readonly webSocketClients: Readonly<Record<string, WebSocketClient>>
  /** Called for each mark of a WebSocket channel. */
  readonly onMark?: ((name: string) => void) | undefined
  /** Result of `AMD`. */
  readonly amd: () => string
  /** Default: as documented. */
  readonly reading?: AsteriskReading | undefined
}

const CAUSES: Readonly<Record<string, ChannelEnd>> = { '17': 'busy', '21': 'rejected' }
const MAX_STEPS = 5_000

/** A channel of Asterisk: executes a dialplan for one phone. */
export class Channel {
  readonly audio: PhoneAudio
  /** Texts of `Verbose`: what a synthesizer would speak. */
  readonly said: string[] = []
  readonly ended: Promise<ChannelEnd>
  state: 'Ring' | 'Up' = 'Ring'
  readonly #options: ChannelOptions
  readonly #variables = new Map<string, string>()
  readonly #gone = new AbortController()
  readonly #end: (end: ChannelEnd) => void
  #stream: AudioStream | WebSocketStream | undefined
  #keys = ''
  #pressed: (() => void) | undefined
  #context = ''
  #steps: readonly Step[] = []
  #at = 0

  constructor(options: ChannelOptions, variables: Readonly<Record<string, string>> = {}) {
    this.#options = options
    this.audio = new PhoneAudio(options.rate, options.clock)
    const { promise, resolve } = Promise.withResolvers<ChannelEnd>()
    this.ended = promise
    this.#end = resolve
    for (const [name, value] of Object.entries(variables)) this.#variables.set(name, value)
  }

  get over(): boolean {
    return this.#gone.signal.aborted
  }

  /** Executes the extension from its first step until the call is over, and then the extension `h`. */
  async run(context: string, extension: string): Promise<void> {
    this.#variables.set('EXTEN', extension)
    this.#jump(context, extension)
    await this.#execute(() => !this.over)
    this.hangUp()
    if (!this.#options.dialplan.find(this.#context, 'h')) return
    this.#jump(this.#context, 'h')
    await this.#execute(() => true)
  }

  /** The call is over. Idempotent. */
  hangUp(end: ChannelEnd = 'hung-up'): void {
    if (this.over) return
    this.#gone.abort()
    this.#stream?.close()
    this.audio.stop()
    this.#end(end)
  }

  press(keys: string): void {
    for (const key of keys) {
      if (this.#stream) this.#stream.press(key)
      else this.#keys += key
    }
    this.#pressed?.()
  }

  drop(): void {
    this.#stream?.drop()
  }

  async #execute(goOn: () => boolean): Promise<void> {
    for (let count = 0; count < MAX_STEPS && goOn(); count++) {
      const step = this.#steps[this.#at++]
      if (!step) return
      await this.#perform(step)
    }
  }

  async #perform({ app, args }: Step): Promise<void> {
    if (app === 'Set') return this.#set(args)
    const values = splitArgs(args)
    const expanded: string[] = []
    for (const value of values) expanded.push(await this.#expand(value))
    const [first = '', second = ''] = expanded
    switch (app) {
      case 'Answer':
        this.state = 'Up'
        return
      case 'Wait':
        return this.#wait(Number(first) * 1_000)
      case 'Verbose':
        this.said.push(expanded.slice(1).join(','))
        return
      case 'Goto':
        return this.#goto(expanded)
      case 'GotoIf': {
        const [condition = '', target = ''] = first.split('?')
        return condition === '1' ? this.#goto(splitArgs(target)) : undefined
      }
      case 'Hangup':
        return this.hangUp(this.state === 'Up' ? 'hung-up' : (CAUSES[first] ?? 'hung-up'))
      case 'Playback':
        for (const sound of first.split('&')) await this.#play(sound)
        return
      case 'Read':
        return this.#read(expanded)
      case 'AMD':
        this.#variables.set('AMDSTATUS', this.#options.amd())
        return
      case 'Dial':
        return this.#dial(first, second)
      default:
        this.#options.fault(`no application ${app}`)
        this.hangUp()
    }
  }

  async #set(args: string): Promise<void> {
    const at = args.indexOf('=')
    const value = await this.#expand(args.slice(at + 1))
    this.#variables.set(args.slice(0, at), value)
  }

  #goto(target: readonly string[]): void {
    const [first = '', second = ''] = target
    if (target.length === 3) {
      this.#jump(first, second)
      return
    }
    const at = this.#steps.findIndex(({ label }) => label === target[0])
    if (at < 0) this.#options.fault(`no label ${target[0]}`)
    this.#at = at < 0 ? this.#steps.length : at
  }

  #jump(context: string, extension: string): void {
    const steps = this.#options.dialplan.find(context, extension)
    if (!steps) this.#options.fault(`no extension ${extension} in ${context}`)
    this.#context = context
    this.#steps = steps ?? []
    this.#at = 0
  }

  async #dial(target: string, seconds: string): Promise<void> {
    const [technology = '', address = '', uuid = ''] = target.split('/')
    if (technology !== 'AudioSocket' && technology !== 'WebSocket') {
      const status = await this.#options.dial(Number(seconds), this.#gone.signal)
      this.#variables.set('DIALSTATUS', status)
      if (status !== 'ANSWER' || this.over) return
      // Bridged with the phone until the call is over.
      await new Promise<void>(resolve => this.#gone.signal.addEventListener('abort', () => resolve()))
      return
    }
    const { fault } = this.#options
    if (!target.includes(this.audio.rate === 16_000 ? 'c(slin16)' : 'c(slin)'))
      fault(`${target} is not for ${this.audio.rate} Hz`)
    this.#stream =
      technology === 'WebSocket'
        ? this.#webSocket(target, address)
        : new AudioStream({ address, uuid, audio: this.audio, fault, reading: this.#options.reading })
    await this.#stream?.ended
    this.#stream = undefined
  }

  /** Undefined without a section of that name, where Asterisk continues. */
  #webSocket(target: string, connection: string): WebSocketStream | undefined {
    const { webSocketClients, uniqueId, fault, onMark, reading } = this.#options
    const client = webSocketClients[connection]
    if (!client) fault(`WebSocket client connection '${connection}' not found`)
    if (!target.includes('f(json)')) fault(`${target} has control messages as plain text`)
    if (!client) return undefined
    const inherited = [...this.#variables].filter(([name]) => /^_[^_]/.test(name))
    const variables = Object.fromEntries(inherited.map(([name, value]) => [name.slice(1), value]))
    const channelId = `${uniqueId}-websocket`
    return new WebSocketStream({
      ...{ client, connection, channelId, variables, audio: this.audio, fault, onMark, reading },
    })
  }

  async #read([variable = '', sounds = '', max = '', , , seconds = '']: readonly string[]): Promise<void> {
    this.#keys = ''
    for (const sound of sounds.split('&')) if (this.#keys === '') await this.#play(sound)
    const complete = () => this.#keys.length >= Number(max) || this.#keys.includes('#')
    while (!complete() && !this.over) {
      const before = this.#keys
      await this.#wait(Number(seconds) * 1_000)
      if (this.#keys === before) break
    }
    this.#variables.set(variable, (this.#keys.split('#')[0] ?? '').slice(0, Number(max)))
    this.#keys = ''
  }

  /** A sound of Asterisk by name is silent here; an address is fetched, as by `res_http_media_cache`. */
  async #play(sound: string): Promise<void> {
    if (!/^https?:/.test(sound)) return
    const response = await fetch(sound).catch(() => undefined)
    if (response?.ok) this.audio.hearWav(new Uint8Array(await response.arrayBuffer()))
    else this.#options.fault(`${sound} could not be fetched`)
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

  /** Replaces `${…}` and `$[…]`, from the inside out. */
  async #expand(text: string): Promise<string> {
    let out = ''
    for (let at = 0; at < text.length; ) {
      const opening = text.slice(at, at + 2)
      if (opening !== '${' && opening !== '$[') {
        out += text[at++]
        continue
      }
      const end = closingOf(text, at + 1)
      const inner = text.slice(at + 2, end)
      out +=
        opening === '${'
          ? await this.#value(inner)
          : evaluate((await this.#expand(inner)).replaceAll('"', ''))
      at = end + 1
    }
    return out
  }

  async #value(name: string): Promise<string> {
    const call = /^(\w+)\((.*)\)$/s.exec(name)
    if (!call) return this.#variable(await this.#expand(name))
    const [, called = '', args = ''] = call
    const values: string[] = []
    for (const value of splitArgs(args)) values.push(await this.#expand(value))
    const [first = '', second = '', third = ''] = values
    switch (called) {
      case 'CURL':
        return this.#curl(first, second)
      case 'CUT':
        return this.#variable(first).split(second)[Number(third) - 1] ?? ''
      case 'URIENCODE':
        return encodeURIComponent(first)
      case 'CALLERID':
        return this.#variables.get('CALLERID(num)') ?? this.#options.callerId
      case 'CHANNEL':
        return this.state
      default:
        this.#options.fault(`no function ${called}`)
        return ''
    }
  }

  #variable(name: string): string {
    if (name === 'UNIQUEID') return this.#options.uniqueId
    return this.#variables.get(name) ?? this.#options.dialplan.globals.get(name) ?? ''
  }

  /** With `failonerror`, an error response is empty. */
  async #curl(url: string, form: string): Promise<string> {
    const login = this.#variables.get('CURLOPT(userpwd)')
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(login !== undefined && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      },
      body: form,
    }).catch(() => undefined)
    const text = (await response?.text()) ?? ''
    return response?.ok || this.#variables.get('CURLOPT(failonerror)') !== '1' ? text.trim() : ''
  }
}

function closingOf(text: string, open: number): number {
  const [opening, closing] = text[open] === '{' ? ['{', '}'] : ['[', ']']
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === opening) depth++
    else if (text[at] === closing && --depth === 0) return at
  }
  throw new SyntaxError(`unbalanced ${text}`)
}
