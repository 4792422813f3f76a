import type { Clock } from '../../common/clock.ts'
import type { EndReason } from '../../common/errors.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { Observer } from '../model/events.ts'
import type { PartyState } from '../model/participant-state.ts'
import type { RelayMetrics } from '../model/relay-metrics.ts'
import type { Playout, PlayoutOptions } from '../playout/playout.ts'
import type { Voice } from '../playout/voice.ts'
import type { InterruptOptions } from './interruption.ts'
import type { Participant } from './participant.ts'
import type { PartyEcho } from './participant-echo.ts'

/** A listener of a speaker's original voice. */
export interface Hearing {
  /** The listener's id. */
  readonly listener: string
  readonly playout: Playout
  readonly voice: Voice
  /** The listener's echo suppression. */
  readonly echo: PartyEcho | undefined
}

export interface ParticipantParts {
  readonly clock: Clock
  readonly metrics: RelayMetrics
  readonly observer: Observer
  readonly faults: ContainedFaults
  readonly options: PlayoutOptions & InterruptOptions & { readonly echoSuppression: boolean }
}

/** Applies a participant's state changes; implemented by the room. */
export interface PartyHost {
  /** `participant.state` was `before`. */
  changed(participant: Participant, before: PartyState): void
  /** The reconnection window of `participant` ends early. */
  letGo(participant: Participant, reason: EndReason): void
}
