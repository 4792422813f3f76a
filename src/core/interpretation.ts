import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import type { ContainedFaults } from './contained-faults.ts'
import type { DecodeQueue } from './decode-queue.ts'
import type { EndReason, ErrorCode } from './errors.ts'
import { Interpreter, type InterpreterEvents } from './interpreter.ts'
import type { LanguageId } from './languages.ts'
import type { Observer } from './observer.ts'
import type { Hearing, Participant } from './participant.ts'
import type { RelayOptions } from './relay-options.ts'
import { Session, type SessionParts } from './session.ts'
import { SpokenRange } from './spoken-range.ts'
import type { TrackWriter } from './tap.ts'
import type { Utterance } from './utterance.ts'

export interface InterpretationParts extends SessionParts {
  readonly observer: Observer
  readonly mp3: Mp3Pool
  readonly decoding: DecodeQueue
  readonly options: RelayOptions
  readonly faults: ContainedFaults
}

export interface InterpretationSetup {
  readonly voice?: string | undefined
  /** The service refused the same a while ago. */
  readonly refusedBefore?: boolean
}

/**
 * One speaker being interpreted into one language, for everybody in the room who wants that; into their own language it
 * is a transcript, without a voice.
 */
export class Interpretation {
  readonly speaker: Participant
  readonly to: LanguageId
  readonly session: Session
  /** Ids of all who hear or read it. Set by the room. */
  listeners: ReadonlySet<string> = new Set()
  /** Who hears it. Set by the room. */
  hearings: readonly Hearing[] = []
  /** It has the captions; of several that differ in their voice alone, one has. Set by the room. */
  primary = true
  /** Where it is recorded. Set by the room while somebody taps. */
  track: TrackWriter | undefined
  readonly #spoken: SpokenRange
  readonly #name: string
  readonly #parts: InterpretationParts
  readonly #interpreter: Interpreter

  /** Opens the session. `speaker.state.speaks` must be set; `setup` has the voice wanted, and what became of it before. */
  constructor(
    speaker: Participant,
    to: LanguageId,
    parts: InterpretationParts,
    { voice, refusedBefore = false }: InterpretationSetup = {},
  ) {
    const from = speaker.state.speaks
    if (!from) throw new RangeError(`${speaker.id} speaks no language, so nothing can be translated to ${to}`)
    this.speaker = speaker
    this.to = to
    this.#parts = parts
    const { observer, clock } = parts
    this.#spoken = new SpokenRange(speaker, clock.now())
    const common = {
      room: speaker.invitation.room,
      speaker: speaker.id,
      from,
      to,
    }
    // A name may change.
    const named = () => (speaker.state.name === undefined ? {} : { name: speaker.state.name })
    // Numbered: the same pair may come and go with those who want it, and utterances have names of their own.
    this.#name = `${speaker.id}.${++speaker.interpretations}`
    const { levelling, levelDb } = parts.options
    const events: InterpreterEvents = {
      caption: caption => {
        if (!this.primary) return
        const spoken = this.#spoken.of(clock.now(), caption.final)
        if (caption.final && caption.text)
          this.#heard(caption.utterance, caption.text, spoken?.fromMs ?? clock.now())
        observer.emit('caption', { ...common, ...named(), ...caption, ...(spoken ? { spoken } : {}) })
      },
      isEcho: (utterance, text, final) => this.#isEcho(utterance, text, final),
      utterance: utterance => this.#play(utterance),
      notMp3: () =>
        parts.log.warn(
          { speaker: speaker.id, to, code: 'SERVICE_NOT_MP3' satisfies ErrorCode },
          'the voice in a result is no sound that can be read',
        ),
    }
    this.#interpreter = new Interpreter(
      this.#name,
      parts.mp3,
      parts.metrics,
      events,
      levelling ? levelDb : undefined,
    )
    const want = from === to ? 'captions' : 'speech'
    const request = { from, to, want, ...(voice === undefined ? {} : { voice }) } as const
    // Until it is known that the service takes it this time, the original stays.
    const options = refusedBefore ? { ...parts.options, awayAfterMs: -1 } : parts.options
    this.session = new Session(speaker.id, request, options, parts, {
      result: (_session, result) => {
        const now = clock.now()
        this.#attempt(() => this.#interpreter.result(result, speaker.speechEndedAt(now), now))
        this.#pump()
      },
      endOfSpeech: (_session, utterance) => {
        this.#attempt(() => this.#interpreter.endOfSpeech(utterance))
        this.#pump()
      },
      interrupted: () => this.#attempt(() => this.#interpreter.interrupted()),
      changed: session => this.#report(session),
    })
  }

  /** The listener whose hearing counts for the track: the first. */
  get ear(): string | undefined {
    return this.hearings[0]?.listener
  }

  /** The listener should hear the original: the service is gone, or gives text without a voice. */
  get away(): boolean {
    return this.session.away || (this.session.request.want === 'speech' && this.#interpreter.voiceless)
  }

  /** The service refused it, so nothing comes of it any more. */
  get refused(): boolean {
    return this.session.state.status === 'ended'
  }

  /** Whether `utterance` is one of its own. */
  made(utterance: string): boolean {
    return utterance.startsWith(`${this.#name}.`)
  }

  /** It hears no more of its speaker: only last words still come. */
  cut(): void {
    this.#spoken.cut(this.#parts.clock.now())
  }

  /** It hears its speaker again. */
  goOn(): void {
    this.#spoken.goOn()
  }

  close(reason: EndReason): Promise<EndReason> {
    return this.session.close(reason)
  }

  /** Who hears the original has heard these words. */
  #heard(utterance: string, text: string, at: number): void {
    for (const { voice, echo } of this.speaker.hearings)
      if (voice.passes) echo?.begun({ id: `original ${utterance}`, text }, at)
  }

  #isEcho(utterance: string, text: string, final: boolean): boolean {
    const { speaker, to } = this
    if (!speaker.echo?.isEcho(text, final, this.#parts.clock.now())) return false
    const { room } = speaker.invitation
    const { name } = speaker.state
    if (final)
      this.#parts.observer.emit('echo', {
        room,
        participant: speaker.id,
        ...(name === undefined ? {} : { name }),
        utterance,
        to,
      })
    return true
  }

  /** What `task` throws costs the utterance that was coming. */
  #attempt(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.#parts.faults.note('an utterance failed', error, { speaker: this.speaker.id, to: this.to })
      try {
        this.#interpreter.abandon()
      } catch {
        // It is given up in any case.
      }
    }
  }

  #play(utterance: Utterance): void {
    if (this.hearings.length === 0) {
      // It is only read: nothing of it is decoded.
      utterance.close()
      return
    }
    for (const { voice } of this.hearings) voice.translation.enqueue(utterance)
    this.#parts.decoding.add(utterance)
  }

  #pump(): void {
    const now = this.#parts.clock.now()
    for (const { playout } of this.hearings) playout.pump(now)
  }

  #report(session: Session): void {
    const state = session.state
    this.#parts.observer.emit('session', {
      room: this.speaker.invitation.room,
      speaker: this.speaker.id,
      to: this.to,
      status: state.status,
      attempt: 'attempt' in state ? state.attempt : 0,
      ...(state.status === 'ended' ? { reason: state.reason } : {}),
    })
    // An original that may be heard now must not wait for the next frame to come up.
    this.#pump()
  }
}
