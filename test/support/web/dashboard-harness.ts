import type { RelayEvents } from '../../../src/core/model/events.ts'
import type { Participant } from '../../../src/core/room/participant.ts'
import {
  ActivityFeed,
  type ActivityFeedOptions,
  type WatchedFeed,
} from '../../../src/web/dashboard/activity.ts'
import type { ProcessStats } from '../../../src/web/dashboard/health.ts'
import { Board } from '../../../src/web/dashboard/page/board.ts'
import type { Delta, Levels, SimulatedCallView, Snapshot } from '../../../src/web/dashboard/protocol.ts'
import { rooms } from '../relay/rooms.ts'

/** A process with scripted figures. */
class FakePulse implements ProcessStats {
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

/** The date at which the clocks of tests start. */
export const START = 1_700_000_000_000

/** A scripted relay, and the updates that a dashboard receives about it. */
export async function watched() {
  const world = await rooms()
  const { relay, clock } = world
  const pulse = new FakePulse()
  const calls: SimulatedCallView[] = []
  const simulated = new Map<string, { call: string; phone: number }>()
  const health = {
    overload: { reason: undefined as 'late' | undefined, rejected: 0, memoryShare: 0.123 },
    requestGuard: {
      counters: {
        ...{ connections: 3, unauthenticated: 1, guests: 0, displaced: 0, malformed: 0 },
        ...{ rejectedInTotal: 1 },
        ...{ requestsRejectedByAddress: 4, requestsRejectedInTotal: 5 },
      },
    },
    drain: { draining: false },
  }
  const parts: ActivityFeedOptions = {
    ...health,
    ...{ relay, clock, pulse },
    wall: () => START + clock.now(),
    embedded: () => ({
      running: true,
      restarts: 2,
      figures: { standIns: [{ engine: 'sherpa', instead: 'espeak' }] },
    }),
    simulated: call => (call === undefined ? null : (simulated.get(call) ?? null)),
    recording: room => (room === 'recorded' ? 'recording' : null),
    calls: () => calls,
  }
  const feed = new ActivityFeed(parts)
  feed.start()
  const look = () => feed.watch()
  const listening = () =>
    (['level', 'lag'] satisfies (keyof RelayEvents)[]).some(name => relay.observer.wants(name))
  const party = (id: string) => relay.find(id) as Participant
  return { ...world, pulse, calls, simulated, health, parts, look, listening, party }
}

/** The state of a page after a snapshot and the updates that followed. */
export function boardOf(feed: Pick<WatchedFeed, 'snapshot'>): Board {
  const board = new Board()
  board.snapshot(JSON.parse(feed.snapshot) as Snapshot)
  return board
}

export function follow(board: Board, feed: Pick<WatchedFeed, 'delta' | 'levels'>): void {
  const levels = feed.levels()
  if (levels) board.levels(JSON.parse(levels) as Levels)
  board.delta(JSON.parse(feed.delta()) as Delta)
}

/** Everything in which two boards must agree: the participants and their figures. */
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
