import type { Clock } from '../../common/clock.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { LACKS, type Reception } from '../../core/model/reception.ts'
import type { Interpretation } from '../../core/room/interpretation.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Relay } from '../../core/room/relay.ts'
import type { Room } from '../../core/room/room.ts'
import type { Overload } from '../../net/overload.ts'
import type { ActivityLog, ActivityLogOptions } from './activity-log.ts'
import { hearingsOf } from './hearing.ts'
import { problemsOf } from './problems.ts'
import type {
  EngineView,
  Health,
  ParticipantView,
  RoomView,
  ServerState,
  SimulatedCallView,
} from './state.ts'

/** The figures of an embedded service that the dashboard shows. */
interface EmbeddedFigures {
  readonly engines: readonly {
    readonly kind: string
    readonly engine: string
    readonly requests: { readonly ok: number; readonly failed: number; readonly over_budget: number }
  }[]
  readonly standIns: readonly {
    readonly kind: string
    readonly engine: string
    readonly instead: string
    readonly why: string
  }[]
  /** Engines that are not available until the next start. */
  readonly missing?: readonly { readonly reason: string }[]
}

/** What the state is read from. The caller keeps ownership. */
export interface ServerSources {
  readonly relay: Relay
  readonly log: Pick<ActivityLog, 'events' | 'latency' | 'earVoiceMs' | 'nameOf'>
  readonly clock: Clock
  readonly wall: WallClock
  readonly notReady: () => string | undefined
  readonly overload: Pick<Overload, 'reason' | 'rejected' | 'lateMs' | 'memoryShare'>
  /** The embedded service; undefined if absent. */
  readonly embedded: () =>
    | { readonly running: boolean; readonly restarts: number; readonly figures?: EmbeddedFigures | undefined }
    | undefined
  /** Recording state of a room. */
  readonly recording: (room: string) => string | null
  readonly simulated: ActivityLogOptions['simulated']
  readonly calls: () => readonly SimulatedCallView[]
}

/** Maximum number of speakers that a problem names. */
const MOST_SPEAKERS = 3

/** Reads the state of this server now. */
export function serverState(sources: ServerSources): ServerState {
  const { relay, log, calls } = sources
  const receptions = Array.from(relay.rooms.values(), room => room.receptions).flat()
  const lacking = receptions.filter(({ gets }) => gets === 'unavailable')
  const replaced = receptions.filter(({ why }) => why === 'replacement-engine')
  const served = receptions.filter(({ gets }) => gets === 'translated' || gets === 'stand-in')
  const listeners = {
    needing: listenersOf([...lacking, ...served]),
    lacking: listenersOf(lacking),
    replaced: listenersOf(replaced),
    why: LACKS.filter(lack => lacking.some(({ why }) => why === lack)),
  }
  const speakers = Array.from(new Set(lacking.map(({ speaker }) => log.nameOf(speaker))))
  const more = speakers.splice(MOST_SPEAKERS).length
  const health = healthOf(sources, listeners)
  return {
    problems: problemsOf(health, more === 0 ? speakers : [...speakers, `${more} more`]),
    health,
    rooms: Array.from(relay.rooms.values(), room => roomView(room, sources)),
    events: log.events,
    calls: calls(),
  }
}

function listenersOf(receptions: readonly Reception[]): number {
  return new Set(receptions.map(({ listener }) => listener)).size
}

function healthOf(sources: ServerSources, listeners: Health['listeners']): Health {
  const { relay, log, notReady, overload, embedded } = sources
  const { sessionsWaitingNow: waiting, sessionsOnFallbackNow: onFallback } = relay.metrics
  const service = embedded()
  return {
    notReady: notReady() ?? null,
    services: relay.services,
    sessions: { waiting, onFallback },
    listeners,
    overload: overload.reason ?? null,
    rejected: overload.rejected,
    eventLoopLagMs: Math.round(overload.lateMs),
    memoryPercent: Math.round(overload.memoryShare * 100),
    latency: log.latency,
    earVoiceMs: log.earVoiceMs,
    embedded: service
      ? {
          running: service.running,
          restarts: service.restarts,
          engines: service.figures ? engineViews(service.figures) : [],
          missing: service.figures?.missing?.map(({ reason }) => reason) ?? [],
        }
      : null,
  }
}

/** Engines that serve or should: one that was missing from the start is known only by its replacement. */
function engineViews({ engines, standIns }: EmbeddedFigures): EngineView[] {
  const replaced = new Map(standIns.map(each => [`${each.kind} ${each.engine}`, each]))
  const views = engines.map(({ kind, engine, requests }) => {
    const { instead = null, why = null } = replaced.get(`${kind} ${engine}`) ?? {}
    replaced.delete(`${kind} ${engine}`)
    const { ok, failed, over_budget } = requests
    return { kind, engine, requests: ok + failed + over_budget, failed, instead, why }
  })
  const absent = Array.from(replaced.values(), ({ kind, engine, instead, why }) => ({
    ...{ kind, engine, requests: 0, failed: 0, instead, why },
  }))
  return [...absent, ...views]
}

function roomView(room: Room, sources: ServerSources): RoomView {
  const { clock, wall, log, recording } = sources
  const date = (at: number) => Math.round(wall() - (clock.now() - at))
  const hearings = hearingsOf(room, id => log.nameOf(id))
  const bySpeaker = Map.groupBy(room.interpretations, ({ speaker }) => speaker)
  const view = (participant: Participant): ParticipantView => {
    const { id, channel, state, present, speaking, since, leg, playout, returns } = participant
    const lagMs = Math.max(0, ...Array.from(playout.voices.values(), ({ translation }) => translation.lagMs))
    return {
      id,
      name: log.nameOf(id),
      channel,
      simulated: sources.simulated(leg.call)?.call ?? null,
      speaks: state.speaks ?? null,
      hears: state.hears ?? null,
      original: state.original,
      muted: state.muted,
      interpreting: state.interpreting,
      present,
      speaking: speaking && present && !state.muted,
      since: date(since),
      lagMs: Math.round(lagMs),
      lostMs: { line: Math.round(leg.lostMs ?? 0), service: lostMs(bySpeaker.get(participant) ?? []) },
      reconnections: returns,
      hearing: hearings.get(id) ?? [],
    }
  }
  return {
    name: room.name,
    since: date(room.openedAt),
    sessions: room.sessions,
    recording: recording(room.name),
    participants: Array.from(room.participants.values(), view),
    listeners: room.audiences,
  }
}

function lostMs(interpretations: readonly Interpretation[]): number {
  return Math.round(interpretations.reduce((sum, { session }) => sum + session.lostMs, 0))
}
