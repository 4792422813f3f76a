import { setTimer } from '../../../src/common/clock.ts'
import { CallHost } from './call-host.ts'
import { type CallOptions, decide, type PlacedCall } from './call-options.ts'
import type { PhoneLine } from './line.ts'
import { Recording } from './recording.ts'
import {
  type CallReport,
  callReport,
  emptyPlayoutReport,
  Histogram,
  mergePlayout,
  type Notice,
  type PlayoutReport,
} from './reports.ts'
import { type CallEnd, follow } from './script.ts'
import type { Method } from './twiml.ts'
import { PhoneSpeaker, type Spoken, type Voice, voiceOf } from './voice.ts'

const KEYS = /^[0-9*#A-D]$/

/**
 * Places a simulated call. Settles when its first stream has started or was rejected, when the call waits for keys, or
 * when it is over before that. The outcome is in `call.ended` and `call.report()`, never an exception. Throws only for
 * invalid options.
 */
export async function placeCall(options: CallOptions): Promise<SimulatedCall> {
  const placed = decide({ ...options, hangupUrl: hangupUrlOf(options) })
  const begun = Promise.withResolvers<void>()
  const call = SimulatedCall.place(placed, begun.resolve)
  await Promise.race([begun.promise, call.ended])
  return call
}

function hangupUrlOf({ webhook, publicUrl, profile, hangupUrl }: CallOptions): string | undefined {
  if (hangupUrl !== undefined || !profile?.reportsEnd) return hangupUrl
  const { pathname } = new URL('status', webhook)
  return publicUrl === undefined ? new URL(pathname, webhook).href : publicUrl.replace(/\/+$/, '') + pathname
}

/** A phone in a call, with Twilio's side of it. The caller of `placeCall` hangs it up. */
export class SimulatedCall implements AsyncDisposable {
  readonly callSid: string
  readonly accountSid: string
  readonly from: string
  readonly to: string
  /** Time when it was placed: the first sample of `heard()`, in milliseconds of the call's clock. */
  readonly startedAt: number
  /** Settles once, never rejects. */
  readonly ended: Promise<CallEnd>
  readonly #call: PlacedCall
  readonly #mouth = new PhoneSpeaker()
  readonly #recording: Recording | undefined
  readonly #host: CallHost
  #endedAt: number | undefined
  #vanished = false

  private constructor(call: PlacedCall, onStart: () => void) {
    this.#call = call
    this.callSid = call.callSid
    this.accountSid = call.accountSid
    this.from = call.from
    this.to = call.to
    this.startedAt = call.clock.now()
    this.#recording = call.record ? new Recording(this.startedAt) : undefined
    this.#host = new CallHost(call, this.#mouth, this.#recording, onStart)
    this.ended = this.#run()
  }

  /** For `placeCall`. `onStart` is called when the first stream has started or was rejected. */
  static place(call: PlacedCall, onStart: () => void): SimulatedCall {
    return new SimulatedCall(call, onStart)
  }

  /** True until `ended` has settled or is about to. */
  get live(): boolean {
    return this.#endedAt === undefined
  }

  /**
   * Queues speech: samples (linear16, mono, `rate` Hz, default 8000) or a prepared voice. Settles when the last of it
   * has fallen due, or with `complete: false` if the call ends first.
   */
  say(voice: Int16Array | Voice, rate?: number): Promise<Spoken> {
    const spoken = voice instanceof Int16Array ? voiceOf(voice, rate) : voice
    return this.#mouth.say(spoken, this.#call.clock.now())
  }

  /** Stops speaking at once. */
  hush(): void {
    this.#mouth.hush(this.#call.clock.now())
  }

  /** Presses keys, for `<Gather>` or as messages on the stream, one each. Throws RangeError for a key that phones do not have. */
  press(keys: string): void {
    for (const key of keys) {
      if (!KEYS.test(key)) throw new RangeError(`a phone has the keys 0–9, *, # and A–D, got ${key}`)
    }
    for (const key of keys) this.#host.press(key)
  }

  /** Sends `stop` and closes: the call is over. Idempotent. */
  hangUp(): Promise<CallEnd> {
    return this.#end('hangup', 'the participant hung up')
  }

  /** Like `hangUp`, from Twilio's side: by its REST API or a time limit. */
  end(reason: string): Promise<CallEnd> {
    return this.#end('completed', reason)
  }

  /** Breaks the stream's connection without `stop` (1006). The call continues with its TwiML, as at Twilio. */
  drop(): void {
    this.#host.streams.current?.drop()
  }

  /** Breaks the connection without `stop` or anything after it: the remote system itself has died. */
  vanish(): Promise<CallEnd> {
    this.#vanished = true
    this.#host.streams.current?.drop()
    return this.hangUp()
  }

  /** Gives the call new instructions, like `calls(sid).update({ twiml })`: its stream stops, the new TwiML runs. */
  update(twiml: string): void {
    this.#host.update(twiml)
  }

  /** Like `update`, with instructions fetched from `url`. */
  redirect(url: string, method: Method = 'POST'): void {
    this.#host.update({ url, method })
  }

  /** Whether `<Gather>` waits for keys. */
  get asking(): boolean {
    return this.#host.prompts.asking
  }

  /** The audio heard since `startedAt`: 8 kHz, mono, every sample at its time. Throws TypeError with `record: false`. */
  heard(): Int16Array {
    if (!this.#recording) throw new TypeError('the call was placed with record: false')
    return this.#recording.pcm(this.#endedAt ?? this.#call.clock.now())
  }

  /** Discards the audio heard before `at`: for long calls. */
  forget(at: number): void {
    this.#recording?.forget(at)
  }

  /**
   * Settles after `ms` of silence from now on, or when the call is over. With `record: false` any audio counts, even
   * silent audio.
   */
  async quietFor(ms: number): Promise<void> {
    const { clock } = this.#call
    let since = clock.now()
    while (this.live) {
      since = Math.max(since, this.#recording?.audibleUntil ?? this.#host.streams.current?.dryAt ?? since)
      if (clock.now() >= since + ms) return
      await this.#wait(since + ms - clock.now())
    }
  }

  /** Measurements and findings so far. */
  report(): CallReport {
    const { streams, errors, prompts } = this.#host
    const warnings = streams.list.flatMap(stream => stream.warnings.list)
    const reports = streams.list.map(stream => stream.report())
    return callReport(this.callSid, reports, { errors: errors.list, warnings, said: [...prompts.said] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangUp()
  }

  async #run(): Promise<CallEnd> {
    const { publicWebhook, method, twiml, profile, outbound, log, callSid, clock } = this.#call
    const first =
      twiml === undefined
        ? { url: publicWebhook, method }
        : profile.instructions(twiml, { ...this.#call, answered: outbound })
    const end = await follow(this.#host, first)
    this.#endedAt = clock.now()
    this.#mouth.close(this.#endedAt)
    this.#host.streams.close()
    if (!this.#vanished) await this.#host.reportEnd()
    log.info({ callSid, end: end.kind, code: end.code, reason: end.reason }, 'call ended')
    return end
  }

  #end(kind: 'hangup' | 'completed', reason: string): Promise<CallEnd> {
    this.#host.end({ kind, code: undefined, reason })
    return this.ended
  }

  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimer(this.#call.clock, ms, resolve)
    await Promise.race([promise, this.ended])
    timer[Symbol.dispose]()
  }
}

/** Number of simultaneous calls, and their speech. */
export interface CallLoadOptions {
  /** Number of phones. */
  count: number
  /** One timer for all phones. */
  line: PhoneLine
  /** The speech of all phones, each from a different offset; usually `voiceOf(pcm, rate, { loop: true })`. */
  voice: Voice
  /** Calls start evenly over this time (ms). Default 20 ms for each. */
  rampMs?: number
  /** Options of phone number `index`; the call is not recorded unless `record` is set. */
  call: (index: number) => CallOptions
}

/** Combined figures of all phones. */
export interface CallLoadReport extends PlayoutReport {
  /** Number of phones whose call is not over. */
  live: number
  sent: number
  sendLateness: Histogram
  warnings: Notice[]
  errors: Notice[]
}

/** Places many calls in one process. Settles when all of them have started or failed. */
export async function placeCalls(options: CallLoadOptions): Promise<CallLoad> {
  const { count, line, voice, rampMs = 20 * count } = options
  const { clock } = line
  const began = clock.now()
  const placed: Promise<SimulatedCall>[] = []
  for (let index = 0; index < count; index++) {
    await new Promise<void>(resolve =>
      setTimer(clock, began + (index * rampMs) / count - clock.now(), resolve),
    )
    placed.push(placeCall({ record: false, ...options.call(index), line }))
  }
  const calls = await Promise.all(placed)
  for (const [index, call] of calls.entries())
    void call.say({ packet: at => voice.packet(index * STEP + at) })
  return new CallLoad(calls)
}

/** Offset between the phones' speech in packets, so that their silences do not coincide. */
const STEP = 37

/** Phones that talk without end. The caller of `placeCalls` hangs them up. */
export class CallLoad implements AsyncDisposable {
  readonly calls: readonly SimulatedCall[]

  constructor(calls: readonly SimulatedCall[]) {
    this.calls = calls
  }

  report(): CallLoadReport {
    const sum = {
      ...emptyPlayoutReport(),
      live: 0,
      sent: 0,
      sendLateness: new Histogram(),
      warnings: [] as Notice[],
      errors: [] as Notice[],
    }
    for (const call of this.calls) {
      const report = call.report()
      mergePlayout(sum, report)
      sum.sendLateness.merge(report.sendLateness)
      sum.sent += report.sent
      sum.warnings.push(...report.warnings)
      sum.errors.push(...report.errors)
      if (call.live) sum.live++
    }
    return sum
  }

  async hangUp(): Promise<void> {
    await Promise.all(this.calls.map(call => call.hangUp()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hangUp()
  }
}
