import type { EndReason } from '../../common/lifecycle.ts'
import type { Audience } from '../model/audience.ts'
import { differences, type ParticipantState } from '../model/participant-state.ts'
import type { Reception } from '../model/reception.ts'
import { RoomTaps, type Tap } from '../model/recording.ts'
import type { Interpretation, InterpretationOptions } from './interpretation.ts'
import type { Participant, ParticipantHost } from './participant.ts'
import { RoomRouter } from './room-router.ts'

/**
 * A room: participants who hear each other, and audiences, which hear them in one language each. Owns both, and one
 * interpretation per speaker and requested language.
 */
export class Room implements ParticipantHost {
  readonly name: string
  /** Time at which the first participant joined (clock ms). */
  readonly openedAt: number
  /** Resolves once, when everyone has left or the room was closed; never rejects. */
  readonly ended: Promise<EndReason>
  readonly #options: InterpretationOptions
  readonly #expire: (participant: Participant, reason: EndReason) => void
  readonly #router: RoomRouter
  readonly #taps: RoomTaps
  readonly #participants = new Map<string, Participant>()
  /** Participants and audiences. */
  readonly #everyone = new Map<string, Participant>()
  #closing = false
  #over = false
  #settle!: (reason: EndReason) => void

  /** `expire` removes a participant whose reconnection window has ended. */
  constructor(
    name: string,
    options: InterpretationOptions,
    expire: (participant: Participant, reason: EndReason) => void,
  ) {
    this.name = name
    this.#options = options
    this.#expire = expire
    this.openedAt = options.clock.now()
    const tapFailed = (error: unknown) => options.faults.note('tap failed', error, { room: name })
    this.#taps = new RoomTaps(this.openedAt, tapFailed, () => this.#router.fit(this.#everyone))
    this.#router = new RoomRouter(name, options, this.#taps)
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get participants(): ReadonlyMap<string, Participant> {
    return this.#participants
  }

  /** Participants and audiences. */
  get everyone(): ReadonlyMap<string, Participant> {
    return this.#everyone
  }

  get audiences(): readonly Audience[] {
    const audiences: Audience[] = []
    for (const { leg, state } of this.#everyone.values())
      if (leg.listeners && state.hears !== undefined)
        audiences.push({ language: state.hears, listeners: leg.listeners })
    return audiences
  }

  /** All interpretations, including those being drained. */
  get interpretations(): Iterable<Interpretation> {
    return this.#router.interpretations.values()
  }

  /** Sessions that occupy a place at the service, or try to get one. */
  get sessions(): number {
    let open = 0
    for (const { session } of this.#router.interpretations.values()) if (session.open) open++
    return open
  }

  /** What each listener and reader gets from each speaker now. */
  get receptions(): readonly Reception[] {
    return this.#router.receptions.all
  }

  /** What `listener` gets from each speaker now. */
  receptionsOf(listener: string): readonly Reception[] {
    return this.#router.receptions.of(listener)
  }

  /** True once the room is closing; no one can join then. */
  get closing(): boolean {
    return this.#closing
  }

  /** True once the room has ended. */
  get over(): boolean {
    return this.#over
  }

  /** Passes every voice of the room to `tap` from now on; disposing removes it. It ends with the room. */
  tap(tap: Tap): Disposable {
    return this.#taps.add(tap)
  }

  join(participant: Participant): void {
    if (this.#everyone.has(participant.id))
      throw new RangeError(`${participant.id} is already in room ${this.name}`)
    this.#everyone.set(participant.id, participant)
    if (!participant.isAudience) this.#participants.set(participant.id, participant)
    participant.enter(this)
    this.#router.fit(this.#everyone)
  }

  /**
   * Removes a participant or an audience; the last words of a participant are still translated for the others, also for
   * audiences, after which a room without participants ends.
   */
  leave(participant: Participant): void {
    if (!this.#everyone.delete(participant.id)) return
    this.#participants.delete(participant.id)
    for (const voice of participant.playout.voices.values()) voice.clear()
    participant.close()
    if (this.#over) return
    this.#router.fit(this.#everyone)
    this.#endIfUnused()
  }

  /** The leg broke: keeps the participant's place, sessions and unplayed translations. */
  hold(participant: Participant): void {
    participant.hold()
  }

  /** The participant reconnected: translations not fully played start again. */
  restore(participant: Participant): void {
    for (const { speaker, original, translation } of participant.playout.voices.values()) {
      original.clear()
      translation.again(participant.lastHeard.unheard(speaker))
    }
  }

  expire(participant: Participant, reason: EndReason): void {
    this.#expire(participant, reason)
  }

  changed(participant: Participant, before: ParticipantState): void {
    this.#router.fit(this.#everyone)
    const { state } = participant
    const changes = differences(before, state)
    this.#options.observer.emit('changed', { room: this.name, participant: participant.id, state, changes })
  }

  /** Sends audio that is due to every listener. */
  tick(now: number): void {
    this.#router.tick(now)
    for (const participant of this.#everyone.values()) participant.tick(now)
  }

  /** Checks the deadlines of sessions and marks. */
  check(now: number): void {
    this.#router.check(now)
    for (const participant of this.#everyone.values())
      try {
        participant.playout.check(now)
      } catch (error) {
        participant.failed(error)
      }
    this.#endIfUnused()
  }

  /** Ends every leg; the room ends when everyone has left. Idempotent: every call awaits the first. */
  async close(reason: EndReason = { kind: 'hangup', by: 'local' }): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      for (const participant of this.#everyone.values()) void participant.hangUp(reason)
      if (this.#everyone.size === 0) this.#end(reason)
    }
    await this.ended
  }

  /** Ends the room once no participant is left, and no audience that still hears the last words. */
  #endIfUnused(): void {
    if (this.#participants.size > 0) return
    if (this.#everyone.size > 0 && this.#router.interpretations.size > 0) return
    this.#end({ kind: 'unused' })
  }

  #end(reason: EndReason): void {
    if (this.#over) return
    this.#over = true
    this.#closing = true
    for (const audience of this.#everyone.values()) void audience.hangUp(reason)
    this.#router.close()
    this.#taps.end()
    this.#settle(reason)
    this.#options.observer.emit('room', { room: this.name, state: 'closed' })
  }
}
