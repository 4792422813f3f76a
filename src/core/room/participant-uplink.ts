import type { Clock } from '../../common/clock.ts'
import { isDtmfTone } from '../../transcode/dtmf-detector.ts'
import { rms } from '../../transcode/level.ts'
import { LiveLoudness } from '../../transcode/live-loudness.ts'
import { FRAME_MS, SILENT_FRAME } from '../../transcode/pcm.ts'
import { SpeechOnset } from '../../transcode/speech-onset.ts'
import { VoiceActivity } from '../../transcode/voice-activity.ts'
import type { Caption } from '../model/caption.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { Leg, LegUplink } from '../model/leg.ts'
import type { TrackWriter } from '../model/recording.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { ListenerVoice } from '../playout/listener-voice.ts'
import type { Playout } from '../playout/playout.ts'
import type { Session } from '../translation/session.ts'
import type { Interruption } from './interruption.ts'
import { ParticipantEcho } from './participant-echo.ts'

/** A listener of a speaker's original voice. */
export interface ListenerLink {
  /** The listener's id. */
  readonly listener: string
  readonly playout: Playout
  readonly voice: ListenerVoice
  /** The listener's echo suppression. */
  readonly echo: ParticipantEcho | undefined
}

/** The destination of a participant’s voice. */
export interface VoiceRoutes {
  /** One session per requested language. */
  readonly sessions: readonly Session[]
  /** The listeners of the original voice. */
  readonly hearings: readonly ListenerLink[]
  /** The recorded track of the original voice, while a tap is active. */
  readonly tap: TrackWriter | undefined
}

const NO_ROUTES: VoiceRoutes = { sessions: [], hearings: [], tap: undefined }

/** Frames between two level events: 100 ms. */
const LEVEL_FRAMES = 5

/**
 * After a DTMF tone the service receives silence for this long, so that the tone's tail is not recognized as speech (40
 * ms, in frames).
 */
const KEY_FRAMES = 2

export interface ParticipantUplinkOptions {
  /** The participant's id. */
  readonly id: string
  readonly clock: Clock
  readonly metrics: RelayCounters
  readonly faults: ContainedFaults
  /** Keeps the participant's playback from the service. */
  readonly echoSuppression: boolean
  readonly muted: boolean
  /** Called every 100 ms with the level of the loudest frame (RMS). */
  readonly leveled: (loudest: number) => void
}

/**
 * The way of a participant's voice from their leg to sessions and listeners: 50 times a second for each leg. Sessions get
 * it without echo and key tones; a muted participant is silent to everyone.
 */
export class ParticipantUplink {
  /** Undefined when echo suppression is off. */
  readonly echo: ParticipantEcho | undefined
  /** Loudness of the voice, by which others hear it. */
  readonly loudness = new LiveLoudness()
  readonly #options: ParticipantUplinkOptions
  /** Voice activity in the audio for the service, and on the line. */
  readonly #activity = new VoiceActivity()
  readonly #line = new VoiceActivity()
  /** Opens the sessions. */
  readonly #onset = new SpeechOnset()
  /** Read once a frame. */
  #routes = NO_ROUTES
  #interruption: Interruption | undefined
  #muted: boolean
  #frames = 0
  /** Frames of a DTMF tone still to be replaced with silence for the service. */
  #keyFrames = 0
  #loudest = 0

  constructor(options: ParticipantUplinkOptions) {
    this.#options = options
    this.#muted = options.muted
    if (options.echoSuppression) this.echo = new ParticipantEcho(options.metrics, this.#toService)
  }

  /** Frames received from the participant. */
  get frames(): number {
    return this.#frames
  }

  get routes(): VoiceRoutes {
    return this.#routes
  }

  /** Sends the voice to `routes` from the next frame on. */
  route(routes: VoiceRoutes): void {
    this.#routes = routes
  }

  /** Reports speech to `interruption` from the next frame on. */
  interrupts(interruption: Interruption): void {
    this.#interruption = interruption
  }

  mute(muted: boolean): void {
    this.#muted = muted
  }

  write(frame: Int16Array): void {
    const now = this.#options.clock.now()
    this.#frames++
    this.#options.metrics.framesIn++
    const echo = this.echo
    if (this.#muted) {
      echo?.mute()
      this.silence(now)
      if (this.#frames % LEVEL_FRAMES === 0) this.#reportLevel()
      return
    }
    this.#routes.tap?.live(frame, now)
    const level = rms(frame)
    const key = this.#routes.sessions.length > 0 && this.#key(frame)
    const said = key ? SILENT_FRAME : frame
    const saidLevel = key ? 0 : level
    const quiet = !this.#line.frame(saidLevel, now)
    if (echo) echo.gate.write(said, saidLevel, now)
    else this.#toService(said, saidLevel, 0, now)
    if (this.#routes.hearings.length > 0) this.loudness.frame(frame, !quiet)
    for (const hearing of this.#routes.hearings) {
      if (!hearing.voice.passes) continue
      hearing.voice.original.write(frame, quiet)
      hearing.playout.pump(now)
    }
    if (level > this.#loudest) this.#loudest = level
    if (this.#frames % LEVEL_FRAMES === 0) this.#reportLevel()
  }

  /** Sends a frame of silence to the service, so that the last utterance is completed, and none to the listeners. */
  silence(now: number): void {
    this.#line.frame(0, now)
    this.#activity.frame(0, now)
    this.#toSessions(SILENT_FRAME, true, false, now)
  }

  /** True while the participant speaks, by the level of their voice. */
  get speaking(): boolean {
    return this.#activity.speaking
  }

  /** The end of the last speech interval (clock ms). */
  speechEndedAt(now: number): number {
    return this.#activity.endedAt(now)
  }

  /** The speech interval that a text arriving at `now` covers (clock ms). */
  spoken(now: number, final: boolean): Caption['spoken'] {
    return this.#activity.stretch(now, final)
  }

  /** Sends the frames that wait for the echo gate; no voice follows. */
  close(now: number): void {
    this.echo?.flush(now)
    this.echo?.close()
    this.#routes = NO_ROUTES
  }

  /** True if `frame` is a DTMF tone or directly follows one; speech recognition would make words of it. */
  #key(frame: Int16Array): boolean {
    if (isDtmfTone(frame)) this.#keyFrames = KEY_FRAMES + 1
    if (this.#keyFrames === 0) return false
    this.#keyFrames--
    this.#options.metrics.dtmfFramesMasked++
    return true
  }

  /** Sends `frame`, which was spoken `age` frames ago, to the service. */
  readonly #toService = (frame: Int16Array, level: number, age: number, now: number): void => {
    const quiet = !this.#activity.frame(level, now - age * FRAME_MS)
    // What the echo gate replaced by silence says nothing about the noise on the line.
    const speaks = frame !== SILENT_FRAME && this.#onset.frame(level, !quiet)
    this.#toSessions(frame, quiet, speaks, now)
    this.#interruption?.frame(this.#activity.speaking, quiet)
  }

  /** An error in one session does not end the call. */
  #toSessions(frame: Int16Array, quiet: boolean, speaks: boolean, now: number): void {
    for (const session of this.#routes.sessions)
      try {
        session.write(frame, quiet, now)
        if (speaks) session.wake(now)
      } catch (error) {
        this.#options.faults.note('session failed', error, { participant: this.#options.id })
      }
  }

  #reportLevel(): void {
    this.#options.leveled(this.#loudest)
    this.#loudest = 0
  }
}

/** The participant whose leg is connected. */
export interface LegOwner {
  readonly leg: Leg
  marked(name: string): void
  dtmf(digit: string): void
  /** Handling the uplink threw `error`: only this participant ends. */
  failed(error: unknown): void
}

/** Passes the uplink of `leg` on until another leg replaces it at its owner. */
export class LegUplinkAdapter implements LegUplink {
  readonly #leg: Leg
  readonly #owner: LegOwner
  readonly #uplink: ParticipantUplink

  constructor(leg: Leg, owner: LegOwner, uplink: ParticipantUplink) {
    this.#leg = leg
    this.#owner = owner
    this.#uplink = uplink
  }

  write(frame: Int16Array): void {
    if (this.#owner.leg !== this.#leg) return
    try {
      this.#uplink.write(frame)
    } catch (error) {
      this.#owner.failed(error)
    }
  }

  marked(name: string): void {
    if (this.#owner.leg !== this.#leg) return
    try {
      this.#owner.marked(name)
    } catch (error) {
      this.#owner.failed(error)
    }
  }

  dtmf(digit: string): void {
    if (this.#owner.leg !== this.#leg) return
    try {
      this.#owner.dtmf(digit)
    } catch (error) {
      this.#owner.failed(error)
    }
  }
}
