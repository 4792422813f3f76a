import { setTimer } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import { SILENT_FRAME } from '../../transcode/pcm.ts'
import type { RoomTaps } from '../model/recording.ts'
import { TappedVoice } from '../model/recording.ts'
import { ListenerVoice } from '../playout/listener-voice.ts'
import type { SpokenUtterance } from '../playout/translation-queue.ts'
import type { Session } from '../translation/session.ts'
import { Interpretation, type InterpretationOptions } from './interpretation.ts'
import { ListenerReport } from './listener-report.ts'
import type { Participant } from './participant.ts'
import type { ParticipantEcho } from './participant-echo.ts'
import type { ListenerLink } from './participant-uplink.ts'
import { Receptions } from './receptions.ts'
import { grouped, type Party, type Route, RouteGroups, routesOf } from './routing.ts'

/**
 * An unneeded interpretation continues for this long, and until playback ends, so that last
 * words arrive (ms).
 */
const DRAIN_MS = 6_000
/** … but no longer than this (ms). */
const MAX_DRAIN_MS = 60_000
/** Less audio than this cannot be played before more arrives or the utterance ends (ms). */
const REST_MS = 40
/** Silence sent after last words, so that the service detects their end (frames: 1 s). */
const CLOSING_FRAMES = 50

/** An unneeded interpretation, until its last words have been played. */
interface DrainingSession {
  readonly timer: Disposable
  /** Ids of its listeners and caption readers. */
  readonly audience: ReadonlySet<string>
  /** Frames of silence still to be sent. */
  silence: number
}

/**
 * Adjusts sessions, voices and routes to the participants of a room and their state. Existing parts that still fit are
 * kept. An unneeded interpretation is drained: it continues until its last words have been played, or
 * resumes if it is needed again.
 */
export class RoomRouter {
  readonly #room: string
  readonly #options: InterpretationOptions
  readonly #taps: RoomTaps
  /** What each listener gets from each speaker. */
  readonly receptions: Receptions
  readonly #interpretations = new Map<string, Interpretation>()
  readonly #draining = new Map<Interpretation, DrainingSession>()
  #participants: ReadonlyMap<string, Participant> = new Map()

  constructor(room: string, options: InterpretationOptions, taps: RoomTaps) {
    this.#room = room
    this.#options = options
    this.#taps = taps
    this.receptions = new Receptions(room, options.observer)
  }

  get interpretations(): ReadonlyMap<string, Interpretation> {
    return this.#interpretations
  }

  /** Checks the sessions' deadlines. */
  check(now: number): void {
    for (const { session } of this.#interpretations.values())
      try {
        session.check(now)
      } catch (error) {
        this.#options.faults.note('session failed', error, { speaker: session.speaker })
      }
    this.receptions.check(now)
  }

  /** Sends the silence after last words. */
  tick(now: number): void {
    if (this.#draining.size === 0) return
    for (const [{ session }, draining] of this.#draining)
      if (draining.silence > 0) {
        draining.silence--
        session.write(SILENT_FRAME, true, now)
      }
  }

  close(): void {
    this.receptions.close(this.#options.clock.now())
    for (const { timer } of this.#draining.values()) timer[Symbol.dispose]()
    this.#draining.clear()
    for (const interpretation of this.#interpretations.values())
      void interpretation.close({ kind: 'parent-closed' })
    this.#interpretations.clear()
  }

  /** Applies a change of the participants or their states. */
  fit(participants: ReadonlyMap<string, Participant>): void {
    this.#participants = participants
    const parties = Array.from(participants.values(), partyOf)
    const routes = new RouteGroups(routesOf(parties), (route, to) => this.#key(route, to))
    this.#fitInterpretations(routes)
    for (const listener of participants.values()) this.#fitVoices(listener, routes)
    this.#fitPrimaries()
    shareEchoes(participants.values())
    shareOriginals(participants.values())
    for (const [id, interpretation] of this.#interpretations) {
      interpretation.listeners = this.#listeners(id, interpretation, routes)
      interpretation.hearings = this.#audience(interpretation)
      interpretation.track = interpretation.primary
        ? this.#taps.translation(interpretation.speaker.id, interpretation.to)
        : undefined
    }
    const sessions = new Map<string, Session[]>()
    for (const interpretation of this.#interpretations.values())
      if (!this.#draining.has(interpretation))
        grouped(sessions, interpretation.speaker.id).push(interpretation.session)
    for (const speaker of participants.values())
      speaker.route({
        sessions: sessions.get(speaker.id) ?? [],
        hearings: routes.fromSpeaker(speaker.id).map(route => this.#hearing(route.listener, route.speaker)),
        tap: this.#taps.original(speaker.id),
      })
    const interpretations = new Map(
      [...this.#interpretations].filter(([, each]) => !this.#draining.has(each)),
    )
    this.receptions.fit({ participants, routes, interpretations }, this.#options.clock.now())
  }

  #fitInterpretations({ translations: wanted }: RouteGroups): void {
    for (const [id, interpretation] of this.#interpretations) {
      const draining = this.#draining.get(interpretation)
      if (wanted.has(id)) {
        draining?.timer[Symbol.dispose]()
        if (this.#draining.delete(interpretation)) interpretation.goOn()
      } else if (!draining) this.#drain(id, interpretation)
    }
    for (const [id, { speaker, to, voice }] of wanted) {
      const participant = this.#participants.get(speaker)
      const there = this.#interpretations.get(id)
      if (!participant || (there && !there.refused)) continue
      // The service could have been reconfigured since it refused: each change in the room is a reason to try again.
      const setup = { voice, refusedBefore: there !== undefined }
      const interpretation = new Interpretation(participant, to, this.#options, setup)
      this.#interpretations.set(id, interpretation)
    }
  }

  /** Drains `interpretation`, unless it has no output or no audience. */
  #drain(id: string, interpretation: Interpretation): void {
    interpretation.cut()
    const audience = new Set<string>()
    for (const listener of interpretation.listeners)
      if (this.#participants.has(listener)) audience.add(listener)
    // An unused session must not occupy one of the service's slots.
    if (audience.size === 0 || interpretation.session.unused) {
      this.#drop(id, interpretation)
      return
    }
    const wait = (mostMs: number): Disposable =>
      setTimer(this.#options.clock, DRAIN_MS, () => {
        if (mostMs > DRAIN_MS && this.#heardStill(interpretation)) {
          const timer = wait(mostMs - DRAIN_MS)
          this.#draining.set(interpretation, { timer, audience, silence: 0 })
          return
        }
        this.#drop(id, interpretation)
        this.fit(this.#participants)
      })
    this.#draining.set(interpretation, { timer: wait(MAX_DRAIN_MS), audience, silence: CLOSING_FRAMES })
  }

  #drop(id: string, interpretation: Interpretation): void {
    this.#draining.delete(interpretation)
    this.#interpretations.delete(id)
    void interpretation.close({ kind: 'unused' })
  }

  /** True if a listener still has translations to play. */
  #heardStill({ hearings }: Interpretation): boolean {
    return hearings.some(({ voice }) => voice.translation.backlogMs > REST_MS)
  }

  #fitVoices(listener: Participant, routes: RouteGroups): void {
    const mine = routes.toListener(listener.id)
    const speakers = new Set(mine.map(({ route }) => route.speaker))
    for (const speaker of listener.playout.voices.keys())
      if (!speakers.has(speaker) && !this.#lingersFor(speaker, listener.id)) listener.playout.remove(speaker)
    for (const { route, key } of mine) {
      const speaker = this.#participants.get(route.speaker)!
      const voice = listener.playout.voices.get(route.speaker) ?? this.#newVoice(listener, speaker)
      voice.apply({
        session: key === undefined ? undefined : this.#interpretations.get(key),
        own: route.speaker === route.listener,
        together: route.together,
        original: listener.state.original,
        muted: speaker.state.muted,
      })
    }
  }

  #lingersFor(speaker: string, listener: string): boolean {
    for (const [interpretation, { audience }] of this.#draining)
      if (interpretation.speaker.id === speaker && audience.has(listener)) return true
    return false
  }

  #newVoice(listener: Participant, { id: speaker, loudness }: Participant): ListenerVoice {
    const tapped = ({ id }: SpokenUtterance) => this.#tapped(id, speaker, listener.id)
    const report = new ListenerReport(this.#room, speaker, listener, this.#options, tapped)
    const { clock, settings } = this.#options
    const timing = { now: () => clock.now(), catchUp: settings.catchUp }
    const voice = new ListenerVoice(speaker, {
      loudness,
      distanceDb: settings.originalDistanceDb,
      translationDb: settings.targetLoudnessDb,
      maxLagMs: settings.maxLagMs,
      events: report,
      timing,
    })
    listener.playout.add(voice)
    return voice
  }

  #tapped(utterance: string, speaker: string, listener: string): TappedVoice | undefined {
    if (!this.#taps.active) return undefined
    for (const interpretation of this.#interpretations.values())
      if (interpretation.speaker.id === speaker && interpretation.made(utterance))
        return new TappedVoice(interpretation, listener)
    return undefined
  }

  /** Ids of all listeners and caption readers. */
  #listeners(id: string, interpretation: Interpretation, routes: RouteGroups): ReadonlySet<string> {
    const wanted = routes.translations.get(id)?.listeners ?? new Set()
    const last = this.#draining.get(interpretation)?.audience
    return last ? new Set([...last, ...wanted]) : wanted
  }

  #audience({ listeners, speaker }: Interpretation): ListenerLink[] {
    return Array.from(listeners)
      .filter(listener => this.#participants.get(listener)?.playout.voices.has(speaker.id))
      .map(listener => this.#hearing(listener, speaker.id))
  }

  #hearing(listener: string, speaker: string): ListenerLink {
    const playout = this.#participants.get(listener)?.playout
    const voice = playout?.voices.get(speaker)
    if (!playout || !voice) throw new RangeError(`${listener} has no voice for ${speaker}`)
    return { listener, playout, voice, echo: this.#participants.get(listener)?.echo }
  }

  /** Of interpretations that differ only in their voice, one provides the captions and the recorded track. */
  #fitPrimaries(): void {
    const seen = new Set<string>()
    for (const interpretation of this.#interpretations.values()) {
      // Last words have no second interpretation.
      if (this.#draining.has(interpretation)) continue
      const { speaker, to } = interpretation
      const key = `${speaker.id} ${to}`
      interpretation.primary = !seen.has(key)
      seen.add(key)
    }
  }

  /** The key of an interpretation: speaker, source language, target language and voice. */
  #key({ speaker, voice = '' }: Pick<Route, 'speaker' | 'voice'>, to: LanguageId): string {
    return `${speaker} ${this.#participants.get(speaker)?.state.speaks} ${to} ${voice}`
  }
}

/** Participants in one shared space hear each other's voices and playback, and so do their microphones. */
function shareEchoes(participants: Iterable<Participant>): void {
  const spaces = new Map<string, ParticipantEcho[]>()
  for (const { echo, invitation } of participants) {
    const { sharedSpace } = invitation
    if (!echo || sharedSpace === undefined) continue
    const mates = spaces.get(sharedSpace)
    if (mates) mates.push(echo)
    else spaces.set(sharedSpace, [echo])
  }
  for (const mates of spaces.values()) for (const echo of mates) echo.share(mates)
}

/**
 * Listeners in one shared space hear each other's playback: while the service is unavailable, one of them plays the
 * original of a speaker for all. Listeners who understand the speaker come first, since they play it anyway.
 */
function shareOriginals(participants: Iterable<Participant>): void {
  const spaces = new Map<string, Map<string, ListenerVoice[]>>()
  for (const { playout, invitation } of participants) {
    for (const voice of playout.voices.values()) voice.deferTo([])
    const { sharedSpace } = invitation
    if (sharedSpace === undefined) continue
    const speakers = spaces.get(sharedSpace) ?? new Map<string, ListenerVoice[]>()
    spaces.set(sharedSpace, speakers)
    for (const voice of playout.voices.values()) {
      const voices = speakers.get(voice.speaker)
      if (!voices) speakers.set(voice.speaker, [voice])
      else if (voice.session) voices.push(voice)
      else voices.unshift(voice)
    }
  }
  for (const speakers of spaces.values())
    for (const voices of speakers.values())
      for (const [at, voice] of voices.entries()) voice.deferTo(voices.slice(0, at))
}

function partyOf({ id, state, invitation, isAudience }: Participant): Party {
  const { echo = true, sharedSpace, receives } = invitation
  return { id, state, echo, sharedSpace, receives, isAudience }
}
