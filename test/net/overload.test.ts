import { totalmem } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import type { Clock } from '../../src/common/clock.ts'
import { MAX_MEMORY_SHARE, Overload } from '../../src/net/overload.ts'
import { LogLines } from '../support/log-lines.ts'

afterEach(() => void vi.restoreAllMocks())

const LIMITS = { maxEventLoopLagMs: 100 }

/** The clock of a program whose timers are all late. */
class LateClock implements Clock {
  lateMs = 0
  #now = 0
  #task: { deadline: number; task: () => void } | undefined

  now(): number {
    return this.#now
  }

  at(deadline: number, task: () => void): Disposable {
    this.#task = { deadline, task }
    return {
      [Symbol.dispose]: () => {
        this.#task = undefined
      },
    }
  }

  /** Runs all timers due within `ms`, late. */
  run(ms: number): void {
    const end = this.#now + ms
    while (this.#task && this.#task.deadline + this.lateMs <= end) {
      const { deadline, task } = this.#task
      this.#now = deadline + this.lateMs
      task()
    }
    this.#now = end
  }

  get idle(): boolean {
    return this.#task === undefined
  }
}

test('rejects new calls while timers are late, and accepts them again after a recovery time', () => {
  const clock = new LateClock()
  const log = new LogLines()
  using overload = new Overload({ ...LIMITS, clock, log, memoryShare: () => 0.1 })
  overload.start()
  clock.run(10_000)
  expect(overload.rejection()).toBeUndefined()
  // A single stall is no overload.
  clock.lateMs = 450
  clock.run(600)
  clock.lateMs = 0
  expect(overload.reason).toBeUndefined()
  clock.run(10_000)
  clock.lateMs = 150
  clock.run(3_000)
  expect(overload.rejection()).toBe('late')
  expect(overload.rejection()).toBe('late')
  expect(overload.lateMs).toBeGreaterThan(100)
  clock.lateMs = 0
  clock.run(2_000)
  expect(overload.reason).toBe('late')
  clock.run(3_000)
  expect(overload.rejection()).toBeUndefined()
  expect([overload.periods, overload.rejected]).toEqual([1, 2])
  expect(log.all.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn overloaded: rejecting new calls',
    'info overload ended',
  ])
})

test('does the same for memory', () => {
  const clock = new LateClock()
  let share = 0.84
  using overload = new Overload({ ...LIMITS, clock, log: new LogLines(), memoryShare: () => share })
  overload.start()
  clock.run(5_000)
  expect(overload.reason).toBeUndefined()
  share = 0.86
  clock.run(2_000)
  expect(overload.reason).toBe('memory')
  // Not recovered: it would close again at once.
  share = 0.75
  clock.run(20_000)
  expect(overload.reason).toBe('memory')
  share = 0.5
  clock.run(5_000)
  expect(overload.reason).toBeUndefined()
})

test('memory that cannot be measured counts as full, until it can be', () => {
  const clock = new LateClock()
  let descriptors = false
  const memoryShare = () => {
    if (!descriptors) throw new Error('EMFILE: too many open files, uv_resident_set_memory')
    return 0.5
  }
  using overload = new Overload({ ...LIMITS, clock, log: new LogLines(), memoryShare })
  overload.start()
  clock.run(2_000)
  expect(overload.reason).toBe('memory')
  descriptors = true
  clock.run(10_000)
  expect(overload.reason).toBeUndefined()
})

test('measures this process, and releases its clock', () => {
  const clock = new LateClock()
  const overload = new Overload({ ...LIMITS, clock, log: new LogLines() })
  overload.start()
  clock.run(200)
  expect(overload.memoryShare).toBeGreaterThan(0)
  expect(overload.memoryShare).toBeLessThan(1)
  overload[Symbol.dispose]()
  expect(clock.idle).toBe(true)
})

test('logs the exceeded limit and the values', () => {
  const clock = new LateClock()
  const log = new LogLines()
  let share = 0.876_54
  using overload = new Overload({ ...LIMITS, clock, log, memoryShare: () => share })
  overload.start()
  clock.run(150)
  share = 0.123_45
  clock.run(5_000)
  expect(log.all.map(({ fields }) => fields)).toEqual([
    { reason: 'memory', lateMs: 0, memoryShare: 0.88 },
    { rejected: 0, lateMs: 0, memoryShare: 0.12 },
  ])
})

test('exactly at the limit it accepts, and near it does not recover', () => {
  const clock = new LateClock()
  let share = MAX_MEMORY_SHARE
  using overload = new Overload({ ...LIMITS, clock, log: new LogLines(), memoryShare: () => share })
  overload.start()
  clock.lateMs = LIMITS.maxEventLoopLagMs
  clock.run(5_000)
  expect(overload.reason).toBeUndefined()
  share = 0.1
  clock.lateMs = 101
  clock.run(5_000)
  expect(overload.reason).toBe('late')
  // Better, but not recovered.
  clock.lateMs = 90
  clock.run(20_000)
  expect(overload.reason).toBe('late')
  clock.lateMs = 70
  clock.run(5_000)
  expect(overload.reason).toBeUndefined()
})

test.each([
  ['of the machine, without a limit', 0, 0.5],
  ['of the machine, where more than it has is set', 4 * totalmem(), 0.5],
  ['of the memory available to this process', 0.625 * totalmem(), 0.8],
])('measures memory by the share %s', (_what, allowed, share) => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(allowed)
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(totalmem() / 2)
  const clock = new LateClock()
  using overload = new Overload({ ...LIMITS, clock, log: new LogLines() })
  overload.start()
  clock.run(200)
  expect(overload.memoryShare).toBeCloseTo(share, 6)
})
