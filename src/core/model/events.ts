import type { ErrorCode } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { Caption } from './caption.ts'
import type { DialEnd } from './dialer.ts'
import type { KeyAction } from './key-commands.ts'
import type { UtteranceStages } from './latency-stages.ts'
import type { ParticipantKey, ParticipantState } from './participant-state.ts'
import type { Reception } from './reception.ts'
import type { RecordingFault, RecordingState } from './recording.ts'

/** Playback states of the sounds that the system plays to a listener. */
export type NoticeStage = 'begun' | 'heard' | 'stopped'

/** Why a service cannot be used. */
export interface ServiceProblem {
  readonly code: ErrorCode
  /** For operators; without keys and speech. */
  readonly message: string
}

/** A change of the service `upstream`; 0 is the preferred service. */
export interface ServiceStatusChange {
  readonly upstream: number
  /** `open`, as of a circuit breaker: the service does not work, and only probes are sent to it. */
  readonly status: 'closed' | 'open'
  /** With `open`. It is reported again when it changes. */
  readonly problem?: ServiceProblem
}

export type SessionState =
  /** The speaker is silent: no connection. */
  | { status: 'idle' }
  /** A connection is being opened; `attempt` counts from 1 since the last live one, or since the speaker spoke. */
  | { status: 'opening'; attempt: number; since: number }
  /** The service has no free place; the session is in line for the next one. */
  | { status: 'queued'; since: number }
  /** The service accepts audio; `attempt` is the successful attempt. */
  | { status: 'live'; attempt: number; since: number }
  /** Dropped or refused; the next attempt starts at `until`. */
  | { status: 'waiting'; attempt: number; until: number; since: number }
  | { status: 'ended'; reason: EndReason }

/** The playback of one translated utterance to one listener. */
export interface UtteranceEvent {
  readonly room: string
  readonly speaker: string
  readonly listener: string
  readonly utterance: string
  /** `begun`: its first frame was sent. `heard`: the peer confirmed the last frame. `dropped`: never played. */
  readonly stage: 'begun' | 'heard' | 'dropped'
  /** With `begun`: from the speaker's last loud frame to the first translated frame sent. */
  readonly latencyMs?: number
  /** With `begun`: the latency split into stages; the known stages add up to it. */
  readonly stages?: UtteranceStages
  /** Length of the translation received so far. */
  readonly audioMs: number
}

/** The state of a session. */
export interface SessionEvent {
  readonly room: string
  readonly speaker: string
  readonly to: LanguageId
  readonly status: SessionState['status']
  readonly attempt: number
  /** The reason of its end. */
  readonly reason?: EndReason
}

/**
 * Delay of one speaker's translations at one listener: once a second while any are queued, then once when none remain.
 */
export interface LagEvent {
  readonly room: string
  readonly speaker: string
  readonly listener: string
  /** Playback delay of these translations beyond the earliest possible time (ms). */
  readonly lagMs: number
  /** Translated audio queued for this listener (ms). */
  readonly backlogMs: number
  /** The current playback speed, 1 to 1.25 times the original. */
  readonly factor: number
  /** True while pauses are trimmed. */
  readonly trimming: boolean
}

/** What one listener gets from one speaker has changed, or one of them has left. */
export interface ReceptionEvent extends Reception {
  readonly room: string
  /** The speaker's name for listeners, if they have one. */
  readonly name?: string | undefined
  /** How long the speaker spoke untranslated, or paused in between, if that has just ended (ms); else 0. */
  readonly missedMs: number
  /** The listener gets nothing any more; `gets` is the last value. */
  readonly over?: true
}

/** All events of the relay. Observers never influence calls. */
export interface RelayEvents {
  /** The first participant joined a room, or the last one left. */
  room: { room: string; state: 'opened' | 'closed' }
  /** A participant joined the room. */
  admitted: { room: string; participant: string; channel: string; speaks?: LanguageId; hears?: LanguageId }
  /** A participant's leg broke. Their place is reserved for `reconnectWindowMs`; after that, `left` follows. */
  disconnected: { room: string; participant: string; reason: EndReason; reconnectWindowMs: number }
  /** The participant reconnected with a new leg after `absentMs`. */
  reconnected: { room: string; participant: string; absentMs: number }
  /** The participant left permanently; `frames` of 20 ms were received from them. */
  left: { room: string; participant: string; channel: string; reason: EndReason; frames: number }
  /** A participant's state changed; `state` is the new state, `changes` lists the keys that differ. */
  changed: { room: string; participant: string; state: ParticipantState; changes: readonly ParticipantKey[] }
  /** The number of people in a room’s audience of one language; 0: it has left. */
  audience: { room: string; language: LanguageId; listeners: number }
  /** The state of a session from a speaker into a language. */
  session: SessionEvent
  /**
   * A service stopped working (`open`, with the reason: a refused key, no answer, an address that is no service), or works
   * again (`closed`). Upstream 0 is the preferred service.
   */
  service: ServiceStatusChange
  /** What a listener gets from a speaker has changed. */
  reception: ReceptionEvent
  /** A caption; the newest one of an `utterance` counts. */
  caption: Caption
  /**
   * A participant's microphone picks up their playback; this audio is withheld from the service. Emitted once, and with
   * an `utterance` (into `to`) for each echo that the service recognized anyway, which is discarded.
   */
  echo: { room: string; participant: string; name?: string; utterance?: string; to?: LanguageId }
  /** Playback of a translation started or was confirmed, or the translation was dropped. */
  utterance: UtteranceEvent
  /** The peer of `listener` has played the first sound of the translation of words that were said `spanMs` before. */
  earVoice: { room: string; speaker: string; listener: string; spanMs: number }
  /** Delay of translations. */
  lag: LagEvent
  /** Every 100 ms of a participant's voice: the level of its loudest frame, 0 to 1. */
  level: { room: string; participant: string; level: number }
  /** A system sound for one participant; `notice` is the name of the sound, never its text. */
  notice: { room: string; participant: string; notice: string; stage: NoticeStage }
  /** A DTMF key, with or without a command. */
  dtmf: { room: string; participant: string; digit: string }
  /** A participant's key command was carried out. */
  command: { room: string; participant: string; action: KeyAction }
  /** The outcome of an outbound call and, if it was answered, the end of the call. */
  dial: { room: string; call: string; outcome: 'answered' | DialEnd; participant?: string; code?: ErrorCode }
  /**
   * A recording is announced, started, paused or ended. With `fault` its state is unchanged, but audio is being lost.
   */
  recording: { room: string; recording: string; state: RecordingState; fault?: RecordingFault }
}

/** One subscription; the same function can be subscribed several times. */
interface Onlooker<K extends keyof RelayEvents> {
  readonly listener: (event: RelayEvents[K]) => void
  looks: boolean
}

type Onlookers = { [K in keyof RelayEvents]?: readonly Onlooker<K>[] }

export interface ObserverOptions {
  /** Called with each error that a listener throws. Default: ignored. */
  readonly onListenerError?: (error: unknown) => void
}

/**
 * Event emitter for the dashboard, metrics, captions and tests. An error in one listener does not affect the others.
 */
export class Observer {
  /** Arrays are replaced, not modified: a listener added during an event receives the next one first. */
  readonly #onlookers: Onlookers = {}
  readonly #onListenerError: (error: unknown) => void

  constructor({ onListenerError = () => {} }: ObserverOptions = {}) {
    this.#onListenerError = onListenerError
  }

  /** Calls `listener` for every `event` from now on; dispose the result to stop. */
  on<K extends keyof RelayEvents>(event: K, listener: (event: RelayEvents[K]) => void): Disposable {
    const onlooker: Onlooker<K> = { listener, looks: true }
    this.#set(event, [...this.#of(event), onlooker])
    return {
      [Symbol.dispose]: () => {
        onlooker.looks = false
        this.#set(
          event,
          this.#of(event).filter(each => each !== onlooker),
        )
      },
    }
  }

  /** True if `event` has listeners; lets emitters skip building events. */
  wants(event: keyof RelayEvents): boolean {
    return this.#of(event).length > 0
  }

  emit<K extends keyof RelayEvents>(event: K, value: RelayEvents[K]): void {
    for (const onlooker of this.#of(event)) {
      try {
        if (onlooker.looks) onlooker.listener(value)
      } catch (error) {
        this.#onListenerError(error)
      }
    }
  }

  /** Reports an error of a listener that passes events on to others. */
  reportListenerError(error: unknown): void {
    this.#onListenerError(error)
  }

  #of<K extends keyof RelayEvents>(event: K): readonly Onlooker<K>[] {
    return (this.#onlookers[event] as readonly Onlooker<K>[] | undefined) ?? NOBODY
  }

  #set<K extends keyof RelayEvents>(event: K, onlookers: readonly Onlooker<K>[]): void {
    Object.assign(this.#onlookers, { [event]: onlookers })
  }
}

const NOBODY: readonly never[] = []
