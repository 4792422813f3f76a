import fc from 'fast-check'
import { FragmentPool } from '../../../src/core/fragment.ts'
import { KEY_ACTIONS, keyTable, NO_KEYS, press } from '../../../src/core/key-commands.ts'
import { type MarkLost, PlayoutMarks } from '../../../src/core/playout-marks.ts'
import { ReplayRing } from '../../../src/core/replay-ring.ts'
import { type CallState, next as nextCall } from '../../../src/core/switchboard-state.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

const FRAME = new Int16Array(FRAME_SAMPLES)
/** Forgotten without an answer after this long (ms), and quiet kept before speech (fragments of 60 ms). */
const ANSWER_WAIT_MS = 15_000
const PREROLL = 5

interface Held {
  readonly sequence: number
  sentAt: number
  acked: boolean
  readonly quiet: boolean
}

/** The replay ring again, by its description alone: slow and simple. */
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
  short: 10_000,
  long: 1_000_000,
  property: fc.property(fc.array(ringStep, { maxLength: 40, size: 'max' }), steps => {
    const pool = new FragmentPool(1_920)
    const real = new ReplayRing(pool, 60, 480)
    const plain = new PlainRing(8)
    let now = 0
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

function compare(real: ReplayRing, plain: PlainRing, pool: FragmentPool): void {
  const { held } = plain
  must(real.length === held.length, `length ${real.length}, wanted ${held.length}`)
  must(real.oldest === (held[0]?.sequence ?? plain.sequence), 'the oldest')
  must(real.lostMs === plain.lostMs, `lost ${real.lostMs}, wanted ${plain.lostMs}`)
  must(real.inFlight === plain.waiting.length, `in flight ${real.inFlight}, wanted ${plain.waiting.length}`)
  must(real.waitingSince() === plain.waiting.toSorted((a, b) => a - b)[0], 'the longest wait')
  must(real.resting === held.every(({ quiet }) => quiet), 'whether anything was said')
  // Held, and the one that is being filled.
  must(pool.lent === held.length + 1, `memory of ${pool.lent}`)
  for (const { sequence, quiet } of held.slice(0, -1)) {
    const follows = held.find(each => each.sequence === sequence + 1)?.quiet
    must(real.afterSpeech(sequence + 0.5) === (follows ? sequence + 1 : sequence), 'after speech')
    must(real.afterSpeech(sequence) === sequence && typeof quiet === 'boolean', 'at an edge')
  }
}

const markStep = fc.oneof(
  fc.record({ do: fc.constant('add' as const) }),
  fc.record({ do: fc.constant('take' as const), inMs: fc.nat(400) }),
  fc.record({ do: fc.constant('confirm' as const), which: fc.nat(12) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(20, 5_000, 9_999, 10_000) }),
  fc.record({
    do: fc.constant('clear' as const),
    why: fc.constantFrom('flushed' as const, 'leg-gone' as const),
  }),
)

const marks: Schedule = {
  name: 'marks behind what is played',
  short: 10_000,
  long: 1_000_000,
  property: fc.property(fc.array(markStep, { maxLength: 60, size: 'max' }), steps => {
    const real = new PlayoutMarks()
    /** What became of each mark, by its number; and by when it is played. */
    const ends: (string | undefined)[] = []
    const playedBy: (number | undefined)[] = []
    let now = 0
    let pending: number[] = []
    const told = (n: number, end: string) => {
      must(ends[n] === undefined, 'each mark has one end')
      ends[n] = end
    }
    const open = () => ends.flatMap((end, n) => (end === undefined ? [n] : []))
    for (const step of steps) {
      switch (step.do) {
        case 'add': {
          const n = ends.push(undefined) - 1
          playedBy.push(undefined)
          pending.push(n)
          real.add(
            `m${n}`,
            () => told(n, 'heard'),
            (why: MarkLost) => told(n, why),
          )
          break
        }
        case 'take':
          must(
            real.take(now + step.inMs).join() === pending.map(n => `m${n}`).join(),
            'those behind the message',
          )
          for (const n of pending) playedBy[n] = now + step.inMs
          pending = []
          break
        case 'confirm': {
          const known = ends[step.which]
          real.confirm(`m${step.which}`)
          if (step.which < ends.length) must(ends[step.which] === (known ?? 'heard'), 'it was heard')
          break
        }
        case 'wait': {
          now += step.ms
          const before = open()
          real.check(now)
          for (const n of before) {
            const due = playedBy[n] !== undefined && now - playedBy[n] >= 10_000
            if (ends[n] !== undefined)
              must(ends[n] === 'overdue' && due, 'only what is long overdue is given up')
            // In the order in which they are played, nothing overdue is left at the front.
            else if (n === before[0]) must(!due, 'what is overdue is given up')
          }
          break
        }
        default: {
          const before = open()
          real.clear(step.why)
          pending = []
          for (const n of before) must(ends[n] === step.why, 'none comes back')
        }
      }
      must(real.unconfirmed === open().length, 'those that are awaited')
      must(real.pending === pending.length > 0, 'whether some go behind the next message')
    }
  }),
}

const KEYS = keyTable({
  pause: '*1',
  repeat: '*2',
  mute: '*3',
  recording: '*5',
  language: '*9',
  options: '*0',
})

const keys: Schedule = {
  name: 'keys of a telephone',
  short: 10_000,
  long: 1_000_000,
  property: fc.property(
    fc.array(fc.tuple(fc.constantFrom(...'0123456789*#ABCD'), fc.constantFrom(20, 500, 3_000, 3_001)), {
      maxLength: 30,
      size: 'max',
    }),
    presses => {
      let state = NO_KEYS
      let now = 0
      let recent = ''
      for (const [key, afterMs] of presses) {
        now += afterMs
        recent = (afterMs > 3_000 ? '' : recent) + key
        const step = press(KEYS, state, key, now, 3_000)
        state = step.state
        must(state.typed.length <= 2, 'what is kept is the beginning of a command')
        // A command is what was pressed last, all of it in time.
        if (step.command)
          must(
            [...KEYS.keys()].some(each => recent.endsWith(each)),
            'it was pressed',
          )
        if (step.command)
          must(
            KEY_ACTIONS.some(action => action === step.command?.action || 'choice' in step.command!),
            'a command',
          )
      }
    },
  ),
}

const present = fc.integer({ min: 0, max: 3 })
const RANK = { calling: 0, waiting: 1, talking: 2, parting: 3, over: 4 }

const switchboard: Schedule = {
  name: 'a call between two',
  short: 10_000,
  long: 1_000_000,
  property: fc.property(
    fc.array(
      fc.oneof(
        fc.constantFrom(
          { type: 'answered' as const },
          { type: 'said' as const },
          { type: 'time-up' as const },
        ),
        fc.record({
          type: fc.constant('unanswered' as const),
          why: fc.constant('busy' as const),
          stay: fc.boolean(),
          present,
        }),
        fc.record({
          type: fc.constant('left' as const),
          who: fc.constantFrom('caller' as const, 'callee' as const, 'guest' as const),
          present,
        }),
        fc.record({ type: fc.constant('joined' as const), present }),
        fc.record({ type: fc.constant('machine' as const), present }),
      ),
      { maxLength: 16, size: 'max' },
    ),
    inputs => {
      let state: CallState = { status: 'calling' }
      for (const input of inputs) {
        const then = nextCall(state, input)
        must(RANK[then.status] >= RANK[state.status], 'it never goes back')
        if (state.status === 'over') must(then === state, 'over is over')
        if (state.status === 'parting' && then.status === 'parting')
          must(then.farewell === state.farewell, 'there is one farewell')
        // Nobody is kept in a call in which nobody else is.
        if ('present' in input && input.present === 0 && input.type === 'left')
          must(then.status === 'over', 'a call of nobody is over')
        state = then
      }
    },
  ),
}

export const CORE_SCHEDULES: readonly Schedule[] = [ring, marks, keys, switchboard]
