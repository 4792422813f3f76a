import { describe, expect, test } from 'vitest'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import type { SessionState } from '../../../src/core/model/events.ts'
import { next, nextAttempt, type SessionInput } from '../../../src/core/translation/session-state.ts'

const reason: EndReason = { kind: 'unused' }
const states = {
  idle: { status: 'idle' },
  opening: { status: 'opening', attempt: 3, since: 100 },
  queued: { status: 'queued', since: 100 },
  live: { status: 'live', attempt: 3, since: 1_000 },
  waiting: { status: 'waiting', attempt: 3, until: 1_500, since: 100 },
  ended: { status: 'ended', reason },
} satisfies Record<SessionState['status'], SessionState>
const inputs = {
  wake: { type: 'wake', at: 2_000 },
  rest: { type: 'rest' },
  ready: { type: 'ready', at: 2_000 },
  dropped: { type: 'dropped', at: 2_000, waitMs: 75 },
  retry: { type: 'retry', at: 2_000 },
  full: { type: 'full' },
  renewed: { type: 'renewed', at: 2_000 },
  end: { type: 'end', reason: { kind: 'hangup', by: 'local' } },
} satisfies Record<SessionInput['type'], SessionInput>

const ended = { status: 'ended', reason: inputs.end.reason }
/** Every state with every input: the next state, or that it is invalid. */
const TABLE: Record<keyof typeof states, Record<keyof typeof inputs, unknown>> = {
  idle: {
    wake: { status: 'opening', attempt: 1, since: 2_000 },
    rest: 'impossible',
    ready: 'impossible',
    dropped: 'impossible',
    retry: 'impossible',
    full: 'impossible',
    renewed: 'impossible',
    end: ended,
  },
  opening: {
    wake: 'impossible',
    rest: states.idle,
    ready: { status: 'live', attempt: 3, since: 2_000 },
    dropped: { status: 'waiting', attempt: 4, until: 2_075, since: 100 },
    retry: 'impossible',
    full: states.queued,
    renewed: 'impossible',
    end: ended,
  },
  queued: {
    wake: 'impossible',
    rest: states.idle,
    ready: { status: 'live', attempt: 1, since: 2_000 },
    dropped: { status: 'waiting', attempt: 2, until: 2_075, since: 100 },
    retry: 'impossible',
    full: states.queued,
    renewed: 'impossible',
    end: ended,
  },
  live: {
    wake: 'impossible',
    rest: states.idle,
    ready: 'impossible',
    dropped: { status: 'waiting', attempt: 4, until: 2_075, since: 2_000 },
    retry: 'impossible',
    full: 'impossible',
    renewed: { status: 'live', attempt: 1, since: 2_000 },
    end: ended,
  },
  waiting: {
    wake: 'impossible',
    rest: states.idle,
    ready: 'impossible',
    dropped: 'impossible',
    retry: { status: 'opening', attempt: 3, since: 100 },
    full: 'impossible',
    renewed: 'impossible',
    end: ended,
  },
  // Final, and any input is accepted.
  ended: {
    wake: states.ended,
    rest: states.ended,
    ready: states.ended,
    dropped: states.ended,
    retry: states.ended,
    full: states.ended,
    renewed: states.ended,
    end: states.ended,
  },
}

describe("a session's state", () => {
  for (const [status, row] of Object.entries(TABLE))
    for (const [type, wanted] of Object.entries(row))
      test(`${status}, ${type}`, () => {
        const state = states[status as keyof typeof states]
        const input = inputs[type as keyof typeof inputs]
        const before = structuredClone(state)
        if (wanted === 'impossible')
          expect(() => next(state, input)).toThrow(
            expect.objectContaining({ code: 'STATE', message: expect.stringContaining(status) }),
          )
        else expect(next(state, input)).toEqual(wanted)
        expect(state).toEqual(before)
      })

  test('attempts keep counting until a connection has lived for 2 s', () => {
    const live = states.live
    expect(nextAttempt(live, live.since + 1_999)).toBe(4)
    expect(nextAttempt(live, live.since + 2_000)).toBe(1)
    expect(nextAttempt(states.opening, 10_000_000)).toBe(4)
  })
})
