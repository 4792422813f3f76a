import { setTimer } from '../../../common/clock.ts'
import { placeCall, type SimulatedCall } from './call.ts'
import type { CallOptions } from './call-options.ts'
import type { PhoneLine } from './line.ts'
import type { Notice } from './reports.ts'
import { emptyPlayoutReport, Histogram, mergePlayout, type PlayoutReport } from './reports.ts'
import type { Voice } from './voice.ts'

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
  /** Options of phone number `index`; nothing is recorded unless `record` is set. */
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
