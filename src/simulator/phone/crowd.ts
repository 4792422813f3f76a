import { after } from '../../core/clock.ts'
import { placeCall, type SimulatedCall } from './call.ts'
import type { CallOptions } from './call-options.ts'
import { Histogram } from './histogram.ts'
import type { PhoneLine } from './line.ts'
import type { Notice } from './notice.ts'
import { emptyPlayoutReport, mergePlayout, type PlayoutReport } from './playout-report.ts'
import type { Voice } from './voice.ts'

/** How many call at once, and what they say. */
export interface CrowdOptions {
  /** How many phones. */
  count: number
  /** One timer for all of them. */
  line: PhoneLine
  /** What everybody says, each from a different place on; usually `voiceOf(pcm, rate, { loop: true })`. */
  voice: Voice
  /** The calls begin evenly over this time. Default 20 ms for each. */
  rampMs?: number
  /** Where phone number `index` calls, and what to measure; nothing is recorded unless `record` says so. */
  call: (index: number) => CallOptions
}

/** The figures of all phones together. */
export interface CrowdReport extends PlayoutReport {
  /** Phones whose call is not over. */
  live: number
  sent: number
  sendLateness: Histogram
  warnings: Notice[]
  errors: Notice[]
}

/** Places many calls in one process. Settles when all of them have begun or failed. */
export async function placeCalls(options: CrowdOptions): Promise<Crowd> {
  const { count, line, voice, rampMs = 20 * count } = options
  const { clock } = line
  const began = clock.now()
  const placed: Promise<SimulatedCall>[] = []
  for (let index = 0; index < count; index++) {
    await new Promise<void>(resolve => after(clock, began + (index * rampMs) / count - clock.now(), resolve))
    placed.push(placeCall({ record: false, ...options.call(index), line }))
  }
  const calls = await Promise.all(placed)
  for (const [index, call] of calls.entries())
    void call.say({ packet: at => voice.packet(index * STEP + at) })
  return new Crowd(calls)
}

/** Phones speak the same, this many packets apart: nobody's silences fall together. */
const STEP = 37

/** Phones that talk without end. Whoever placed them hangs them up. */
export class Crowd implements AsyncDisposable {
  readonly calls: readonly SimulatedCall[]

  constructor(calls: readonly SimulatedCall[]) {
    this.calls = calls
  }

  report(): CrowdReport {
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
