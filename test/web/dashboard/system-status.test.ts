import { expect, test } from 'vitest'
import { systemProblem } from '../../../src/web/dashboard/page/system-status.ts'
import type { HealthFigures } from '../../../src/web/dashboard/protocol.ts'

const WELL: HealthFigures = {
  loopLagMs: 400,
  cpuPercent: 99,
  memoryMiB: 100,
  memoryPercent: 10,
  services: ['closed'],
  listeners: { needing: 3, lacking: 0, speakers: [] },
  waiting: 0,
  onFallback: 0,
  overloadReason: null,
  rejected: 12,
  draining: false,
  requestGuard: { connections: 9, unauthenticated: 4, rejected: 7, malformed: 3 },
  embedded: { running: true, restarts: 3, standIns: [] },
}
const told = (change: Partial<HealthFigures>) => systemProblem({ ...WELL, ...change })

test('load and counters alone are no problem', () => {
  expect(systemProblem(WELL)).toBeUndefined()
  expect(told({ embedded: null })).toBeUndefined()
})

test('names the fix for each problem, the most severe first', () => {
  expect(told({ services: ['open'], embedded: null })).toMatchObject({
    mood: 'bad',
    title: 'Translation service unavailable.',
    fix: expect.stringContaining('service.fallbacks'),
  })
  expect(told({ services: ['half-open', 'closed'], embedded: null })).toMatchObject({
    mood: 'warn',
    effect: 'A fallback service translates.',
  })
  const embedded = { running: false, restarts: 3, standIns: [] }
  expect(told({ services: ['open'], embedded })).toMatchObject({
    title: 'Embedded engines are restarting (3 times).',
    fix: expect.stringContaining('dragoman doctor'),
  })
  expect(told({ overloadReason: 'late' })).toMatchObject({
    mood: 'bad',
    fix: expect.stringContaining('maxLegs'),
  })
  expect(told({ memoryPercent: 93 })).toMatchObject({ title: 'Memory is at 93 % of the limit.' })
  expect(told({ overloadReason: 'memory', memoryPercent: 93 })?.effect).toBe('New calls are rejected.')
  expect(told({ draining: true })).toMatchObject({ mood: 'warn', fix: '' })
  expect(
    told({ embedded: { running: true, restarts: 0, standIns: ['espeak instead of sherpa'] } }),
  ).toMatchObject({
    mood: 'warn',
    title: 'Engines are replaced: espeak instead of sherpa.',
  })
})

test('names the speakers whom listeners lack, although the service responds', () => {
  const listeners = { needing: 3, lacking: 2, speakers: ['Anna'] }
  expect(told({ listeners })).toMatchObject({
    mood: 'bad',
    title: '2 of 3 listeners get no translation.',
    effect: 'They hear the original voice of Anna.',
  })
  expect(told({ listeners, services: ['open', 'closed'] })?.title).toContain('2 of 3')
  expect(told({ listeners, services: ['open'] })?.title).toBe('Translation service unavailable.')
})

test('a problem keeps its key while its figures change, so that it is announced once', () => {
  expect(told({ memoryPercent: 91 })?.key).toBe(told({ memoryPercent: 92 })?.key)
})
