import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { LiveLoudness } from '../../transcode/live-loudness.ts'
import type { Sound } from '../model/announcer.ts'
import type { Caption } from '../model/caption.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { Observer } from '../model/events.ts'
import type { Invitation } from '../model/invitation.ts'
import type { Leg } from '../model/leg.ts'
import {
  changedState,
  initialState,
  type ParticipantChange,
  type ParticipantState,
} from '../model/participant-state.ts'
import type { TrackWriter } from '../model/recording.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { Announcement, AnnounceOptions } from '../playout/announcement.ts'
import { LastHeard } from '../playout/last-heard.ts'
import { Playout, type PlayoutSettings } from '../playout/playout.ts'
import { Interruption, type InterruptSettings } from './interruption.ts'
import { type HeardUtterance, LanguageFollower } from './language-follower.ts'
import type { ParticipantEcho } from './participant-echo.ts'
import {
  LegUplinkAdapter,
  type ListenerLink,
  ParticipantUplink,
  type VoiceRoutes,
} from './participant-uplink.ts'

export interface ParticipantOptions {
  readonly clock: Clock
  readonly metrics: RelayCounters
  readonly observer: Observer
  readonly faults: ContainedFaults
  readonly settings: PlayoutSettings &
    InterruptSettings & {
      readonly echoSuppression: boolean
      readonly followLanguages: readonly LanguageId[]
    }
}

/** Applies a participant's state changes; implemented by the room. */
export interface ParticipantHost {
  /** `participant.state` was `before`. */
  changed(participant: Participant, before: ParticipantState): void
  /** The reconnection window of `participant` ends early. */
  expire(participant: Participant, reason: EndReason): void
}

/** Frames of silence sent to the service after a leg broke, so that the last utterance is completed: 1 s. */
const CLOSING_FRAMES = 50

/**
 * A person in a room: leg, uplink and playout. Owns its leg (after a reconnection, the next leg of the same call) and
 * its playout. The room decides where the voice is routed.
 */
export class Participant {
  /** The id of the first leg; never changes. */
  readonly id: string
  /** The state on joining; `state` has the current one. */
  readonly invitation: Invitation
  readonly playout: Playout
  /** Time of admission (clock ms). */
  readonly since: number
  /** The translation played last. */
  readonly lastHeard = new LastHeard()
  /** Number of interpretations started so far; used in their names. */
  interpretations = 0
  readonly #uplink: ParticipantUplink
  readonly #options: ParticipantOptions
  #state: ParticipantState
  #host: ParticipantHost | undefined
  #leg: Leg
  /** Time at which the leg broke (clock ms). */
  #lostAt: number | undefined
  /** Frames of silence that the service still has to receive after that. */
  #closing = 0
  #returns = 0
  /** Undefined when languages are not followed. */
  readonly #follower: LanguageFollower | undefined

  constructor(leg: Leg, invitation: Invitation, participantOptions: ParticipantOptions) {
    const { clock, metrics, observer, faults, settings } = participantOptions
    this.#leg = leg
    this.id = leg.id
    this.invitation = invitation
    this.#options = participantOptions
    this.#state = initialState(invitation)
    this.since = clock.now()
    const { room, interrupt = settings.interrupt } = invitation
    this.#uplink = new ParticipantUplink({
      id: leg.id,
      ...{ clock, metrics, faults },
      echoSuppression: settings.echoSuppression,
      muted: this.#state.muted,
      leveled: loudest => this.#reportLevel(loudest),
    })
    this.playout = new Playout(leg, {
      leadMs: settings.leadMs,
      metrics,
      reference: this.echo?.played,
      events: {
        notice: (notice, stage) => observer.emit('notice', { room, participant: leg.id, notice, stage }),
        failed: error => this.failed(error),
      },
    })
    const { followLanguages } = settings
    if (followLanguages.length > 0) this.#follower = new LanguageFollower(followLanguages)
    this.#uplink.interrupts(new Interruption({ interrupt, playout: this.playout }))
  }

  /** Keeps the participant's playback from the service; undefined when echo suppression is off. */
  get echo(): ParticipantEcho | undefined {
    return this.#uplink.echo
  }

  /** Loudness of the participant’s voice. */
  get loudness(): LiveLoudness {
    return this.#uplink.loudness
  }

  /** The current leg, or the last one. */
  get leg(): Leg {
    return this.#leg
  }

  get channel(): string {
    return this.#leg.channel
  }

  /** True for the audience of one language. */
  get isAudience(): boolean {
    return this.#leg.listeners !== undefined
  }

  /** False while disconnected, when the place is reserved for a reconnection. */
  get present(): boolean {
    return this.#lostAt === undefined
  }

  /** The participant's room; undefined before they have joined it and after they have left. */
  get host(): ParticipantHost | undefined {
    return this.#host
  }

  /** The listeners of the original voice. */
  get hearings(): readonly ListenerLink[] {
    return this.#uplink.routes.hearings
  }

  /** The recorded track of the original voice, while a tap is active. */
  get tap(): TrackWriter | undefined {
    return this.#uplink.routes.tap
  }

  get state(): ParticipantState {
    return this.#state
  }

  /** Frames received from the participant. */
  get frames(): number {
    return this.#uplink.frames
  }

  /** Number of reconnections. */
  get returns(): number {
    return this.#returns
  }

  /**
   * Changes the participant's state from the next frame on; original voices continue without a gap. A change to the
   * current values has no effect. Returns the new state. Throws `RangeError` for an invalid key or value.
   */
  change(change: ParticipantChange): ParticipantState {
    const before = this.#state
    this.#state = changedState(before, change)
    if (this.#state === before) return before
    this.#uplink.mute(this.#state.muted)
    this.#host?.changed(this, before)
    return this.#state
  }

  /** The service has heard an utterance in a language: the participant's own can follow it. */
  spokeIn(heard: HeardUtterance): void {
    const change = this.#follower?.heard(heard, this.#state)
    if (change) this.change(change)
  }

  /** Plays `sound` to this participant only. If they have left, the announcement ends as `stopped`. */
  announce(sound: Sound, options: AnnounceOptions = {}): Announcement {
    return this.playout.announce(sound, this.#options.clock.now(), options)
  }

  /**
   * Repeats the last translation that the participant heard to the end (its last 20 s). Returns false if there was
   * none.
   */
  repeat(): boolean {
    const sound = this.lastHeard.sound()
    if (sound) this.announce(sound)
    return sound !== undefined
  }

  /** Ends the leg and so removes the participant from the room; a pending reconnection is canceled. Idempotent. */
  async hangUp(reason: EndReason = { kind: 'hangup', by: 'local' }): Promise<void> {
    try {
      if (!this.present) this.#host?.expire(this, reason)
      await this.#leg.close(reason)
    } catch (error) {
      this.#options.faults.note('leg close failed', error, { participant: this.id })
    }
  }

  /** Contains an error in this participant's audio path: only their leg ends. */
  failed(cause: unknown): void {
    this.#options.faults.note('leg failed', cause, { participant: this.id })
    const error = new BridgeError('LEG_LOST', 'internal error', { cause })
    void this.hangUp({ kind: 'failed', error })
  }

  /** The participant has joined the room, which applies changes from now on. */
  enter(host: ParticipantHost): void {
    this.#host = host
  }

  /** Sends the voice to `routes` from the next frame on. */
  route(routes: VoiceRoutes): void {
    this.#uplink.route(routes)
  }

  /** Receives audio and events from `leg` from now on; a previous leg is ignored. */
  attach(leg: Leg): void {
    if (leg !== this.#leg) {
      this.playout.moveTo(leg, this.#options.clock.now())
      this.echo?.reset()
      this.#returns++
    }
    this.#leg = leg
    this.#lostAt = undefined
    this.#closing = 0
    leg.attach(new LegUplinkAdapter(leg, this, this.#uplink))
  }

  /** The leg broke; a reconnection can follow. */
  hold(): void {
    const now = this.#options.clock.now()
    this.#lostAt = now
    this.echo?.flush(now)
    this.#closing = CLOSING_FRAMES
    this.playout.hold(now)
  }

  /** Time since the disconnection (ms); 0 while connected. */
  absentMs(now: number): number {
    return this.#lostAt === undefined ? 0 : now - this.#lostAt
  }

  /** Called on every tick; sends audio that is due. */
  tick(now: number): void {
    this.playout.pump(now)
    if (this.#closing > 0) {
      this.#closing--
      this.#uplink.silence(now)
    }
  }

  /** True while they speak, by the level of their voice. */
  get speaking(): boolean {
    return this.#uplink.speaking
  }

  /** The end of the last speech interval (clock ms). */
  speechEndedAt(now: number): number {
    return this.#uplink.speechEndedAt(now)
  }

  /** The speech interval that a text arriving at `now` covers (clock ms). */
  spoken(now: number, final: boolean): Caption['spoken'] {
    return this.#uplink.spoken(now, final)
  }

  marked(name: string): void {
    this.playout.marked(name)
  }

  dtmf(digit: string): void {
    this.#options.observer.emit('dtmf', { room: this.invitation.room, participant: this.id, digit })
  }

  /** Releases all resources; called after the participant has left the room. */
  close(): void {
    this.#uplink.close(this.#options.clock.now())
    this.#host = undefined
    this.playout.close()
    this.lastHeard.clear()
  }

  #reportLevel(loudest: number): void {
    const { observer } = this.#options
    const about = { room: this.invitation.room, participant: this.id }
    if (observer.wants('level')) observer.emit('level', { ...about, level: Math.min(1, loudest / 32_768) })
    const { name } = this.#state
    if (this.echo?.noticed) observer.emit('echo', { ...about, name })
  }
}
