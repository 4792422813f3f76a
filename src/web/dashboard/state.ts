import type { OfferedLanguage } from '../../common/language.ts'
import type { Lack } from '../../core/model/reception.ts'

/** Types of the dashboard’s JSON: `GET /dashboard/state`, once or every second as events of this type. */

/** What a participant hears of others. Several others of whom they hear the same, for the same reason, are one entry. */
export interface Hearing {
  readonly hears: 'translation' | 'original' | 'captions' | 'silence'
  /** Language of the translation or captions. */
  readonly to: string | null
  /** In words. */
  readonly why: string
  /** They should hear something else. */
  readonly problem: boolean
  /** Names of the speakers: the first ones, and how many there are. */
  readonly of: readonly string[]
  readonly count: number
}

export interface ParticipantView {
  readonly id: string
  /** The name that people know them by: their own, or one such as `Phone 12`. Never a phone number. */
  readonly name: string
  readonly channel: string
  /** The simulated call of this phone. */
  readonly simulated: string | null
  readonly speaks: string | null
  readonly hears: string | null
  readonly original: string
  readonly muted: boolean
  readonly interpreting: boolean
  /** False while they are disconnected and can reconnect. */
  readonly present: boolean
  readonly speaking: boolean
  /** Milliseconds since 1970. */
  readonly since: number
  /** Delay of the translations that they hear, beyond the earliest possible time: the largest (ms). */
  readonly lagMs: number
  /** Audio of their voice that did not arrive here, and that did not reach the service (ms). */
  readonly lostMs: { readonly line: number; readonly service: number }
  readonly reconnections: number
  /** What they hear of whom. */
  readonly hearing: readonly Hearing[]
}

export interface RoomView {
  readonly name: string
  /** Milliseconds since 1970. */
  readonly since: number
  /** Open sessions at the service. */
  readonly sessions: number
  readonly recording: string | null
  readonly participants: readonly ParticipantView[]
  /** How many people listen by links for listening, by language. */
  readonly listeners: readonly { readonly language: string; readonly listeners: number }[]
}

export type EventKind = 'room' | 'party' | 'session' | 'service' | 'speech' | 'call' | 'recording'

/** An event in words; never contains what was said or the keys pressed. */
export interface EventLine {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: EventKind
  readonly room: string | null
  /** The name of a participant. */
  readonly who: string | null
  readonly text: string
  readonly bad: boolean
}

/** Medians of the stages from the end of speech to the translation (ms). */
export interface Stages {
  readonly recognitionMs?: number
  readonly translationMs?: number
  readonly synthesisMs?: number
  readonly networkMs?: number
  readonly bridgeMs?: number
}

/** Latency of the utterances of the last minutes; null without any. */
export interface Latency {
  readonly utterances: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly stages: Stages
}

/** An engine of the embedded service. */
export interface EngineView {
  readonly kind: string
  readonly engine: string
  readonly requests: number
  readonly failed: number
  /** The engine that serves in its place, and why; null: it serves. */
  readonly instead: string | null
  readonly why: string | null
}

export interface Health {
  /** Why new calls are not accepted: `draining`, `overloaded`, `service-unavailable`; null: they are. */
  readonly notReady: string | null
  /** Circuit breakers of the services, in order of preference: closed, open, half-open. */
  readonly services: readonly string[]
  /** Sessions that wait for a service, and that use a fallback. */
  readonly sessions: { readonly waiting: number; readonly onFallback: number }
  /** Listeners who need a translation; those who lack one now, and why; and those who get one by a replacement engine. */
  readonly listeners: {
    readonly needing: number
    readonly lacking: number
    readonly replaced: number
    readonly why: readonly Lack[]
  }
  /** `late`, `memory`, or null. */
  readonly overload: string | null
  /** Calls and sessions rejected during overload, since the start. */
  readonly rejected: number
  readonly eventLoopLagMs: number
  /** Of the memory that this process can use. */
  readonly memoryPercent: number
  readonly latency: Latency | null
  /** Median time from a word to its translation (ms), of speech that is translated while it is spoken. */
  readonly earVoiceMs: number | null
  /** The embedded service; null if absent. */
  readonly embedded: {
    readonly running: boolean
    readonly restarts: number
    readonly engines: readonly EngineView[]
    /** Why engines of the settings, or models, are not available. */
    readonly missing: readonly string[]
  } | null
}

/** Something that an operator should know: what it is, what participants notice, and what fixes it. */
export interface DashboardProblem {
  /** `bad` needs an operator; `warn` explains what participants notice. */
  readonly mood: 'bad' | 'warn'
  readonly title: string
  readonly effect: string
  /** Parts between backticks are code; empty if no action is needed. */
  readonly fix: string
}

export interface SimulatedCallView {
  readonly id: string
  readonly room: string
  readonly placedAt: number
  /** Time when it is hung up. */
  readonly endsAt: number
}

/** The state of one server. */
export interface ServerState {
  /** The most severe first. */
  readonly problems: readonly DashboardProblem[]
  readonly health: Health
  readonly rooms: readonly RoomView[]
  /** The latest, oldest first. */
  readonly events: readonly EventLine[]
  readonly calls: readonly SimulatedCallView[]
}

export interface NodeState {
  /** Its name in the fleet; null for a server alone. */
  readonly node: string | null
  readonly version: string
  /** `silent`: it sends no heartbeats, so other nodes can take its rooms. */
  readonly status: 'up' | 'draining' | 'silent'
  /** Null: the node did not answer. */
  readonly state: ServerState | null
}

export interface DashboardState {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The node that answers, and the others of its fleet. */
  readonly nodes: readonly NodeState[]
}

/** Choices for a simulated call. */
export interface Offer {
  /** Languages of the service; empty if it cannot be queried. */
  readonly languages: readonly OfferedLanguage[]
  /** Empty: simulated calls are disabled. */
  readonly recordings: readonly RecordingView[]
}

export interface RecordingView {
  readonly id: string
  readonly title: string
  readonly language: string
  readonly seconds: number
}

/** An order for a simulated call: one phone hears its own translation, two talk to each other. */
export interface SimulatedOrder {
  readonly phones: readonly {
    /** null: it only listens. */
    readonly speaks: string | null
    readonly hears: string
    readonly recording: string
  }[]
}
