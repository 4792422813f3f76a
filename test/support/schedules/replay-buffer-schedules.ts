import fc from 'fast-check'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { ReplayBuffer } from '../../../src/core/translation/replay-buffer.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

const FRAME = new Int16Array(FRAME_SAMPLES)
/** Expiry without an answer (ms), and silence kept before speech (fragments of 60 ms). */
const ANSWER_WAIT_MS = 15_000
const PREROLL = 5

interface Held {
  readonly sequence: number
  sentAt: number
  acked: boolean
  readonly quiet: boolean
}

/** The replay buffer, reimplemented from its description: slow and simple. */
class PlainRing {
  held: Held[] = []
  sequence = 0
  lostMs = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  speak(quiet: boolean): void {
    if (this.held.length === this.#most && !this.held.shift()!.acked) this.lostMs += 60
    this.held.push({ sequence: this.sequence++, sentAt: -1, acked: false, quiet })
  }

  next(now: number): number | undefined {
    const first = this.held.find(({ sentAt }) => sentAt < 0)
    if (first) first.sentAt = now
    return first?.sequence
  }

  ack(sequence: number, ok: boolean): void {
    const fragment = this.held.find(each => each.sequence === sequence)
    if (!fragment || fragment.acked || fragment.sentAt < 0) return
    fragment.acked = ok
    if (!ok) fragment.sentAt = -1
  }

  rewind(): number {
    const again = this.held.filter(({ sentAt }) => sentAt >= 0).length
    for (const each of this.held) Object.assign(each, { sentAt: -1, acked: false })
    return again
  }

  discharge(sequence: number): void {
    while (this.held[0]?.acked && this.held[0].sequence < sequence) this.held.shift()
  }

  tidy(now: number): void {
    const speech = this.held.findIndex(({ acked, quiet }) => !acked || !quiet)
    const quiet = speech < 0 ? this.held.length : speech
    let drop = Math.max(0, quiet - PREROLL)
    while (this.held[drop]?.acked && now - this.held[drop]!.sentAt > ANSWER_WAIT_MS) drop++
    this.held.splice(0, drop)
  }

  get waiting(): number[] {
    return this.held.filter(({ sentAt, acked }) => sentAt >= 0 && !acked).map(({ sentAt }) => sentAt)
  }
}

const ringStep = fc.oneof(
  fc.record({
    do: fc.constant('speak' as const),
    count: fc.integer({ min: 1, max: 4 }),
    quiet: fc.boolean(),
  }),
  fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('ack' as const), back: fc.nat(8), ok: fc.boolean() }),
  fc.record({ do: fc.constant('discharge' as const), back: fc.nat(8) }),
  fc.record({ do: fc.constantFrom('rewind' as const, 'tidy' as const) }),
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.constantFrom(60, 1_000, ANSWER_WAIT_MS, ANSWER_WAIT_MS + 1),
  }),
)

const ring: Schedule = {
  name: 'replay ring, against a plain one',
  runs: 10_000,
  property: fc.property(fc.array(ringStep, { maxLength: 40, size: 'max' }), steps => {
    const pool = new FragmentPool()
    const real = new ReplayBuffer({ pool, fragmentMs: 60, capacityMs: 480 })
    const plain = new PlainRing(8)
    let now = 1_723.456
    for (const step of steps) {
      switch (step.do) {
        case 'speak':
          for (let n = 0; n < step.count; n++) {
            for (let f = 0; f < 3; f++) real.write(FRAME, step.quiet)
            plain.speak(step.quiet)
          }
          break
        case 'send':
          for (let n = 0; n < step.count; n++)
            must(real.next(now)?.sequence === plain.next(now), 'the same fragment is next')
          break
        case 'ack':
          real.ack(plain.sequence - step.back, step.ok)
          plain.ack(plain.sequence - step.back, step.ok)
          break
        case 'discharge':
          real.discharge(plain.sequence - step.back)
          plain.discharge(plain.sequence - step.back)
          break
        case 'rewind':
          must(real.rewind() === plain.rewind(), 'as many again')
          break
        case 'tidy':
          real.tidy(now)
          plain.tidy(now)
          break
        default:
          now += step.ms
      }
      compare(real, plain, pool)
    }
    real.close()
    must(pool.lent === 0, 'all memory is back')
  }),
}

function compare(real: ReplayBuffer, plain: PlainRing, pool: FragmentPool): void {
  const { held } = plain
  must(real.length === held.length, `length ${real.length}, wanted ${held.length}`)
  must(real.oldest === (held[0]?.sequence ?? plain.sequence), 'the oldest')
  must(real.lostMs === plain.lostMs, `lost ${real.lostMs}, wanted ${plain.lostMs}`)
  must(real.inFlight === plain.waiting.length, `in flight ${real.inFlight}, wanted ${plain.waiting.length}`)
  must(real.waitingSince() === plain.waiting.toSorted((a, b) => a - b)[0], 'the longest wait')
  must(real.resting === held.every(({ quiet }) => quiet), 'whether anything was said')
  must(pool.lent === held.length, `memory of ${pool.lent}`)
  for (const { sequence, quiet } of held.slice(0, -1)) {
    const follows = held.find(each => each.sequence === sequence + 1)?.quiet
    must(real.afterSpeech(sequence * 3 + 1.5) === (follows ? sequence + 1 : sequence), 'after speech')
    must(real.afterSpeech(sequence * 3) === sequence && typeof quiet === 'boolean', 'at an edge')
  }
}

export const RING_SCHEDULES: readonly Schedule[] = [ring]
