import type { DialEnd } from './dialler.ts'
import type { EndReason, ErrorCode } from './errors.ts'
import type { KeyAction } from './key-commands.ts'
import type { LanguageId } from './languages.ts'
import type { PartyKey, PartyState } from './party-state.ts'
import type { NoticeStage } from './playout.ts'
import type { RecordingFault, RecordingState } from './recorder.ts'
import type { GateChange } from './service-gate.ts'
import type { SessionState } from './session-state.ts'
import type { UtteranceStages } from './stages.ts'

/** What somebody said, as text. A partial may still change; a final never does. */
export interface Caption {
  readonly room: string
  readonly speaker: string
  readonly name?: string
  /** The system says it for a program; `speaker` is nobody's id. */
  readonly system?: true
  /** Unique in this process; partial and final of one utterance share it. */
  readonly utterance: string
  readonly from: LanguageId
  readonly to: LanguageId
  readonly final: boolean
  readonly text?: string
  readonly translation?: string
  /** The stretch of speech it is about, as far as it can be told by level (clock ms). */
  readonly spoken?: { readonly fromMs: number; readonly toMs: number }
}

/** The life of one translated utterance at one listener. */
export interface UtteranceEvent {
  readonly room: string
  readonly speaker: string
  readonly listener: string
  readonly utterance: string
  /** `begun`: its first frame was sent. `heard`: the far side confirmed the last one. `dropped`: never played. */
  readonly stage: 'begun' | 'heard' | 'dropped'
  /** With `begun`: from the speaker's last loud frame to the first translated frame sent. */
  readonly latencyMs?: number
  /** With `begun`: where that time went; the stages add up to it as far as they are known. */
  readonly stages?: UtteranceStages
  /** Length of the translation as far as it is known. */
  readonly audioMs: number
}

/** How a session is. */
export interface SessionEvent {
  readonly room: string
  readonly speaker: string
  readonly to: LanguageId
  readonly status: SessionState['status']
  readonly attempt: number
  /** Why it has ended. */
  readonly reason?: EndReason
}

/** How late one listener hears one speaker's translations: every second while there are any, and once when there are none. */
export interface LagEvent {
  readonly room: string
  readonly speaker: string
  readonly listener: string
  /** By how much later they are, or will be, heard than they could have been when they came (ms). */
  readonly lagMs: number
  /** Translated audio that waits for this listener (ms). */
  readonly backlogMs: number
  /** How much faster than spoken they play now, 1 to 1.25. */
  readonly factor: number
  /** Whether their pauses are trimmed now. */
  readonly trimming: boolean
}

/** Everything an onlooker can see. Onlookers never change what happens. */
export interface RelayEvents {
  /** A room has its first party, or its last one has left. */
  room: { room: string; state: 'opened' | 'closed' }
  /** Somebody is in the room. */
  admitted: { room: string; participant: string; channel: string; speaks?: LanguageId; hears?: LanguageId }
  /** A participant's leg broke; their place is kept for `keepMs`, then they have `left`. */
  lost: { room: string; participant: string; reason: EndReason; keepMs: number }
  /** They are back, by a new leg, after `awayMs`. */
  returned: { room: string; participant: string; awayMs: number }
  /** They are gone for good; `frames` of 20 ms came from them. */
  left: { room: string; participant: string; channel: string; reason: EndReason; frames: number }
  /** A participant takes part differently from now on; `state` is how, `changes` are the keys that differ. */
  changed: { room: string; participant: string; state: PartyState; changes: readonly PartyKey[] }
  /** How the session of a speaker into a language is. */
  session: SessionEvent
  /** The breaker before a service: `open`, nobody gets through but probes. Place 0 is the service that is wanted. */
  service: GateChange
  /** A listener hears originals, as translation is out of reach (`away`), or hears translations again after `forMs`. */
  away: { room: string; participant: string; away: boolean; forMs: number }
  /** Something is said; the newest of an `utterance` counts. */
  caption: Caption
  /**
   * A party's microphone picks up what the party is played: of that the service hears nothing. Told once, and with an
   * `utterance` (into `to`) for what was understood all the same: nothing is made of it.
   */
  echo: { room: string; participant: string; name?: string; utterance?: string; to?: LanguageId }
  /** A translation begins to be heard, has been heard, or never will be. */
  utterance: UtteranceEvent
  /** How late translations are heard. */
  lag: LagEvent
  /** Every 100 ms of a party's voice: its loudest frame, 0 to 1. */
  level: { room: string; participant: string; level: number }
  /** A sound of the system to one participant; `notice` is the sound's name, never its words. */
  notice: { room: string; participant: string; notice: string; stage: NoticeStage }
  /** A key of a telephone, whatever it means. */
  dtmf: { room: string; participant: string; digit: string }
  /** A participant asked for something by keys, and it was done. */
  command: { room: string; participant: string; action: KeyAction }
  /** A call that we placed: what came of it, and, once it was answered, how it ended. */
  dial: { room: string; call: string; outcome: 'answered' | DialEnd; participant?: string; code?: ErrorCode }
  /** A recording is announced, begins, pauses or ends; with `fault` it stays as it is, and begins to lose sound. */
  recording: { room: string; recording: string; state: RecordingState; fault?: RecordingFault }
}

/** One subscription: the same function may have several. */
interface Onlooker<K extends keyof RelayEvents> {
  readonly listener: (event: RelayEvents[K]) => void
  looks: boolean
}

type Onlookers = { [K in keyof RelayEvents]?: readonly Onlooker<K>[] }

/** The emitter for onlookers: dashboard, metrics, captions, tests. A throwing listener harms nobody else. */
export class Observer {
  /** Arrays are replaced, not changed: who comes during an event is told from the next one on. */
  readonly #onlookers: Onlookers = {}
  /** Called with what a listener threw. */
  onListenerError: (error: unknown) => void = () => {}

  /** Calls `listener` for every `event` from now on; disposing stops it. */
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

  /** Whether anybody listens: spares making an event nobody wants. */
  wants(event: keyof RelayEvents): boolean {
    return this.#of(event).length > 0
  }

  emit<K extends keyof RelayEvents>(event: K, value: RelayEvents[K]): void {
    for (const onlooker of this.#of(event)) {
      try {
        if (onlooker.looks) onlooker.listener(value)
      } catch (error) {
        this.onListenerError(error)
      }
    }
  }

  #of<K extends keyof RelayEvents>(event: K): readonly Onlooker<K>[] {
    return (this.#onlookers[event] as readonly Onlooker<K>[] | undefined) ?? NOBODY
  }

  #set<K extends keyof RelayEvents>(event: K, onlookers: readonly Onlooker<K>[]): void {
    Object.assign(this.#onlookers, { [event]: onlookers })
  }
}

const NOBODY: readonly never[] = []
