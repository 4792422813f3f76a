import type { Clock } from '../../../common/clock.ts'
import { EVENT, type SttResult } from '../../contract.ts'
import type { SpeechStream, SpeechToText, Transcript } from '../../engines/engine.ts'
import type { Followed, LoadMonitor } from '../capacity.ts'
import { ServiceError } from '../errors.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import { AudioIntake, type AudioIntakeLimits, SpeechEnds } from './audio-intake.ts'
import type { SttParameters } from './parameters.ts'
import type { SessionInput, SessionOutput } from './session.ts'

export interface PaceLimits {
  /** Delay above which the client of a session is notified (ms). */
  readonly warnLagMs: number
  /** Delay above which a session is ended (ms). */
  readonly endLagMs: number
}

export interface PaceOptions {
  readonly outlet: SessionOutput
  readonly limits: PaceLimits
  /** Time the oldest speech has been waiting for the recognizer (ms). */
  readonly behind: () => number
  /** Time the oldest speech has been waiting for its result, at any engine (ms). */
  readonly late: () => number
}

/**
 * Checks that one session keeps up with its speech. Its client is notified once when it falls behind, until it has
 * caught up. A session that is far behind ends, because such a late translation is useless.
 */
export class BacklogMonitor implements Followed {
  readonly #options: PaceOptions
  #told = false

  constructor(options: PaceOptions) {
    this.#options = options
  }

  get behindMs(): number {
    return this.#options.behind()
  }

  judge(): void {
    const { outlet, limits, late } = this.#options
    const { warnLagMs, endLagMs } = limits
    const lateMs = late()
    const shown = `the results are ${Math.round(lateMs)} ms behind the speech`
    if (lateMs > endLagMs) {
      outlet.fault(new ServiceError('too_far_behind', `${shown}, sessions end at ${endLagMs} ms`))
    } else if (lateMs > warnLagMs) {
      if (!this.#told)
        outlet.fault(new ServiceError('falling_behind', `${shown}, more than ${warnLagMs} ms: still trying`))
      this.#told = true
    } else if (lateMs < warnLagMs / 2) this.#told = false
  }
}

/** The path of a session’s speech: its recognition or interpretation, and the results for the client. */
export interface SpeechWork {
  /**
   * Opens the engine and the output; resolves to the engine's stream, which the caller closes, and to the payload of
   * `start`. `ends` knows when speech arrived. Rejects with a `ServiceError`.
   */
  open(ends: SpeechEnds): Promise<{ readonly stream: SpeechStream; readonly start: boolean | string }>
  /** Delay of the oldest unanswered utterance after its recognition (ms). */
  readonly lateMs: number
  /** Number of utterances so far. */
  readonly utterances: number
  /** Drops all pending work, possibly while `open` is pending. Idempotent. */
  close(): void
}

export interface RecognizedSpeechOptions {
  readonly outlet: SessionOutput
  readonly parameters: SttParameters
  readonly recognizer: SpeechToText
}

/** The speech of `/stt`: transcripts as they are recognized. */
export class RecognizedSpeech implements SpeechWork {
  readonly lateMs = 0
  readonly #options: RecognizedSpeechOptions
  #utterances = 0
  #closed = false

  constructor(options: RecognizedSpeechOptions) {
    this.#options = options
  }

  get utterances(): number {
    return this.#utterances
  }

  async open(): Promise<{ stream: SpeechStream; start: boolean }> {
    const { outlet, parameters, recognizer } = this.#options
    const { languageIdSource, grammar, partials } = parameters
    const sink = {
      partial: (transcript: Transcript) => {
        if (partials) this.#emit(transcript, false)
      },
      final: (transcript: Transcript) => {
        this.#utterances++
        if (transcript.text !== '' || partials) this.#emit(transcript, true)
      },
      failed: (cause: Error) =>
        outlet.fault(new ServiceError('transcription_failed', 'the recognizer failed', { cause })),
    }
    try {
      return { stream: await recognizer.open(languageIdSource, sink, { grammar }), start: true }
    } catch (cause) {
      throw new ServiceError('transcription_failed', 'the recognizer did not start', { cause })
    }
  }

  close(): void {
    this.#closed = true
  }

  #emit({ utterance, text, startMs, endMs, language }: Transcript, final: boolean): void {
    const { outlet, parameters } = this.#options
    if (this.#closed) return
    outlet.emit(EVENT.result, {
      ...{
        id: String(utterance),
        final,
        languageIdSource: parameters.languageIdSource,
        text,
        startMs,
        endMs,
      },
      ...(final && language !== undefined ? { languageIdHeard: language } : {}),
    } satisfies SttResult)
  }
}

export interface SpeechIntakeOptions {
  readonly outlet: SessionOutput
  readonly parameters: SttParameters
  /** Opened and closed here. */
  readonly work: SpeechWork
  readonly limits: AudioIntakeLimits & PaceLimits
  /** Monitors whether the session keeps up. */
  readonly workload: Pick<LoadMonitor, 'follow'>
  /** Holder of the session's key. */
  readonly holder: Pick<KeyUsage, 'takeAudio'>
  readonly clock: Clock
}

/** Input of `/stt` and `/sts`: speech. */
export class SpeechIntake implements SessionInput {
  /** A pause in the audio is idle time; there is nothing to wait for. */
  readonly busy = false
  readonly #options: SpeechIntakeOptions
  readonly #ends: SpeechEnds
  #stream: SpeechStream | undefined
  #intake: AudioIntake | undefined
  #followed: Disposable | undefined
  #closed = false

  constructor(options: SpeechIntakeOptions) {
    this.#options = options
    this.#ends = new SpeechEnds(options.clock)
  }

  async open(): Promise<boolean | string> {
    const { outlet, parameters, work, limits, holder, workload } = this.#options
    const { stream, start } = await work.open(this.#ends)
    if (this.#closed) {
      await stream.close()
      return start
    }
    this.#stream = stream
    this.#intake = new AudioIntake(stream, parameters.sendAudio, limits, holder, this.#ends)
    const behind = () => stream.behindMs
    const late = () => Math.max(stream.behindMs, work.lateMs)
    this.#followed = workload.follow(new BacklogMonitor({ outlet, limits, behind, late }))
    return start
  }

  take(fragment: unknown): void {
    this.#intake?.take(fragment)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#followed?.[Symbol.dispose]()
    this.#options.work.close()
    await this.#stream?.close()
  }

  totals(): object {
    return {
      audioMs: Math.round(this.#intake?.takenMs ?? 0),
      utterances: this.#options.work.utterances,
    }
  }
}
