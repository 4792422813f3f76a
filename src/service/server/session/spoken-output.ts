import type { Clock } from '../../../common/clock.ts'
import { type EndSynth, EVENT, type ReceiveAudio, type ResultFile, type StageTiming } from '../../contract.ts'
import type { OfferedVoice } from '../engines/engine-set.ts'
import type { Outlet } from './outlet.ts'

/** Common part of every spoken `result`. */
export interface SpokenResult {
  readonly id: string
}

/** Duration of the stages before synthesis (ms). */
export type SpentTiming = Omit<StageTiming, 'synthesisMs'>

/**
 * Delivers the spoken part of results to a client. Each text ends with one `endSynth`, right after its last `result`.
 */
export interface SpokenOutput {
  /** Prepares the output; resolves to the payload of `start`. */
  open(): Promise<boolean | string>
  /**
   * Sends `result` with `text` spoken, in as many `result`s as the mode requires, then `endSynth`. Rejects, without
   * `endSynth`, when the engine fails. With `spent`, results with audio include the duration of all stages. Must not be
   * called concurrently.
   */
  say(result: SpokenResult, text: string, spent?: SpentTiming): Promise<void>
  /** True while speech waits for a client that has more than enough audio buffered. */
  readonly held: boolean
  /** Drops the text being spoken; speech already made is still delivered where possible. Idempotent. */
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

/** Adds the stage durations to `result`; its synthesis started at `begunAt` and produced audio at `now` (clock ms). */
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
