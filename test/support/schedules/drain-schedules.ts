import fc from 'fast-check'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { Drain } from '../../../src/app/drain.ts'
import { CallRegistry } from '../../../src/bridges/phone/call-registry.ts'
import { DEFAULT_LIMITS } from '../../../src/bridges/phone/limits.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { drainSettingsSchema } from '../../../src/core/calls/settings.ts'
import { must } from '../../fuzz/target.ts'
import type { Schedule } from './schedule.ts'

const SECONDS = 30
/** Interval at which the drain checks (ms), and the time it waits for handed-over calls. */
const LOOK_MS = 100
const HANDED_OVER_MS = 2_000

const who = fc.constantFrom('CA1', 'CA2', 'CA3')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('comes' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('goes' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('asks' as const), who }) },
  { weight: 1, arbitrary: fc.constant({ do: 'begin' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'hurry' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(50, 300, 2_000, 9_000, 31_000),
    }),
  },
)

/** Lets settled promises run. */
async function told(): Promise<void> {
  for (let n = 0; n < 6; n++) await Promise.resolve()
}

const drain: Schedule = {
  name: 'a drain and the calls that it hands over',
  runs: 2_000,
  property: fc.asyncProperty(fc.array(step, { maxLength: 24, size: 'max' }), async steps => {
    const clock = new FakeClock(1_000)
    const here = new Set<string>()
    const calls = new CallRegistry(clock, DEFAULT_LIMITS)
    const drain = new Drain({
      settings: drainSettingsSchema.parse({ seconds: SECONDS }),
      clock,
      log: noopLogger,
      calls: () => here.size,
    })
    let began: number | undefined
    let hurried = false
    let overAt: number | undefined
    let handed: { at: number; left: Set<string> } | undefined
    let goneAt: number | undefined
    let turned = 0
    /** Violations found where no error could be reported. */
    const broken: string[] = []
    const begin = () => {
      began ??= clock.now()
      void drain.begin().then(() => {
        if (overAt !== undefined) return
        overAt = clock.now()
        const early = overAt - (began ?? 0) < SECONDS * 1_000
        if (!hurried && early && here.size > 0) broken.push('calls can continue until the deadline')
        const left = new Set(here)
        handed = { at: overAt, left }
        void calls.leave(here).then(() => {
          goneAt = clock.now()
          if (left.size > 0 && goneAt - overAt! < HANDED_OVER_MS)
            broken.push('no call is dropped while it can still be handed over')
        })
      })
    }
    for (const each of steps) {
      let looked = false
      if (each.do === 'comes') {
        const rejection = drain.rejection()
        must((rejection !== undefined) === (began !== undefined), 'admits calls only before it starts')
        if (rejection) turned++
        else here.add(each.who)
      } else if (each.do === 'goes') here.delete(each.who)
      else if (each.do === 'asks') {
        must(calls.leaving === (handed !== undefined), 'calls are sent on when they are handed over')
        handed?.left.delete(each.who)
        calls.sentOn(each.who)
      } else if (each.do === 'begin') begin()
      else if (each.do === 'hurry') {
        hurried = true
        drain.hurry()
      } else {
        looked = each.ms >= LOOK_MS
        for (let ms = 0; ms < each.ms; ms += LOOK_MS) {
          clock.advance(Math.min(LOOK_MS, each.ms - ms))
          await told()
        }
      }
      await told()
      must(broken.length === 0, broken[0] ?? '')
      must(drain.rejected === turned, 'rejected calls are counted')
      if (began === undefined) continue
      const late = clock.now() - began
      must(overAt !== undefined || late < SECONDS * 1_000 + LOOK_MS, 'no drain takes longer than its time')
      must(overAt !== undefined || !hurried, 'a hurry is one')
      must(overAt !== undefined || here.size > 0 || !looked, 'it ends with the last call')
      must(goneAt === undefined || clock.pending === 0, 'ended calls wait for nothing')
      if (overAt !== undefined)
        must(
          goneAt !== undefined || clock.now() - overAt < HANDED_OVER_MS + LOOK_MS,
          'does not wait indefinitely for calls that do not resume',
        )
      if (handed?.left.size === 0) must(goneAt !== undefined, 'when all were sent on it is over at once')
    }
    begin()
    clock.advance(SECONDS * 1_000 + LOOK_MS)
    await told()
    clock.advance(HANDED_OVER_MS)
    await told()
    must(overAt !== undefined && goneAt !== undefined, 'it is over, and all are sent on')
    must(clock.pending === 0, `remaining timers: ${clock.pending}`)
  }),
}

export const DRAIN_SCHEDULES: readonly Schedule[] = [drain]
