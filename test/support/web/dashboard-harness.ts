import { ActivityLog } from '../../../src/web/dashboard/activity-log.ts'
import { type ServerSources, serverState } from '../../../src/web/dashboard/server-state.ts'
import type { ParticipantView } from '../../../src/web/dashboard/state.ts'
import { rooms } from '../relay/rooms.ts'

/** The date at which the clocks of tests start. */
export const START = 1_700_000_000_000

/** A scripted relay, and what the dashboard shows of it. */
export async function watched() {
  const world = await rooms()
  const { relay, clock } = world
  const wall = () => START + clock.now()
  const phones = new Map<string, { call: string; phone: number }>()
  const simulated = (call: string | undefined) => phones.get(call ?? '') ?? null
  const log = new ActivityLog({ relay, wall, simulated })
  log.start()
  const sources: { -readonly [K in keyof ServerSources]: ServerSources[K] } = {
    ...{ relay, log, clock, wall, simulated },
    notReady: () => undefined,
    overload: { reason: undefined, rejected: 0, lateMs: 1.2, memoryShare: 0.123 },
    embedded: () => undefined,
    recording: room => (room === 'recorded' ? 'recording' : null),
    calls: () => [],
  }
  const state = () => serverState(sources)
  const party = (id: string) => relay.find(id)!
  /** What `id` hears of whom. */
  const hearing = (id: string) =>
    (view(id)?.hearing ?? []).map(
      ({ hears, of, why, problem }) => `${hears} of ${of}: ${why}${problem ? '!' : ''}`,
    )
  const view = (id: string): ParticipantView | undefined =>
    state()
      .rooms.flatMap(({ participants }) => participants)
      .find(each => each.id === id)
  return { ...world, phones, log, sources, state, party, hearing, view }
}
