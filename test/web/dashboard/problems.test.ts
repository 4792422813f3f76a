import { expect, test } from 'vitest'
import { problemsOf } from '../../../src/web/dashboard/problems.ts'
import type { EngineView, Health } from '../../../src/web/dashboard/state.ts'

const WELL: Health = {
  notReady: null,
  services: ['closed'],
  sessions: { waiting: 0, onFallback: 0 },
  listeners: { needing: 3, lacking: 0, replaced: 0, why: [] },
  overload: null,
  rejected: 12,
  eventLoopLagMs: 400,
  memoryPercent: 10,
  latency: null,
  earVoiceMs: null,
  embedded: { running: true, restarts: 3, engines: [], missing: [] },
}
const PIPER: EngineView = {
  ...{ kind: 'synthesis', engine: 'piper', requests: 1, failed: 1 },
  ...{ instead: 'espeak', why: 'failed' },
}
const told = (change: Partial<Health>) => problemsOf({ ...WELL, ...change }, ['Anna'])

test.each<[Partial<Health>, object[]]>([
  // Load and counters alone are no problem.
  [{}, []],
  [{ embedded: null }, []],
  [
    { services: ['open'], embedded: null },
    [
      {
        mood: 'bad',
        title: 'Translation service unavailable.',
        fix: expect.stringContaining('service.fallbacks'),
      },
    ],
  ],
  [
    { services: ['half-open', 'closed'], embedded: null },
    [{ mood: 'warn', effect: 'A fallback service translates.' }],
  ],
  [
    { services: ['open'], embedded: { running: false, restarts: 3, engines: [], missing: [] } },
    [
      {
        title: 'Embedded engines are restarting (3 times).',
        fix: expect.stringContaining('dragoman doctor'),
      },
    ],
  ],
  [{ overload: 'late' }, [{ mood: 'bad', fix: expect.stringContaining('maxLegs') }]],
  [{ memoryPercent: 93 }, [{ title: 'Memory is at 93 % of the limit.' }]],
  [{ overload: 'memory', memoryPercent: 93 }, [{ effect: 'New calls are rejected.' }]],
  [{ notReady: 'draining' }, [{ mood: 'warn', fix: '' }]],
  [
    { embedded: { running: true, restarts: 0, engines: [PIPER], missing: [] } },
    [{ mood: 'warn', title: 'Engines are replaced: espeak instead of piper.' }],
  ],
  // Listeners can lack a speaker although the service responds.
  [
    { listeners: { needing: 3, lacking: 2, replaced: 0, why: ['no-place'] } },
    [
      {
        mood: 'bad',
        title: '2 of 3 listeners get no translation.',
        effect: 'They hear the original voice of Anna.',
        fix: expect.stringContaining('embedded.maxSessions'),
      },
    ],
  ],
  // The service is the reason: said once.
  [
    {
      services: ['open'],
      listeners: { needing: 3, lacking: 3, replaced: 0, why: ['service-unavailable'] },
    },
    [{ mood: 'bad', title: 'Translation service unavailable.' }],
  ],
  [
    { embedded: null, listeners: { needing: 3, lacking: 0, replaced: 2, why: [] } },
    [{ mood: 'warn', title: '2 of 3 listeners get translations of a replacement engine.' }],
  ],
  // All at once, the most severe first.
  [
    {
      listeners: { needing: 3, lacking: 2, replaced: 1, why: ['no-connection'] },
      services: ['open', 'closed'],
      overload: 'late',
      notReady: 'draining',
    },
    [{ title: expect.stringContaining('2 of 3') }, { mood: 'warn' }, { mood: 'bad' }, { mood: 'warn' }],
  ],
])('names each problem with its effect and fix: %j', (change, problems) => {
  expect(told(change)).toMatchObject(problems)
})
