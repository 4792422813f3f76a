import type { Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { type EndSynth, EVENT } from '../../contract.ts'
import { spokenMp3 } from './spoken-mp3.ts'
import {
  finish,
  type SpentTiming,
  type SpokenOutput,
  type SpokenOutputParts,
  type SpokenResult,
  timed,
} from './spoken-output.ts'

/** Sends the mp3 in the results themselves: one per text, whole (`block`) or in pieces as it is made (`streaming`). */
export class ChunkOutput implements SpokenOutput {
  readonly held = false
  readonly #parts: SpokenOutputParts
  readonly #closed = new AbortController()

  constructor(parts: SpokenOutputParts) {
    this.#parts = parts
  }

  async open(): Promise<boolean> {
    return true
  }

  async say(result: SpokenResult, text: string, spent?: SpentTiming): Promise<void> {
    const { outlet, voice, receiveAudio, clock } = this.#parts
    const { sampleRate, mode } = receiveAudio
    const begunAt = clock.now()
    let told: SpokenResult = result
    const pieces: Uint8Array[] = []
    const spoken = spokenMp3(voice, text, sampleRate as Mp3Rate, this.#closed.signal)
    for await (const data of spoken) {
      if (pieces.length === 0) told = timed(result, spent, begunAt, clock.now())
      pieces.push(data)
      if (mode === 'streaming')
        outlet.emit(EVENT.result, { ...told, file: { data, codec: 'mp3', sampleRate } })
    }
    if (this.#closed.signal.aborted) return
    if (pieces.length === 0) finish(outlet, result)
    else if (mode === 'streaming') outlet.emit(EVENT.endSynth, { id: result.id } satisfies EndSynth)
    else
      finish(outlet, {
        ...timed(result, spent, begunAt, clock.now()),
        file: { data: Buffer.concat(pieces), codec: 'mp3', sampleRate },
      })
  }

  close(): void {
    this.#closed.abort()
  }
}
