import type { RelayEvents } from '../../../src/core/model/events.ts'
import type { Participant } from '../../../src/core/room/participant.ts'
import { Lookout, type LookoutParts } from '../../../src/web/dashboard/activity.ts'
import type { Pulse } from '../../../src/web/dashboard/health.ts'
import { Board } from '../../../src/web/dashboard/page/board.ts'
import type { Delta, Levels, SimulatedCallView, Snapshot } from '../../../src/web/dashboard/protocol.ts'
import { rooms } from '../../helpers/rooms.ts'

/** A process that does as it is told. */
class FakePulse implements Pulse {
  running = 0
  now = { loopLagMs: 1.26, cpuPercent: 12.34, memoryBytes: 100 * 2 ** 20 }

  start(): void {
    this.running++
  }

  stop(): void {
    this.running--
  }

  look() {
    return this.now
  }
}

/** The date at which the clocks of tests begin. */
export const START = 1_700_000_000_000

/** A relay that the test plays, and what a dashboard is told of it. */
export async function watched() {
  const world = await rooms()
  const { relay, clock } = world
  const pulse = new FakePulse()
  const calls: SimulatedCallView[] = []
  const simulated = new Map<string, { call: string; phone: number }>()
  const health = {
    overload: { strain: undefined as 'late' | undefined, turnedAway: 0, memoryShare: 0.123 },
    door: {
      counters: {
        ...{ connections: 3, strangers: 1, guests: 0, displaced: 0, unreadable: 0 },
        ...{ refusedInAll: 1, refusedByAddress: 2, refusedByRate: 3 },
        ...{ requestsRefusedByAddress: 4, requestsRefusedInAll: 5 },
      },
    },
    drain: { draining: false },
  }
  const parts: LookoutParts = {
    ...health,
    ...{ relay, clock, pulse },
    wall: () => START + clock.now(),
    embedded: () => ({ running: true, restarts: 2 }),
    simulated: call => (call === undefined ? null : (simulated.get(call) ?? null)),
    recording: room => (room === 'recorded' ? 'recording' : null),
    calls: () => calls,
  }
  const look = () => new Lookout(parts)
  const listening = () =>
    (['level', 'session', 'admitted', 'dtmf'] satisfies (keyof RelayEvents)[]).some(name =>
      relay.observer.wants(name),
    )
  const party = (id: string) => relay.find(id) as Participant
  return { ...world, pulse, calls, simulated, health, parts, look, listening, party }
}

/** What a page has after a snapshot and what followed. */
export function boardOf(lookout: Pick<Lookout, 'snapshot'>): Board {
  const board = new Board()
  board.snapshot(JSON.parse(lookout.snapshot) as Snapshot)
  return board
}

export function follow(board: Board, lookout: Pick<Lookout, 'delta' | 'levels'>): void {
  const levels = lookout.levels()
  if (levels) board.levels(JSON.parse(levels) as Levels)
  board.delta(JSON.parse(lookout.delta()) as Delta)
}

/** All that two boards must agree in: who is there and how it is with them. */
export function seen(board: Board) {
  return {
    rooms: [...board.rooms.values()].sort((a, b) => a.name.localeCompare(b.name)),
    legs: [...board.legs.values()]
      .map(({ figures, level, lagMs }) => ({ ...figures, level, lagMs }))
      .sort((a, b) => a.n - b.n),
    events: board.events,
    utterances: board.utterances,
    quantiles: board.quantiles,
    calls: board.calls,
    health: board.health.at(-1),
  }
}
