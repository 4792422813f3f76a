/** What the server tells the page of the dashboard, as types alone: both ends are checked against them. */

/** A translation of one voice. */
export interface SessionFigures {
  readonly to: string
  /** `opening`, `live`, `waiting` (lost, tried again), `ended` (refused). */
  readonly status: string
  /** Connections that it lost, or that did not come. */
  readonly drops: number
}

/** A leg with whoever is at its end. What changes by itself all the time (level, lag) is told apart from it. */
export interface LegFigures {
  /** Short for `id`: levels and lags name it. Never used again. */
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
  /** False while its place is kept for another leg. */
  readonly present: boolean
  /** Milliseconds since 1970. */
  readonly since: number
  readonly sessions: readonly SessionFigures[]
  /** Frames (20 ms) of its voice that did not arrive here, and that did not reach the service. */
  readonly lost: { readonly line: number; readonly service: number }
  /** How often it came back by another leg. */
  readonly returns: number
  /** The simulated call that it is a phone of. */
  readonly simulated: { readonly call: string; readonly phone: number } | null
}

/** A leg as somebody finds it who has just come. */
export interface LegPast extends LegFigures {
  /** 0 to 100, in decibels above −60 dBFS. */
  readonly level: number
  /** Milliseconds, one for each `LAG_STEP_MS`, the newest last. */
  readonly lag: readonly number[]
}

export interface RoomFigures {
  readonly name: string
  readonly since: number
  /** Sessions open to the service. */
  readonly sessions: number
  readonly recording: string | null
}

export type EventKind = 'room' | 'party' | 'session' | 'service' | 'speech' | 'call' | 'recording'

/** Something that happened, in words; never what was said, and never a key that was pressed. */
export interface EventLine {
  readonly id: number
  readonly at: number
  readonly kind: EventKind
  readonly room: string | null
  readonly who: string | null
  readonly text: string
  /** Worth a second look. */
  readonly bad: boolean
}

/** How the time from the end of speech to the translation was spent (ms). */
export interface Stages {
  readonly recognitionMs?: number
  readonly translationMs?: number
  readonly synthesisMs?: number
  readonly networkMs?: number
  readonly bridgeMs?: number
}

/** One translated utterance as one listener heard it begin. */
export interface UtteranceFigures {
  readonly id: number
  readonly at: number
  readonly room: string
  readonly speaker: string
  readonly listener: string
  readonly latencyMs: number
  readonly stages: Stages | null
}

/** Latencies of the last minute, at a moment; null where there was none. */
export interface Quantiles {
  readonly at: number
  readonly count: number
  readonly p50: number | null
  readonly p90: number | null
  readonly p99: number | null
}

export interface HealthFigures {
  /** The longest that anything in this process had to wait for its turn, in the last second (ms). */
  readonly loopLagMs: number
  /** Of one core. */
  readonly cpuPercent: number
  readonly memoryMiB: number
  /** Of the memory that this process may use. */
  readonly memoryPercent: number
  /** Breakers before the services, in the order in which they are wanted: closed, open, half-open. */
  readonly services: readonly string[]
  /** Sessions that wait for a service, and those at one that stands in. */
  readonly waiting: number
  readonly elsewhere: number
  readonly strain: string | null
  readonly turnedAway: number
  readonly draining: boolean
  readonly door: {
    readonly connections: number
    readonly strangers: number
    readonly refused: number
    readonly unreadable: number
  }
  /** The embedded service with its engines; null: there is none. */
  readonly embedded: { readonly running: boolean; readonly restarts: number } | null
}

/** A phone of a simulated call. */
export interface SimulatedPhone {
  readonly speaks: string | null
  readonly hears: string
  readonly recording: string
  /** The call is going on. */
  readonly live: boolean
}

export interface SimulatedCallView {
  readonly id: string
  readonly room: string
  readonly placedAt: number
  /** It is hung up then. */
  readonly endsAt: number
  readonly phones: readonly SimulatedPhone[]
}

/** All there is to see, for somebody who has just come. */
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

/** What has changed in a second. */
export interface Delta {
  readonly at: number
  /** New or changed, whole. */
  readonly rooms: readonly RoomFigures[]
  readonly legs: readonly LegFigures[]
  /** Names of rooms and numbers of legs that are no more. */
  readonly goneRooms: readonly string[]
  readonly goneLegs: readonly number[]
  /** Numbers of legs, each followed by its lag now (ms), of those whose lag has changed. */
  readonly lag: readonly number[]
  readonly events: readonly EventLine[]
  /** Events that were left out, since too many came at once. */
  readonly missed: number
  readonly utterances: readonly UtteranceFigures[]
  readonly quantiles: readonly Quantiles[]
  readonly health: HealthFigures
  /** Absent: as before. */
  readonly calls?: readonly SimulatedCallView[]
}

/** Numbers of legs, each followed by its level now, of those whose level has changed. */
export type Levels = readonly number[]

/** A language of the service: whether it understands and speaks it, and what it translates it into. */
export interface OfferedLanguage {
  readonly id: string
  readonly heard: boolean
  readonly spoken: boolean
  readonly into: readonly string[]
}

/** What can be chosen on the page. */
export interface Offer {
  /** Languages that the service has; empty where it cannot be asked. */
  readonly languages: readonly OfferedLanguage[]
  /** Empty: no calls can be simulated here. */
  readonly recordings: readonly RecordingView[]
}

export interface RecordingView {
  readonly id: string
  readonly title: string
  readonly language: string
  readonly seconds: number
}

/** A simulated call as it is asked for: one phone hears its own translation, two talk to each other. */
export interface SimulatedOrder {
  readonly phones: readonly {
    /** null: it only listens. */
    readonly speaks: string | null
    readonly hears: string
    readonly recording: string
  }[]
}
