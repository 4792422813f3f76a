import type { Clock } from '../../../common/clock.ts'
import type { SpeechStream, SpeechToText, TranscriptSink } from '../engines/speech-to-text.ts'
import type { KeyHolder } from '../keys/key-holder.ts'
import { ServiceError } from '../service-error.ts'
import type { Workload } from '../workload.ts'
import type { SttParameters } from './connection-parameters.ts'
import type { Intake } from './intake.ts'
import type { Outlet } from './outlet.ts'
import { Pace, type PaceLimits } from './pace.ts'
import { SpeechEnds } from './speech-ends.ts'
import type { Results } from './transcript-results.ts'
import { Uplink, type UplinkLimits } from './uplink.ts'

export interface SpeechIntakeParts {
  readonly outlet: Outlet
  readonly parameters: SttParameters
  readonly recognizer: SpeechToText
  /** Receives the transcripts; the input opens and closes it. */
  readonly results: Results
  readonly limits: UplinkLimits & PaceLimits
  /** Monitors whether the session keeps up. */
  readonly workload: Pick<Workload, 'follow'>
  /** Holder of the session's key. */
  readonly holder: Pick<KeyHolder, 'takeAudio'>
  readonly clock: Clock
}

/** Input of `/stt` and `/sts`: speech, recognized utterance by utterance. */
export class SpeechIntake implements Intake {
  /** A pause in the audio is idle time; there is nothing to wait for. */
  readonly busy = false
  readonly #parts: SpeechIntakeParts
  readonly #ends: SpeechEnds
  #stream: SpeechStream | undefined
  #uplink: Uplink | undefined
  #followed: Disposable | undefined
  #utterances = 0
  #closed = false

  constructor(parts: SpeechIntakeParts) {
    this.#parts = parts
    this.#ends = new SpeechEnds(parts.clock)
  }

  async open(): Promise<boolean | string> {
    const { outlet, parameters, recognizer, results, limits, holder, workload } = this.#parts
    const start = await results.open()
    const stream = await recognizer
      .open(parameters.languageIdSource, this.#sink(), { grammar: parameters.grammar })
      .catch((cause: unknown) => this.#broken('the recognizer did not start', cause))
    if (this.#closed) {
      await stream.close()
      return start
    }
    this.#stream = stream
    this.#uplink = new Uplink(stream, parameters.sendAudio, limits, holder, this.#ends)
    const behind = () => stream.behindMs
    const late = () => Math.max(stream.behindMs, results.lateMs)
    this.#followed = workload.follow(new Pace({ outlet, limits, behind, late }))
    return start
  }

  take(fragment: unknown): void {
    this.#uplink?.take(fragment)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#followed?.[Symbol.dispose]()
    this.#parts.results.close()
    await this.#stream?.close()
  }

  totals(): object {
    return { audioMs: Math.round(this.#uplink?.takenMs ?? 0), utterances: this.#utterances }
  }

  #sink(): TranscriptSink {
    const { results, outlet } = this.#parts
    return {
      partial: transcript => {
        if (!this.#closed) results.partial(transcript)
      },
      final: transcript => {
        this.#utterances++
        const recognitionMs = this.#ends.sinceMs(transcript.endMs)
        if (!this.#closed) results.final(transcript, this.#stream?.behindMs ?? 0, recognitionMs)
      },
      failed: cause =>
        outlet.fault(new ServiceError('transcription_failed', 'the recognizer failed', { cause })),
    }
  }

  #broken(description: string, cause: unknown): never {
    throw new ServiceError('transcription_failed', description, { cause })
  }
}
