import { type PlacedCall, webhookFields } from './call-options.ts'
import { CallPrompts } from './call-prompts.ts'
import { CallStreams } from './call-streams.ts'
import type { Recording } from './recording.ts'
import type { StreamEnd } from './reports.ts'
import { type NoticeCode, Notices } from './reports.ts'
import { askWebhook, forgedKey, isXml, routeOf } from './request.ts'
import type { CallEnd, Gathered, Instructions, ScriptStep } from './script.ts'
import type { GatherNoun, Prompt, StreamNoun, Twiml } from './twiml.ts'
import type { PhoneSpeaker } from './voice.ts'

/** Twilio's side of one call: fetches documents, waits, gathers keys and streams as its TwiML says. The call owns it. */
export class CallHost {
  readonly errors = new Notices(100)
  readonly streams: CallStreams
  readonly prompts: CallPrompts
  readonly #call: PlacedCall
  readonly #onStart: () => void
  #step = new AbortController()
  #status: string
  #answered = false
  #hungUp: CallEnd | undefined
  #update: Instructions | undefined

  /** `onStart` is called when a stream has started or was rejected, and when `<Gather>` waits for keys. */
  constructor(call: PlacedCall, mouth: PhoneSpeaker, recording: Recording | undefined, onStart: () => void) {
    this.#call = call
    this.#onStart = onStart
    this.#status = call.outbound ? 'in-progress' : 'ringing'
    this.streams = new CallStreams(call, mouth, recording, this)
    this.prompts = new CallPrompts(call, recording, (code, text) => this.error(code, text))
  }

  /** Set when the participant hung up, or Twilio ended the call. */
  get hungUp(): CallEnd | undefined {
    return this.#hungUp
  }

  /** True when the call has received other instructions. */
  get updated(): boolean {
    return this.#update !== undefined
  }

  /** The call was hung up or received new instructions. */
  get interrupted(): boolean {
    return this.#hungUp !== undefined || this.#update !== undefined
  }

  /** Returns the new instructions and clears them; undefined without. */
  takeUpdate(): Instructions | undefined {
    const update = this.#update
    this.#update = undefined
    return update
  }

  /** The call has ended: cancels all current work. */
  end(end: CallEnd): void {
    this.#hungUp ??= end
    this.#interrupt()
  }

  /** Gives the call new instructions, like `calls(sid).update`: TwiML, or where to fetch it. */
  update(instructions: string | ScriptStep): void {
    this.#update = typeof instructions === 'string' ? this.#read(instructions) : instructions
    this.#interrupt()
  }

  /** Passes a key to its receiver: `<Gather>`, or the stream. */
  press(key: string): void {
    if (this.prompts.asking) this.prompts.press(key)
    else this.streams.current?.press(key)
  }

  async fetch({ url, method, fields: further }: ScriptStep): Promise<Twiml> {
    const { authToken, profile, quirks, clock, log } = this.#call
    const route = routeOf(url, this.#call)
    if (!route) return { ok: false, code: 11100, why: `${url} is not a URL` }
    const fields = { ...webhookFields(this.#call, this.#status), ...further }
    const key = quirks.webhookSignature ? forgedKey(quirks.webhookSignature, authToken) : authToken
    const signal = this.begin()
    const request = { url, method, fields, route, clock, authToken: key, profile, signal }
    const answer = await askWebhook(request)
    if (!answer.ok) return answer
    log.debug({ callSid: this.#call.callSid, status: answer.status }, 'webhook answered')
    if (!isXml(answer.type))
      return { ok: false, code: 12300, why: `content type ${answer.type || 'missing'}` }
    return this.#read(answer.body.toString('utf8'))
  }

  /** Reports the end of the call to `hangupUrl`, if there is one. */
  async reportEnd(): Promise<void> {
    const { hangupUrl: url, authToken, profile, clock, quirks } = this.#call
    const route = url === undefined ? undefined : routeOf(url, this.#call)
    if (url === undefined || !route) return
    const fields = webhookFields(this.#call, 'completed')
    const key = quirks.webhookSignature ? forgedKey(quirks.webhookSignature, authToken) : authToken
    const { signal } = new AbortController()
    const request = { url, method: 'POST', fields, route, clock, authToken: key, profile, signal } as const
    const answer = await askWebhook(request)
    if (!answer.ok) this.error(15003, answer.why)
  }

  #read(instructions: string): Twiml {
    const answered = this.#status === 'in-progress'
    return this.#call.profile.instructions(instructions, { ...this.#call, answered })
  }

  /** The first instructions have arrived, and the call is not rejected. Can be called again. */
  answered(): void {
    if (this.#answered) return
    this.#answered = true
    this.#status = 'in-progress'
    this.#call.onAnswered?.()
  }

  error(code: NoticeCode, text: string): void {
    const { clock, log, callSid } = this.#call
    this.errors.add(code, text, clock.now())
    log.warn({ callSid, code, text }, 'the call met an error')
  }

  prompt(prompt: Prompt, base: string): Promise<void> {
    return this.prompts.perform(prompt, base, this.begin())
  }

  gather(noun: GatherNoun, base: string): Promise<Gathered> {
    const gathering = this.prompts.gather(noun, base, this.begin())
    this.#onStart()
    return gathering
  }

  stream(noun: StreamNoun): Promise<StreamEnd> {
    return this.streams.run(noun, this.#onStart)
  }

  /** Starts a step that a hang-up or new instructions abort. */
  begin(): AbortSignal {
    this.#step = new AbortController()
    if (this.#hungUp) this.#step.abort()
    return this.#step.signal
  }

  #interrupt(): void {
    this.#step.abort()
    this.streams.current?.stop()
  }
}
