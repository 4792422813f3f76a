import type { Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { type EndSynth, EVENT } from '../../contract.ts'
import { ServiceError } from '../service-error.ts'
import { AudioStream } from './audio-stream.ts'
import type { AudioStreams } from './audio-streams.ts'
import { LiveMp3 } from './live-mp3.ts'
import {
  finish,
  type SpentTiming,
  type SpokenOutput,
  type SpokenOutputParts,
  type SpokenResult,
  timed,
} from './spoken-output.ts'

export interface StreamOutputParts extends SpokenOutputParts {
  readonly streams: AudioStreams
  /** Address of the service as seen by its client. */
  readonly base: string
  readonly maxUnreadBytes: number
}

/** Delivers the mp3 as one HTTP response, whose URL is the payload of `start`. The results carry only text. */
export class StreamOutput implements SpokenOutput {
  readonly #parts: StreamOutputParts
  readonly #closed = new AbortController()
  #stream: AudioStream | undefined
  #path = ''
  #held = false

  constructor(parts: StreamOutputParts) {
    this.#parts = parts
  }

  get held(): boolean {
    return this.#held
  }

  async open(): Promise<string> {
    const { receiveAudio, outlet, streams, base, clock, maxUnreadBytes } = this.#parts
    const mp3 = await LiveMp3.create(receiveAudio.sampleRate as Mp3Rate)
    const lost = (description: string) => outlet.fault(new ServiceError('stream_not_read', description))
    if (this.#closed.signal.aborted) return ''
    this.#stream = new AudioStream({ mp3, clock, maxUnreadBytes, lost })
    this.#path = streams.offer(this.#stream)
    return `${base}${this.#path}`
  }

  /** In `streaming` mode the `result` is sent with the first audio, in `block` mode when all of it is made. */
  async say(result: SpokenResult, text: string, spent?: SpentTiming): Promise<void> {
    const { outlet, voice, receiveAudio, clock } = this.#parts
    const stream = this.#stream
    if (!stream) return
    const begunAt = clock.now()
    this.#held = true
    await stream.room()
    this.#held = false
    const speech = await voice.engine.speak(text, voice.entry.voiceId, this.#closed.signal)
    await stream.tune(speech.rate)
    let told = false
    for await (const pcm of speech.pieces) {
      stream.write(pcm)
      if (receiveAudio.mode === 'streaming' && !told)
        outlet.emit(EVENT.result, timed(result, spent, begunAt, clock.now()))
      told ||= receiveAudio.mode === 'streaming'
    }
    if (told) outlet.emit(EVENT.endSynth, { id: result.id } satisfies EndSynth)
    else finish(outlet, timed(result, spent, begunAt, clock.now()))
  }

  close(): void {
    this.#closed.abort()
    this.#stream?.end()
    this.#parts.streams.withdraw(this.#path)
  }
}
