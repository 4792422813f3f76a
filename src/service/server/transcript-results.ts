import { EVENT, type SttResult } from '../contract.ts'
import type { Channel } from './channel.ts'
import type { SttParameters } from './connection-parameters.ts'
import type { Transcript } from './engines/speech-to-text.ts'

/** Turns what a session understands into events for its client. */
export interface Results {
  partial(transcript: Transcript): void
  final(transcript: Transcript): void
  /** Nothing is emitted from now on. Idempotent. */
  close(): void
}

/** The `result` that a transcript makes, without translation and voice. */
export function sttResult(transcript: Transcript, final: boolean, languageIdSource: string): SttResult {
  const { utterance, text, startMs, endMs } = transcript
  return { id: String(utterance), final, languageIdSource, text, startMs, endMs }
}

/** The results of `/stt`: transcripts as they come. */
export class TranscriptResults implements Results {
  readonly #channel: Channel
  readonly #parameters: SttParameters

  constructor(channel: Channel, parameters: SttParameters) {
    this.#channel = channel
    this.#parameters = parameters
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
    this.#channel.emit(EVENT.result, sttResult(transcript, final, this.#parameters.languageIdSource))
  }
}
