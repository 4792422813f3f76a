import { rms } from '../transcode/level.ts'
import type { Clock } from './clock.ts'
import type { Invitation } from './invitation.ts'
import type { Leg, LegUplink } from './leg.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import type { Playout } from './playout.ts'
import type { Session } from './session.ts'
import type { Voice } from './voice.ts'
import { VoiceActivity } from './voice-activity.ts'

/** Frames between two level events: 100 ms. */
const LEVEL_FRAMES = 5

/** Where a speaker's original voice goes. */
export interface Hearing {
  readonly playout: Playout
  readonly voice: Voice
}

export interface ParticipantParts {
  readonly clock: Clock
  readonly metrics: RelayMetrics
  readonly observer: Observer
}

/** A leg in a room, with what it speaks and hears. Owns the leg; its room decides where its voice goes. */
export class Participant implements LegUplink {
  readonly leg: Leg
  readonly invitation: Invitation
  readonly playout: Playout
  /** Into each language somebody wants. Set by the room, read once a frame. */
  sessions: readonly Session[] = []
  /** Interpretations begun so far, for their names. */
  interpretations = 0
  /** Everybody who may hear the original. Set by the room. */
  hearings: readonly Hearing[] = []
  readonly #activity = new VoiceActivity()
  readonly #parts: ParticipantParts
  #frames = 0
  #loudest = 0

  constructor(leg: Leg, invitation: Invitation, playout: Playout, parts: ParticipantParts) {
    this.leg = leg
    this.invitation = invitation
    this.playout = playout
    this.#parts = parts
  }

  get id(): string {
    return this.leg.id
  }

  /** Frames heard from the party. */
  get frames(): number {
    return this.#frames
  }

  /** When the party's last stretch of speech ended (clock ms). */
  speechEndedAt(now: number): number {
    return this.#activity.endedAt(now)
  }

  /** The hot path: 50 times a second for each leg. */
  write(frame: Int16Array): void {
    const now = this.#parts.clock.now()
    const level = rms(frame)
    const quiet = !this.#activity.frame(level, now)
    this.#frames++
    this.#parts.metrics.framesIn++
    for (const session of this.sessions) session.write(frame, quiet, now)
    for (const hearing of this.hearings) {
      if (!hearing.voice.passes) continue
      hearing.voice.original.write(frame, quiet)
      hearing.playout.pump(now)
    }
    if (level > this.#loudest) this.#loudest = level
    if (this.#frames % LEVEL_FRAMES === 0) this.#reportLevel()
  }

  marked(name: string): void {
    this.playout.marked(name)
  }

  dtmf(digit: string): void {
    this.#parts.observer.emit('dtmf', { room: this.invitation.room, participant: this.id, digit })
  }

  #reportLevel(): void {
    if (this.#parts.observer.wants('level')) {
      const level = Math.min(1, this.#loudest / 32_768)
      this.#parts.observer.emit('level', { room: this.invitation.room, participant: this.id, level })
    }
    this.#loudest = 0
  }
}
