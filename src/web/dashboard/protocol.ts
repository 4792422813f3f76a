import type { OfferedLanguage } from '../../common/language.ts'

/** Types of the messages from the server to the dashboard page. Both ends are checked against them. */

/** A translation of one voice. */
export interface SessionFigures {
  readonly to: string
  /** `idle` (they are silent), `opening`, `live`, `waiting` (lost, retrying), `ended` (rejected). */
  readonly status: string
  /** Its listeners lack the translation. */
  readonly unavailable: boolean
  /** Connections that were lost or failed. */
  readonly drops: number
}

/** A leg and its participant. Constantly changing values (level, lag) are sent separately. */
export interface LegFigures {
  /** Short form of `id`, used for levels and lags. Never reused. */
  readonly n: number
  readonly id: string
  readonly room: string
  readonly channel: string
  readonly name: string | null
  readonly speaks: string | null
  readonly hears: string | null
  readonly original: string
  readonly muted: boolean
  readonly interpreting: boolean
  /** False while the participant is disconnected and can reconnect. */
  readonly present: boolean
  /** Milliseconds since 1970. */
  readonly since: number
  readonly sessions: readonly SessionFigures[]
  /** Names of those whose translation this participant needs and does not get. */
  readonly lacks: readonly string[]
  /** Frames (20 ms) of its voice that did not arrive here, and that did not reach the service. */
  readonly lost: { readonly line: number; readonly service: number }
  /** Number of reconnections. */
  readonly returns: number
  /** The simulated call of this phone. */
  readonly simulated: { readonly call: string; readonly phone: number } | null
}

/** A leg as sent to a new viewer. */
export interface LegPast extends LegFigures {
  /** 0 to 100, in decibels above −60 dBFS. */
  readonly level: number
  /** Milliseconds, one value per `LAG_STEP_MS`, newest last. */
  readonly lag: readonly number[]
}

export interface RoomFigures {
  readonly name: string
  readonly since: number
  /** Open sessions at the service. */
  readonly sessions: number
  readonly recording: string | null
}

export type EventKind = 'room' | 'party' | 'session' | 'service' | 'speech' | 'call' | 'recording'

/** An event in words; never contains transcripts or the keys pressed. */
export interface EventLine {
  readonly id: number
  readonly at: number
  readonly kind: EventKind
  readonly room: string | null
  /** The name of a participant, for people. */
  readonly who: string | null
  readonly text: string
  /** Shown as a problem. */
  readonly bad: boolean
}

/** Latency from the end of speech to the translation, by stage (ms). */
export interface Stages {
  readonly recognitionMs?: number
  readonly translationMs?: number
  readonly synthesisMs?: number
  readonly networkMs?: number
  readonly bridgeMs?: number
}

/** A translated utterance as it started to play for one listener. */
export interface UtteranceFigures {
  readonly id: number
  readonly at: number
  readonly room: string
  readonly speaker: string
  readonly listener: string
  readonly latencyMs: number
  readonly stages: Stages | null
}

/** Latency percentiles of the last minute; null if there were no utterances. */
export interface Quantiles {
  readonly at: number
  readonly count: number
  readonly p50: number | null
  readonly p90: number | null
  readonly p99: number | null
}

export interface HealthFigures {
  /** Maximum event loop delay in the last second (ms). */
  readonly loopLagMs: number
  /** Of one core. */
  readonly cpuPercent: number
  readonly memoryMiB: number
  /** Of the memory that this process can use. */
  readonly memoryPercent: number
  /** Circuit breakers of the services, in order of preference: closed, open, half-open. */
  readonly services: readonly string[]
  /** Listeners who need a translation, and those who lack one of these speakers now. */
  readonly listeners: {
    readonly needing: number
    readonly lacking: number
    readonly speakers: readonly string[]
  }
  /** Sessions waiting for a service, and sessions on a fallback. */
  readonly waiting: number
  readonly onFallback: number
  readonly overloadReason: string | null
  readonly rejected: number
  readonly draining: boolean
  readonly requestGuard: {
    readonly connections: number
    readonly unauthenticated: number
    readonly rejected: number
    readonly malformed: number
  }
  /** The embedded service; null if absent. */
  readonly embedded: {
    readonly running: boolean
    readonly restarts: number
    /** Engines that serve instead of preferred ones, as `espeak instead of sherpa`. */
    readonly standIns: readonly string[]
  } | null
}

/** A phone of a simulated call. */
export interface SimulatedPhone {
  readonly speaks: string | null
  readonly hears: string
  readonly recording: string
  /** The call is in progress. */
  readonly live: boolean
}

export interface SimulatedCallView {
  readonly id: string
  readonly room: string
  readonly placedAt: number
  /** Time when it is hung up. */
  readonly endsAt: number
  readonly phones: readonly SimulatedPhone[]
}

/** The complete state, for a new viewer. */
export interface Snapshot {
  readonly at: number
  readonly rooms: readonly RoomFigures[]
  readonly legs: readonly LegPast[]
  readonly events: readonly EventLine[]
  readonly utterances: readonly UtteranceFigures[]
  readonly quantiles: readonly Quantiles[]
  readonly health: HealthFigures
  readonly calls: readonly SimulatedCallView[]
}

/** Changes of a second. */
export interface Delta {
  readonly at: number
  /** New or changed, complete. */
  readonly rooms: readonly RoomFigures[]
  readonly legs: readonly LegFigures[]
  /** Names of closed rooms and numbers of ended legs. */
  readonly goneRooms: readonly string[]
  readonly goneLegs: readonly number[]
  /** Numbers of legs, each followed by its changed lag (ms). */
  readonly lag: readonly number[]
  readonly events: readonly EventLine[]
  /** Events omitted because there were too many. */
  readonly missed: number
  readonly utterances: readonly UtteranceFigures[]
  readonly quantiles: readonly Quantiles[]
  readonly health: HealthFigures
  /** Absent: unchanged. */
  readonly calls?: readonly SimulatedCallView[]
}

/** Numbers of legs, each followed by its changed level. */
export type Levels = readonly number[]

/** A node of a fleet. */
export interface NodeView {
  readonly node: string
  /** The server of this page. */
  readonly self: boolean
  readonly address: string
  readonly version: string
  readonly legs: number
  readonly rooms: number
  /** `silent`: it sends no heartbeats, so other nodes can take its rooms. */
  readonly state: 'up' | 'draining' | 'silent'
  /** Its messages arrive here, so its rooms are shown. */
  readonly shown: boolean
}

/** A message of another node, as it would send it to its own page; `gone`: the node sends none at present. */
export type NodeMessage =
  | { readonly node: string; readonly type: 'snapshot'; readonly data: Snapshot }
  | { readonly node: string; readonly type: 'delta'; readonly data: Delta }
  | { readonly node: string; readonly type: 'levels'; readonly data: Levels }
  | { readonly node: string; readonly type: 'gone' }

/** Choices of the page. */
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
