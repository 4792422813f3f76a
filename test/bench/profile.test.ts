import { expect, test } from 'vitest'
import { type CpuProfile, sharesOf } from '../../bench/profile.ts'

const frame = (id: number, functionName: string, url = '') => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
})

/** Samples of 1 ms each. */
function profile(samples: number[]): CpuProfile {
  const nodes = [
    frame(1, '(idle)'),
    frame(2, 'send', 'file:///p/node_modules/ws/lib/sender.js'),
    frame(3, 'emit', 'file:///p/node_modules/@socket.io/component-emitter/index.js'),
    frame(4, 'encode', 'data:application/wasm;base64,AAAA'),
  ]
  return { nodes, samples, timeDeltas: samples.map(() => 1_000) }
}

test('shares out the time of packages and functions, without idle time', () => {
  const { packages, functions } = sharesOf(profile([1, 1, 2, 2, 2, 3]), { fromMs: 0, untilMs: 100 })
  expect(packages).toEqual([
    { name: 'ws', share: 0.75 },
    { name: '@socket.io/component-emitter', share: 0.25 },
  ])
  expect(functions[0]).toEqual({ name: 'ws  send', share: 0.75 })
})

test('counts only the measured window', () => {
  const { packages } = sharesOf(profile([2, 2, 3, 3, 2]), { fromMs: 3, untilMs: 4 })
  expect(packages).toEqual([{ name: '@socket.io/component-emitter', share: 1 }])
})

test('names embedded modules without their contents', () => {
  const { packages } = sharesOf(profile([4]), { fromMs: 0, untilMs: 10 })
  expect(packages).toEqual([{ name: '(embedded)', share: 1 }])
})
