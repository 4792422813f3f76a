import type { Clock } from '../../core/clock.ts'
import { type EndSynth, EVENT, type ReceiveAudio, type ResultFile, type StageTiming } from '../contract.ts'
import type { OfferedVoice } from './engines/engine-set.ts'
import type { Outlet } from './outlet.ts'

/** What every `result` with a voice has beside its audio. */
export interface SpokenResult {
  readonly id: string
}

/** How long the stages before the voice took (ms). */
export type SpentTiming = Omit<StageTiming, 'synthesisMs'>

/** How the spoken part of results gets to a client. Each text ends with one `endSynth`, right after its last `result`. */
export interface SpokenOutput {
  /** Gets ready; answers the payload of `start`. */
  open(): Promise<boolean | string>
  /**
   * Sends `result` with `text` spoken, in as many `result`s as the mode wants, then `endSynth`. Rejects, without
   * `endSynth`, when the engine fails. With `spent`, a result whose voice is there tells how long all stages took. One at a time.
   */
  say(result: SpokenResult, text: string, spent?: SpentTiming): Promise<void>
  /** Whether what is to be said waits for the client, who has more than enough to hear. */
  readonly held: boolean
  /** What is being spoken is dropped; speech that was made is still delivered where it can be. Idempotent. */
  close(): void
}

export interface SpokenOutputParts {
  readonly outlet: Outlet
  readonly voice: OfferedVoice
  readonly receiveAudio: ReceiveAudio
  readonly clock: Clock
}

/** Sends `result`, the last one of its id, and `endSynth`. */
export function finish(outlet: Outlet, result: SpokenResult & { readonly file?: ResultFile }): void {
  outlet.emit(EVENT.result, result)
  outlet.emit(EVENT.endSynth, { id: result.id } satisfies EndSynth)
}

/** `result` with the times of its stages; its voice, which is there at `now`, was begun at `begunAt` (clock ms). */
export function timed<R extends SpokenResult>(
  result: R,
  spent: SpentTiming | undefined,
  begunAt: number,
  now: number,
): R & { readonly timing?: StageTiming } {
  if (!spent) return result
  const timing: StageTiming = {
    recognitionMs: Math.round(spent.recognitionMs),
    translationMs: Math.round(spent.translationMs),
    synthesisMs: Math.round(now - begunAt),
  }
  return { ...result, timing }
}
