import { expect, test } from 'vitest'
import { SignsOfLife, type Vital } from '../../../../src/bridges/browser/page/signs-of-life.ts'

/** Runs `signs` from `from` to `to`, checked every 250 ms; `frames`: they arrive meanwhile. Returns what happened, with its time. */
function run(
  signs: SignsOfLife,
  from: number,
  to: number,
  { frames, running }: { frames: boolean; running: boolean },
): { vitals: [number, Vital][]; repairs: [number, string][] } {
  const vitals: [number, Vital][] = []
  const repairs: [number, string][] = []
  for (let now = from + 10; now <= to; now += 10) {
    if (frames && now % 20 === 0) signs.frame(now)
    if (now % 250 !== 0) continue
    const vital = signs.check(now, running)
    if (vitals.at(-1)?.[1] !== vital) vitals.push([now, vital])
    const repair = signs.repair(now)
    if (repair) repairs.push([now, repair])
  }
  return { vitals, repairs }
}

function alive(): SignsOfLife {
  const signs = new SignsOfLife()
  signs.begin(0)
  expect(run(signs, 0, 5_000, { frames: true, running: true })).toEqual({
    vitals: [[250, 'alive']],
    repairs: [],
  })
  return signs
}

test('a paused context is noticed after a second without frames, continued every second, and opened again if a tap does not help', () => {
  const signs = alive()
  const paused = run(signs, 5_000, 8_000, { frames: false, running: false })
  expect(paused.vitals).toEqual([
    [5_250, 'alive'],
    [6_000, 'paused'],
  ])
  expect(paused.repairs.map(([, repair]) => repair)).toEqual(['resume', 'resume', 'resume'])
  signs.tap(8_000)
  const tapped = run(signs, 8_000, 12_000, { frames: false, running: false })
  expect(tapped.repairs.find(([, repair]) => repair === 'reopen')).toEqual([11_000, 'reopen'])
  expect(run(signs, 12_000, 13_000, { frames: true, running: true }).vitals).toEqual([[12_250, 'alive']])
})

test('a context that claims to run without frames is dead, and opened again', () => {
  const signs = alive()
  const { vitals, repairs } = run(signs, 5_000, 20_000, { frames: false, running: true })
  expect(vitals.at(-1)).toEqual([6_000, 'dead'])
  expect(repairs).toEqual([
    [9_000, 'reopen'],
    [19_000, 'reopen'],
  ])
})

test('after the page itself stood still, it waits for the frames behind it', () => {
  const signs = alive()
  expect(signs.check(65_000, true)).toBe('alive')
  expect(signs.check(65_250, true)).toBe('dead')
})
