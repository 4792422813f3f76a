import type { Clock } from '../../../common/clock.ts'
import { createMp3, type Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { type EndSynth, EVENT, type ReceiveAudio, type ResultFile, type StageTiming } from '../../contract.ts'
import type { Speech } from '../../engines/engine.ts'
import { ServiceError } from '../errors.ts'
import { AudioStream, type AudioStreams, LiveMp3 } from './audio-stream.ts'
import type { SessionOutput } from './session.ts'

/** Starts to speak; aborting the signal ends the speech early without an error. Rejects with the engine's errors. */
export type Speak = (signal: AbortSignal) => Promise<Speech>

/** Yields the pieces of one mp3 as its speech is made; the receiver owns the pieces. Throws the engine's errors. */
async function* spokenMp3(speak: Speak, rate: Mp3Rate, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const speech = await speak(signal)
  const encoder = await createMp3(speech.rate, rate)
  for await (const pcm of speech.pieces) {
    const bytes = encoder.encode(pcm)
    if (bytes.length > 0) yield bytes
  }
  const rest = encoder.finish()
  if (rest.length > 0) yield rest
}

/** Common part of every spoken `result`. */
export interface SpokenResult {
  readonly id: string
  readonly final: boolean
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
   * Sends a result with its speech, in as many `result`s as the mode requires, then `endSynth`. `result` is called for
   * each, because its text can grow while it is spoken; it is final when the speech has ended. Rejects, without
   * `endSynth`, when the engine fails. With `spent`, results with audio include the duration of all stages. Must not be
   * called concurrently.
   */
  say(result: () => SpokenResult, speak: Speak, spent?: SpentTiming): Promise<void>
  /** True while speech waits for a client that has more than enough audio buffered. */
  readonly held: boolean
  /** Drops the text being spoken; speech already made is still delivered where possible. Idempotent. */
  close(): void
}

export interface SpokenOutputOptions {
  readonly outlet: SessionOutput
  readonly receiveAudio: ReceiveAudio
  readonly clock: Clock
}

/** Sends `result`, the last one of its id, and `endSynth`. */
export function finish(outlet: SessionOutput, result: SpokenResult & { readonly file?: ResultFile }): void {
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

/** Sends the mp3 in the results themselves: one per text, whole (`block`) or in pieces as synthesized (`streaming`). */
export class ChunkOutput implements SpokenOutput {
  readonly held = false
  readonly #options: SpokenOutputOptions
  readonly #closed = new AbortController()

  constructor(options: SpokenOutputOptions) {
    this.#options = options
  }

  async open(): Promise<boolean> {
    return true
  }

  async say(result: () => SpokenResult, speak: Speak, spent?: SpentTiming): Promise<void> {
    const { outlet, receiveAudio, clock } = this.#options
    const { sampleRate, mode } = receiveAudio
    const begunAt = clock.now()
    let firstAt: number | undefined
    let finalSent = false
    const pieces: Uint8Array[] = []
    for await (const data of spokenMp3(speak, sampleRate as Mp3Rate, this.#closed.signal)) {
      firstAt ??= clock.now()
      if (mode === 'block') {
        pieces.push(data)
        continue
      }
      const told = timed(result(), spent, begunAt, firstAt)
      finalSent = told.final
      outlet.emit(EVENT.result, { ...told, file: { data, codec: 'mp3', sampleRate } })
    }
    if (this.#closed.signal.aborted) return
    const whole = result()
    if (finalSent) outlet.emit(EVENT.endSynth, { id: whole.id } satisfies EndSynth)
    else if (pieces.length === 0) finish(outlet, whole)
    else
      finish(outlet, {
        ...timed(whole, spent, begunAt, clock.now()),
        file: { data: Buffer.concat(pieces), codec: 'mp3', sampleRate },
      })
  }

  close(): void {
    this.#closed.abort()
  }
}

export interface StreamOutputOptions extends SpokenOutputOptions {
  readonly streams: AudioStreams
  /** Address of the service as seen by its client. */
  readonly base: string
  readonly maxUnreadBytes: number
}

/** Delivers the mp3 as one HTTP response, whose URL is the payload of `start`. The results carry only text. */
export class StreamOutput implements SpokenOutput {
  readonly #options: StreamOutputOptions
  readonly #closed = new AbortController()
  #stream: AudioStream | undefined
  #path = ''
  #held = false

  constructor(options: StreamOutputOptions) {
    this.#options = options
  }

  get held(): boolean {
    return this.#held
  }

  async open(): Promise<string> {
    const { receiveAudio, outlet, streams, base, clock, maxUnreadBytes } = this.#options
    const mp3 = await LiveMp3.create(receiveAudio.sampleRate as Mp3Rate)
    const lost = (description: string) => outlet.fault(new ServiceError('stream_not_read', description))
    if (this.#closed.signal.aborted) return ''
    this.#stream = new AudioStream({ mp3, clock, maxUnreadBytes, lost })
    this.#path = streams.offer(this.#stream)
    return `${base}${this.#path}`
  }

  /** In `streaming` mode the `result` is sent with the first audio, in `block` mode when all of it is made. */
  async say(result: () => SpokenResult, speak: Speak, spent?: SpentTiming): Promise<void> {
    const { outlet, receiveAudio, clock } = this.#options
    const stream = this.#stream
    if (!stream) return
    const begunAt = clock.now()
    this.#held = true
    await stream.room()
    this.#held = false
    const speech = await speak(this.#closed.signal)
    await stream.tune(speech.rate)
    let told: SpokenResult | undefined
    for await (const pcm of speech.pieces) {
      stream.write(pcm)
      if (receiveAudio.mode !== 'streaming' || told) continue
      told = timed(result(), spent, begunAt, clock.now())
      outlet.emit(EVENT.result, told)
    }
    if (told?.final) outlet.emit(EVENT.endSynth, { id: told.id } satisfies EndSynth)
    else finish(outlet, timed(result(), spent, begunAt, clock.now()))
  }

  close(): void {
    this.#closed.abort()
    this.#stream?.end()
    this.#options.streams.withdraw(this.#path)
  }
}
