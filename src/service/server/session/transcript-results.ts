import { EVENT, type SttResult } from '../../contract.ts'
import type { Transcript } from '../engines/speech-to-text.ts'
import type { SttParameters } from './connection-parameters.ts'
import type { Outlet } from './outlet.ts'

/** Turns the transcripts of a session into events for its client. */
export interface Results {
  /** Prepares the results; resolves to the payload of `start`. */
  open(): Promise<boolean | string>
  partial(transcript: Transcript): void
  /**
   * `lateMs`: how much later than due the transcript is; `recognitionMs`: its delay after the last speech had arrived.
   */
  final(transcript: Transcript, lateMs: number, recognitionMs?: number): void
  /** Delay of the oldest unanswered utterance (ms), at any stage of the service. */
  readonly lateMs: number
  /** Drops all pending work. Idempotent. */
  close(): void
}

/** Creates the `result` of a transcript, without translation and audio. */
export function sttResult(transcript: Transcript, final: boolean, languageIdSource: string): SttResult {
  const { utterance, text, startMs, endMs } = transcript
  return { id: String(utterance), final, languageIdSource, text, startMs, endMs }
}

/** The results of `/stt`: transcripts in order of arrival. */
export class TranscriptResults implements Results {
  readonly lateMs = 0
  readonly #outlet: Outlet
  readonly #parameters: SttParameters

  constructor(outlet: Outlet, parameters: SttParameters) {
    this.#outlet = outlet
    this.#parameters = parameters
  }

  async open(): Promise<boolean> {
    return true
  }

  partial(transcript: Transcript): void {
    if (this.#parameters.partials) this.#emit(transcript, false)
  }

  final(transcript: Transcript): void {
    if (transcript.text === '' && !this.#parameters.partials) return
    this.#emit(transcript, true)
  }

  close(): void {}

  #emit(transcript: Transcript, final: boolean): void {
    this.#outlet.emit(EVENT.result, sttResult(transcript, final, this.#parameters.languageIdSource))
  }
}
