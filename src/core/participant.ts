import { isKeyTone } from '../transcode/key-tones.ts'
import { rms } from '../transcode/level.ts'
import { FRAME_MS, SILENT_FRAME } from '../transcode/pcm.ts'
import type { Announcement, AnnounceOptions } from './announcement.ts'
import { BridgeError, type EndReason } from './errors.ts'
import { Interruption } from './interruption.ts'
import type { Invitation } from './invitation.ts'
import { LastHeard } from './last-heard.ts'
import type { Leg } from './leg.ts'
import type { Caption } from './observer.ts'
import type { Hearing, ParticipantParts, PartyHost } from './participant-parts.ts'
import { PartyEcho } from './party-echo.ts'
import { changedState, initialState, type PartyChange, type PartyState } from './party-state.ts'
import { type PartyLine, PartyUplink } from './party-uplink.ts'
import { type NoticeStage, Playout } from './playout.ts'
import type { Session } from './session.ts'
import type { Sound } from './sound.ts'
import type { TrackWriter } from './tap.ts'
import { VoiceActivity } from './voice-activity.ts'

/** Frames between two level events: 100 ms. */
const LEVEL_FRAMES = 5

/** Behind the tone of a key the service hears silence for a little longer: its end is no word either (frames: 40 ms). */
const KEY_FRAMES = 2

export type { Hearing, PartyHost } from './participant-parts.ts'

/** Frames of silence that the service hears when a leg broke, so that what was said before comes to its end: 1 s. */
const CLOSING_FRAMES = 50

/**
 * A party in a room, with what it speaks and hears. Owns its leg, or after a break the next one of the same call, and
 * what is played to it; its room decides where its voice goes.
 */
export class Participant implements PartyLine {
  /** That of its first leg; it stays the same. */
  readonly id: string
  /** As it came in; how it is now is in `state`. */
  readonly invitation: Invitation
  readonly playout: Playout
  /** Keeps from the service what the party is played; undefined: nothing does. */
  readonly echo: PartyEcho | undefined
  /** When it was admitted (clock ms). */
  readonly since: number
  /** The translation it heard last. */
  readonly lastHeard = new LastHeard()
  /** Into each language somebody wants. Set by the room, read once a frame. */
  sessions: readonly Session[] = []
  /** Interpretations begun so far, for their names. */
  interpretations = 0
  /** Everybody who may hear the original. Set by the room. */
  hearings: readonly Hearing[] = []
  /** Where the original voice is recorded. Set by the room while somebody taps. */
  tap: TrackWriter | undefined
  /** Set by the room while the participant is in it. */
  host: PartyHost | undefined
  /** Of what the service hears, and of the line. */
  readonly #activity = new VoiceActivity()
  readonly #line = new VoiceActivity()
  readonly #parts: ParticipantParts
  #state: PartyState
  #leg: Leg
  /** When its leg broke (clock ms). */
  #lostAt: number | undefined
  /** Frames of silence still due to the service after that. */
  #closing = 0
  #frames = 0
  #returns = 0
  /** Frames for which the service hears silence in place of a key's tone. */
  #keyFrames = 0
  #loudest = 0
  readonly #interruption: Interruption

  constructor(leg: Leg, invitation: Invitation, parts: ParticipantParts) {
    this.#leg = leg
    this.id = leg.id
    this.invitation = invitation
    this.#parts = parts
    this.#state = initialState(invitation)
    this.since = parts.clock.now()
    const { room, interrupt = parts.options.interrupt } = invitation
    const told = (notice: string, stage: NoticeStage) =>
      parts.observer.emit('notice', { room, participant: leg.id, notice, stage })
    this.playout = new Playout(leg, parts.options, parts.metrics, told, error => this.failed(error))
    this.#interruption = new Interruption({ ...parts.options, interrupt }, this.playout, parts.metrics)
    if (parts.options.echoSuppression) this.echo = new PartyEcho(parts.metrics, this.#toService)
    this.playout.reference = this.echo?.played
  }

  /** The one it has, or had last. */
  get leg(): Leg {
    return this.#leg
  }

  get channel(): string {
    return this.#leg.channel
  }

  /** Its leg is there; false while its place is kept for another one. */
  get present(): boolean {
    return this.#lostAt === undefined
  }

  get state(): PartyState {
    return this.#state
  }

  /** Frames heard from the party. */
  get frames(): number {
    return this.#frames
  }

  /** How often it came back by another leg. */
  get returns(): number {
    return this.#returns
  }

  /**
   * Changes how the party takes part, from its next frame on; original voices go on without a gap. What is the same
   * already does nothing. Returns the new state. Throws `RangeError` for a key or value that is none.
   */
  change(change: PartyChange): PartyState {
    const before = this.#state
    this.#state = changedState(before, change)
    if (this.#state !== before) this.host?.changed(this, before)
    return this.#state
  }

  /** Plays `sound` to this party alone. After it has left the announcement ends as `stopped`. */
  announce(sound: Sound, options: AnnounceOptions = {}): Announcement {
    return this.playout.announce(sound, this.#parts.clock.now(), options)
  }

  /** Plays the last translation that the party heard to its end once more (its last 20 s); false: there is none. */
  repeat(): boolean {
    const sound = this.lastHeard.sound()
    if (sound) this.announce(sound)
    return sound !== undefined
  }

  /** Ends the leg, which takes the participant out of its room; one that is away is not waited for. Idempotent. */
  async hangUp(reason: EndReason = { kind: 'hangup', by: 'local' }): Promise<void> {
    try {
      if (!this.present) this.host?.letGo(this, reason)
      await this.#leg.close(reason)
    } catch (error) {
      this.#parts.faults.note('the end of a leg failed', error, { participant: this.id })
    }
  }

  /** Something on its way from or to the party threw: its leg ends, and nobody else's. */
  failed(cause: unknown): void {
    this.#parts.faults.note('a leg failed', cause, { participant: this.id })
    const error = new BridgeError('LEG_LOST', 'failed inside', { cause })
    void this.hangUp({ kind: 'failed', error })
  }

  /** Takes what `leg`, the first or another, delivers from now on; nothing of one before it any more. */
  attach(leg: Leg): void {
    if (leg !== this.#leg) {
      this.playout.moveTo(leg, this.#parts.clock.now())
      this.echo?.reset()
      this.#returns++
    }
    this.#leg = leg
    this.#lostAt = undefined
    this.#closing = 0
    leg.attach(new PartyUplink(leg, this))
  }

  /** Its leg broke; another one may come. */
  hold(): void {
    const now = this.#parts.clock.now()
    this.#lostAt = now
    this.echo?.flush(now)
    this.#closing = CLOSING_FRAMES
    this.playout.hold(now)
  }

  /** How long it has been away (ms). */
  awayMs(now: number): number {
    return this.#lostAt === undefined ? 0 : now - this.#lostAt
  }

  /** Called on every tick: sends what is due. */
  tick(now: number): void {
    this.playout.pump(now)
    if (this.#closing > 0) {
      this.#closing--
      this.#silence(now)
    }
  }

  /** When the party's last stretch of speech ended (clock ms). */
  speechEndedAt(now: number): number {
    return this.#activity.endedAt(now)
  }

  /** The stretch of speech that a text of theirs is about which comes at `now` (clock ms). */
  spoken(now: number, final: boolean): Caption['spoken'] {
    return this.#activity.stretch(now, final)
  }

  /** The hot path: 50 times a second for each leg. */
  write(frame: Int16Array): void {
    const now = this.#parts.clock.now()
    this.#frames++
    this.#parts.metrics.framesIn++
    if (this.#state.muted) {
      this.echo?.mute()
      this.#silence(now)
      if (this.#frames % LEVEL_FRAMES === 0) this.#reportLevel()
      return
    }
    this.tap?.live(frame, now)
    const level = rms(frame)
    const key = this.sessions.length > 0 && this.#key(frame)
    const said = key ? SILENT_FRAME : frame
    const saidLevel = key ? 0 : level
    const quiet = !this.#line.frame(saidLevel, now)
    if (this.echo) this.echo.write(said, saidLevel, now)
    else this.#toService(said, saidLevel, 0, now)
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

  /** Gives back what it holds on to; called once its room has let it go. */
  close(): void {
    this.echo?.flush(this.#parts.clock.now())
    this.echo?.close()
    this.host = undefined
    this.sessions = []
    this.hearings = []
    this.tap = undefined
    this.playout.close()
    this.lastHeard.clear()
  }

  /** Whether `frame` is the tone of a key, or just behind one: a recogniser would make words of it. */
  #key(frame: Int16Array): boolean {
    if (isKeyTone(frame)) this.#keyFrames = KEY_FRAMES + 1
    if (this.#keyFrames === 0) return false
    this.#keyFrames--
    this.#parts.metrics.keyFramesMasked++
    return true
  }

  /** `frame`, said `age` frames ago, is what the service hears. */
  readonly #toService = (frame: Int16Array, level: number, age: number, now: number): void => {
    const quiet = !this.#activity.frame(level, now - age * FRAME_MS)
    this.#toSessions(frame, quiet, now)
    this.#interruption.frame(this.#activity.speaking, quiet)
  }

  /** Nobody hears them, and the service hears silence, so that what was said before comes to an end. */
  #silence(now: number): void {
    this.#line.frame(0, now)
    this.#activity.frame(0, now)
    this.#toSessions(SILENT_FRAME, true, now)
  }

  /** A session that fails does not end the call. */
  #toSessions(frame: Int16Array, quiet: boolean, now: number): void {
    for (const session of this.sessions)
      try {
        session.write(frame, quiet, now)
      } catch (error) {
        this.#parts.faults.note('a session failed', error, { participant: this.id })
      }
  }

  #reportLevel(): void {
    const { observer } = this.#parts
    const about = { room: this.invitation.room, participant: this.id }
    if (observer.wants('level'))
      observer.emit('level', { ...about, level: Math.min(1, this.#loudest / 32_768) })
    this.#loudest = 0
    const { name } = this.#state
    if (this.echo?.noticed) observer.emit('echo', { ...about, ...(name === undefined ? {} : { name }) })
  }
}
