import { type Clock, setTimer } from '../../../../common/clock.ts'
import { durationMs } from '../../../../transcode/pcm.ts'
import { DueTimes, PcmQueue } from '../../audio-backlog.ts'
import type { SpeechStream, TranscriptSink } from '../../engine.ts'
import type { Decoder } from './decoder.ts'
import { isTelephoneBand, UtteranceBounds } from './speech-detection.ts'

/** Samples per call during silence (100 ms): an onset cannot also end within it. */
const IDLE_SLICE = 1_600
/** Samples per call during speech (40 ms): the end must be detected before the next speech starts. */
const SPEECH_SLICE = 640
/** Amount of silence fed after the audio has stopped, until the decoder detects the end (at most 0.8 s). */
const TAIL_SLICES = 20
/** Samples of the pause that a final leaves to the next utterance (40 ms and the slice in which it was detected). */
const PAUSE_LEFT = 1_280

/** Time without audio after which the utterance in progress ends (ms). */
const STALL_MS = 800
/** Minimum time between two partials (ms). */
const PARTIAL_MS = 200
/** Length from which an utterance is cut at a quiet spot, from 1.5 times of it anywhere (ms). */
const MOST_UTTERANCE_MS = 10_000

export interface SphinxStreamOptions {
  readonly clock: Clock
  /** Called once when the stream no longer needs the decoder; `broken` if it must not be used again. */
  readonly release: (broken: boolean) => Promise<void>
}

/**
 * Feeds one speaker's audio to one decoder and splits it into utterances.
 *
 *   quiet ──speech seen──▶ speaking ──pause seen, cut, or no more audio──▶ quiet
 */
export class SphinxStream implements SpeechStream {
  readonly #decoder: Decoder
  readonly #sink: TranscriptSink
  readonly #options: SphinxStreamOptions
  readonly #queue = new PcmQueue()
  readonly #times: DueTimes
  /** Due time of the audio being decoded. */
  #feeding: number | undefined
  readonly #bounds = new UtteranceBounds()
  readonly #scratch = new Int16Array(IDLE_SLICE)
  #speaking = false
  /** Undefined until the first audible sound. */
  #telephone: boolean | undefined
  #lastText = ''
  #nextPartial = 0
  #stalled = false
  #stall: Disposable | undefined
  #running: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #broken = false

  constructor(decoder: Decoder, sink: TranscriptSink, options: SphinxStreamOptions) {
    this.#decoder = decoder
    this.#sink = sink
    this.#options = options
    this.#times = new DueTimes(options.clock)
  }

  get queuedMs(): number {
    return durationMs(this.#queue.length)
  }

  get waitingMs(): number {
    return this.queuedMs
  }

  get behindMs(): number {
    return this.#times.late(this.#feeding ?? this.#queue.due)
  }

  write(pcm: Int16Array): void {
    if (this.#closing || this.#broken) return
    const caughtUp = this.#queue.length === 0 && this.#feeding === undefined
    this.#queue.push(pcm, this.#times.came(durationMs(pcm.length), caughtUp))
    this.#stalled = false
    this.#stall?.[Symbol.dispose]()
    this.#stall = undefined
    this.#wake()
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  async #shutDown(): Promise<void> {
    this.#queue.clear()
    this.#stall?.[Symbol.dispose]()
    await this.#running
    await this.#options.release(this.#broken)
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#queue.length > 0 && !this.#closing && !this.#broken) this.#wake()
    })
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#feedQueued()
      if (this.#stalled && this.#speaking) await this.#finishStalled()
    } catch (error) {
      this.#broken = true
      this.#feeding = undefined
      this.#queue.clear()
      this.#sink.failed(error as Error)
      return
    }
    if (this.#speaking && !this.#closing) this.#armStall()
  }

  #armStall(): void {
    this.#stall?.[Symbol.dispose]()
    this.#stall = setTimer(this.#options.clock, STALL_MS, () => {
      this.#stalled = true
      this.#wake()
    })
  }

  async #feedQueued(): Promise<void> {
    const slice = this.#scratch.subarray(0, this.#speaking ? SPEECH_SLICE : IDLE_SLICE)
    this.#feeding = this.#queue.due
    const taken = this.#queue.take(slice)
    await this.#feed(slice.subarray(0, taken), true)
    this.#feeding = undefined
  }

  /**
   * The audio has stopped inside an utterance: feed silence until the decoder detects the end, then end it in any case.
   */
  async #finishStalled(): Promise<void> {
    const silence = this.#scratch.subarray(0, SPEECH_SLICE).fill(0)
    for (let n = 0; n < TAIL_SLICES && this.#speaking && this.#queue.length === 0; n++) {
      if (this.#closing) return
      await this.#feed(silence, false)
    }
    if (this.#speaking && this.#queue.length === 0 && !this.#closing) await this.#finish(0)
  }

  async #feed(pcm: Int16Array, own: boolean): Promise<void> {
    if (this.#telephone === undefined) this.#listenForTelephone(pcm)
    await this.#decoder.process(pcm)
    if (this.#closing) return
    const inSpeech = this.#decoder.inSpeech
    this.#bounds.fed(pcm, this.#speaking || inSpeech, own)
    if (inSpeech && !this.#speaking) {
      this.#speaking = true
      this.#bounds.began(own ? pcm.length : 0)
    } else if (!inSpeech && this.#speaking) {
      return this.#finish(own ? PAUSE_LEFT : 0)
    } else if (inSpeech && this.#tooLong()) {
      return this.#finish(0)
    }
    if (inSpeech) this.#reportPartial()
  }

  /** The decoder must know the kind of line at the first sound; it then adapts automatically. */
  #listenForTelephone(pcm: Int16Array): void {
    this.#telephone = isTelephoneBand(pcm)
    if (this.#telephone) this.#decoder.expect(true)
  }

  #tooLong(): boolean {
    const length = this.#bounds.lengthMs
    return length > MOST_UTTERANCE_MS * 1.5 || (length > MOST_UTTERANCE_MS && this.#bounds.soft)
  }

  #reportPartial(): void {
    const now = this.#options.clock.now()
    if (now < this.#nextPartial) return
    this.#nextPartial = now + PARTIAL_MS
    const text = this.#decoder.text()
    if (text === '' || text === this.#lastText) return
    this.#lastText = text
    const { utterance, startMs, positionMs } = this.#bounds
    this.#sink.partial({ utterance, text, startMs, endMs: positionMs })
  }

  async #finish(leave: number): Promise<void> {
    const heard = await this.#decoder.finish()
    if (this.#closing) return
    const text = this.#bounds.unlikely(heard) ? '' : heard
    const endMs = this.#bounds.ended(leave)
    const { utterance, startMs } = this.#bounds
    const retract = this.#lastText !== ''
    this.#speaking = false
    this.#lastText = ''
    if (text === '' && !retract) return
    this.#bounds.next()
    this.#sink.final({ utterance, text, startMs, endMs })
  }
}
