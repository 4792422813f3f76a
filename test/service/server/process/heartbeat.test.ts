import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { Watchdog } from '../../../../src/service/supervision.ts'

function heart() {
  const clock = new FakeClock()
  const lost: number[] = []
  let asked = 0
  const heartbeat = new Watchdog({ clock, ask: () => void asked++, lost: ms => void lost.push(ms) })
  heartbeat.start()
  return { clock, lost, heartbeat, asked: () => asked }
}

test('a peer that responds occasionally is alive', () => {
  const { clock, lost, heartbeat, asked } = heart()
  for (let n = 0; n < 10; n++) {
    clock.advance(7_000)
    heartbeat.answered()
  }
  expect([asked(), lost]).toEqual([70, []])
})

test('a peer that misses eight requests is lost, once', () => {
  const { clock, lost, asked } = heart()
  clock.advance(60_000)
  expect([asked(), lost, clock.pending]).toEqual([8, [8_000], 0])
})

test('loses no process when the parent itself was suspended for a minute', () => {
  let now = 1_723.456
  const tasks: (() => void)[] = []
  const at = (_deadline: number, task: () => void) => {
    tasks.push(task)
    return { [Symbol.dispose]() {} }
  }
  const lost: number[] = []
  let asked = 0
  const parts = {
    clock: { now: () => now, at },
    ask: () => void asked++,
    lost: (ms: number) => void lost.push(ms),
  }
  new Watchdog(parts).start()
  now = 60_000
  tasks.shift()?.()
  expect([asked, lost]).toEqual([1, []])
})
