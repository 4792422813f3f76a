import type { ErrorCode } from '../../common/errors.ts'
import type { LanguageId } from '../../common/language.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import type { Caption } from '../model/caption.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { Observer, SessionState } from '../model/events.ts'
import type { Given, Lack } from '../model/reception.ts'
import type { TrackWriter } from '../model/recording.ts'
import type { RelaySettings } from '../model/relay-settings.ts'
import { Session } from '../translation/session.ts'
import type { SessionServices } from '../translation/session-options.ts'
import type { DecodeQueue } from '../utterance/decode-queue.ts'
import { type AssemblerEvents, ResultAssembler } from '../utterance/result-assembler.ts'
import type { Utterance } from '../utterance/utterance.ts'
import type { Participant } from './participant.ts'
import type { ListenerLink } from './participant-uplink.ts'

type Stretch = NonNullable<Caption['spoken']>

/** Somebody who spoke this recently is speaking (ms). */
const SPEAKING_MS = 500

const TRANSLATED: Given = { gets: 'translated' }
const TRANSCRIBED: Given = { gets: 'original', why: 'same-language' }
const BY_REPLACEMENT: Given = { gets: 'stand-in', why: 'replacement-engine' }
const BY_FALLBACK: Given = { gets: 'stand-in', why: 'fallback-service' }
const LACKING = {
  'service-unavailable': { gets: 'unavailable', why: 'service-unavailable' },
  'no-place': { gets: 'unavailable', why: 'no-place' },
  refused: { gets: 'unavailable', why: 'refused' },
  'no-connection': { gets: 'unavailable', why: 'no-connection' },
  'no-voice': { gets: 'unavailable', why: 'no-voice' },
} as const satisfies Record<Lack, Given>

/** A source of speech intervals. */
export interface SpeechSource {
  /** Returns the interval that a text arriving at `now` (clock ms) covers; see `VoiceActivity.stretch`. */
  spoken(now: number, final: boolean): Stretch | undefined
}

/** The state of the voice when an interpretation was cut off from it. */
interface Cut {
  readonly ended: Stretch | undefined
  readonly goingOn: Stretch | undefined
}

/**
 * The speech intervals of one interpretation's texts, limited to the time from its start to its cut. A change of
 * language during a sentence is such a cut: the rest of the sentence belongs to another interpretation.
 */
class SpeechInterval {
  readonly #voice: SpeechSource
  readonly #since: number
  /** The end of the interval of its last final text. */
  #told = Number.NEGATIVE_INFINITY
  #cut: Cut | undefined

  /** `since`: when the interpretation started (clock ms). */
  constructor(voice: SpeechSource, since: number) {
    this.#voice = voice
    this.#since = since
  }

  /** The interpretation receives no more of the voice from `now` (clock ms) on. */
  cut(now: number): void {
    this.#cut ??= { ended: this.#voice.spoken(now, true), goingOn: this.#voice.spoken(now, false) }
  }

  /** The interpretation receives the voice again. */
  goOn(): void {
    this.#cut = undefined
  }

  /** Returns the interval that a text arriving at `now` (clock ms) covers. */
  of(now: number, final: boolean): Stretch | undefined {
    const found = this.#cut ? this.#beforeCut(this.#cut) : this.#voice.spoken(now, final)
    if (!found) return undefined
    const fromMs = Math.max(found.fromMs, this.#since)
    const toMs = found.toMs > fromMs ? found.toMs : now
    if (final) this.#told = toMs
    return { fromMs, toMs }
  }

  /**
   * Returns the last interval before the cut, or the interval that was cut if a text for the former has already
   * arrived.
   */
  #beforeCut({ ended, goingOn }: Cut): Stretch | undefined {
    return ended && ended.toMs > this.#told ? ended : (goingOn ?? ended)
  }
}

export interface InterpretationOptions extends SessionServices {
  readonly observer: Observer
  readonly decoding: DecodeQueue
  readonly settings: RelaySettings
  readonly faults: ContainedFaults
}

export interface InterpretationSetup {
  readonly voice?: string | undefined
  /** The service recently refused the same request. */
  readonly refusedBefore?: boolean
}

/**
 * Interpretation of one speaker into one language, for all participants of the room who request it. If the language is the
 * speaker's own, it is a transcript without a voice.
 */
export class Interpretation {
  readonly speaker: Participant
  readonly to: LanguageId
  readonly session: Session
  /** Ids of all listeners and caption readers. Set by the room. */
  listeners: ReadonlySet<string> = new Set()
  /** Listeners of the voice. Set by the room. */
  hearings: readonly ListenerLink[] = []
  /** True if it provides the captions. Of several interpretations that differ only in their voice, one does. Set by the room. */
  primary = true
  /** Track for recordings. Set by the room while a tap is active. */
  track: TrackWriter | undefined
  readonly #spoken: SpeechInterval
  readonly #name: string
  readonly #options: InterpretationOptions
  readonly #results: ResultAssembler
  /** The last translation was made by a replacement of a preferred engine. */
  #standIn = false

  /** Requires `speaker.state.speaks`. `setup` has the requested voice and its previous result. */
  constructor(
    speaker: Participant,
    to: LanguageId,
    parts: InterpretationOptions,
    { voice, refusedBefore = false }: InterpretationSetup = {},
  ) {
    const from = speaker.state.speaks
    if (!from)
      throw new RangeError(`cannot translate ${speaker.id} to ${to}: the participant has no spoken language`)
    this.speaker = speaker
    this.to = to
    this.#options = parts
    const { observer, clock } = parts
    this.#spoken = new SpeechInterval(speaker, clock.now())
    const common = {
      room: speaker.invitation.room,
      speaker: speaker.id,
      from,
      to,
    }
    // Read for each caption, because the name can change.
    const named = () => (speaker.state.name === undefined ? {} : { name: speaker.state.name })
    // Numbered, so that utterance ids stay unique when the same pair of languages is opened again.
    this.#name = `${speaker.id}.${++speaker.interpretations}`
    const events: AssemblerEvents = {
      caption: caption => {
        if (caption.final) this.#standIn = caption.standIns !== undefined
        if (!this.primary) return
        const spoken = this.#spoken.of(clock.now(), caption.final)
        if (caption.final && caption.text)
          this.#heard(caption.utterance, caption.text, spoken?.fromMs ?? clock.now())
        observer.emit('caption', { ...common, ...named(), ...caption, spoken })
      },
      spokenIn: language => {
        const spoken = speaker.spoken(clock.now(), true)
        if (spoken) speaker.spokeIn({ language, ...spoken })
      },
      isEcho: (utterance, text, final) => this.#isEcho(utterance, text, final),
      utterance: utterance => this.#play(utterance),
      notMp3: () =>
        parts.log.warn(
          { speaker: speaker.id, to, code: 'SERVICE_NOT_MP3' satisfies ErrorCode },
          'voice not decodable',
        ),
      speechEndedAt: now => speaker.speechEndedAt(now),
      processed: () => this.#pump(),
      failed: error => parts.faults.note('utterance failed', error, { speaker: speaker.id, to }),
    }
    this.#results = new ResultAssembler({
      name: this.#name,
      clock,
      decoding: parts.decoding,
      metrics: parts.metrics,
      events,
      leveler: new LoudnessNormalizer(
        parts.settings.targetLoudnessDb,
        parts.settings.normalizeLoudness ? undefined : 0,
      ),
      languages: [from, to],
    })
    const want = from === to ? 'captions' : 'speech'
    const request = { from, to, want, voice } as const
    this.session = new Session({
      speaker: speaker.id,
      request,
      narrowband: speaker.leg.narrowband,
      // Keep playing the original until the service accepts the request this time.
      refusedBefore,
      settings: parts.settings,
      services: parts,
      results: this.#results,
      changed: state => this.#report(state),
    })
    parts.translator.expect?.(request)
  }

  /** The first listener, whose playback is recorded on the track. */
  get recordedListener(): string | undefined {
    return this.hearings[0]?.listener
  }

  /** Why there is no translation; undefined: there is one, or would be if the speaker spoke. */
  get lack(): Lack | undefined {
    if (this.session.lack !== undefined) return this.session.lack
    return this.session.request.want === 'speech' && this.#results.voiceless ? 'no-voice' : undefined
  }

  /** True if listeners should hear the original instead of a translation. */
  get unavailable(): boolean {
    return this.lack !== undefined
  }

  /** What its listeners and readers get, unless the speaker is muted. Equal values are the same object. */
  get given(): Given {
    const { lack } = this
    if (lack !== undefined) return LACKING[lack]
    if (this.session.request.want === 'captions') return TRANSCRIBED
    if (this.#standIn) return BY_REPLACEMENT
    return this.session.onFallback ? BY_FALLBACK : TRANSLATED
  }

  /** True while the speaker speaks. */
  get speaking(): boolean {
    return this.#options.clock.now() - this.session.spokeAt < SPEAKING_MS && this.speaker.speaking
  }

  /** True if the service refused it, so that it delivers no more results. */
  get refused(): boolean {
    return this.session.state.status === 'ended'
  }

  /** Returns true if `utterance` belongs to this interpretation. */
  made(utterance: string): boolean {
    return utterance.startsWith(`${this.#name}.`)
  }

  /** The speaker's audio stops; results for earlier speech can still arrive. */
  cut(): void {
    this.#spoken.cut(this.#options.clock.now())
  }

  /** The speaker's audio resumes. */
  goOn(): void {
    this.#spoken.goOn()
  }

  close(reason: EndReason): Promise<EndReason> {
    return this.session.close(reason)
  }

  /** Records these words as played to the listeners who hear the original. */
  #heard(utterance: string, text: string, at: number): void {
    for (const { voice, echo } of this.speaker.hearings)
      if (voice.passes) echo?.begun({ id: `original ${utterance}`, text }, at)
  }

  #isEcho(utterance: string, text: string, final: boolean): boolean {
    const { speaker, to } = this
    if (!speaker.echo?.isEcho(text, final, this.#options.clock.now())) return false
    const { room } = speaker.invitation
    const { name } = speaker.state
    if (final)
      this.#options.observer.emit('echo', {
        room,
        participant: speaker.id,
        name,
        utterance,
        to,
      })
    return true
  }

  #play(utterance: Utterance): void {
    if (this.hearings.length === 0) {
      // Only captions are needed: skip decoding.
      utterance.close()
      return
    }
    for (const { voice } of this.hearings) voice.translation.enqueue(utterance)
  }

  #pump(): void {
    const now = this.#options.clock.now()
    for (const { playout } of this.hearings) playout.pump(now)
  }

  #report(state: SessionState): void {
    this.#options.observer.emit('session', {
      room: this.speaker.invitation.room,
      speaker: this.speaker.id,
      to: this.to,
      status: state.status,
      attempt: 'attempt' in state ? state.attempt : 0,
      ...(state.status === 'ended' ? { reason: state.reason } : {}),
    })
    // The original can become audible now, without waiting for the next frame.
    this.#pump()
  }
}
