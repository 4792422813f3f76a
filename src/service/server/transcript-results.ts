import { EVENT, type SttResult } from '../contract.ts'
import type { SttParameters } from './connection-parameters.ts'
import type { Transcript } from './engines/speech-to-text.ts'
import type { Outlet } from './outlet.ts'

/** Turns what a session understands into events for its client. */
export interface Results {
  /** Gets ready; answers the payload of `start`. */
  open(): Promise<boolean | string>
  partial(transcript: Transcript): void
  /** `lateMs`: so much later than it should have been understood; `recognitionMs`: after its last speech had come. */
  final(transcript: Transcript, lateMs: number, recognitionMs?: number): void
  /** How late the oldest utterance without an answer is (ms), whatever it waits for on our side. */
  readonly lateMs: number
  /** What is on its way is dropped. Idempotent. */
  close(): void
}

/** The `result` that a transcript makes, without translation and voice. */
export function sttResult(transcript: Transcript, final: boolean, languageIdSource: string): SttResult {
  const { utterance, text, startMs, endMs } = transcript
  return { id: String(utterance), final, languageIdSource, text, startMs, endMs }
}

/** The results of `/stt`: transcripts as they come. */
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
