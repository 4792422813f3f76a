import type { LanguageId } from '../../../../common/language.ts'
import { PcmQueue } from '../../audio-backlog.ts'
import type { Reply } from './messages.ts'

/** Audio of each stream that is processed in one round (100 ms), so that no stream waits for a long one. */
const SLICE = 1_600

/** Sends a recognized text of one stream. */
export type Recognized = (
  type: 'partial' | 'final',
  result: { text: string; startMs: number; endMs: number; heard?: string | undefined },
) => void

/** One speaker in the process of the model. Positions and lengths are in samples. */
export interface ModelStream extends Disposable {
  /** Length of complete utterances that wait for the model. */
  readonly waiting: number
  /** Length of the unfinished utterance. */
  readonly held: number
  /** End of the first utterance that the model has not started; undefined if there is none. */
  readonly dueAt: number | undefined
  /** Accepts 16 kHz audio. */
  write(pcm: Int16Array): void
  /** Ends the utterance in progress. */
  finish(): void
}

/** A loaded model with the streams that use it. */
export interface RecognitionModel {
  open(language: LanguageId, recognized: Recognized): ModelStream
  /** Decodes the audio that its streams have accepted, and sends the results. Returns the failed streams. */
  decode(): ReadonlyMap<ModelStream, Error>
}

interface Hosted {
  readonly stream: ModelStream
  readonly queue: PcmQueue
  position: number
  finishing: boolean
}

/**
 * Runs the streams of one model in its process: collects their audio and processes it in rounds. Between rounds the
 * process reads messages, so decoding never delays a close.
 */
export class RecognitionHost {
  readonly #model: RecognitionModel
  readonly #reply: Reply
  readonly #hosted = new Map<number, Hosted>()
  #scheduled = false

  constructor(model: RecognitionModel, reply: Reply) {
    this.#model = model
    this.#reply = reply
  }

  open(id: number, language: LanguageId): void {
    this.#guard(id, () => {
      const stream = this.#model.open(language, (type, result) => {
        if (this.#hosted.has(id)) this.#reply({ type, stream: id, ...result })
        if (type === 'final') this.#progress(id)
      })
      this.#hosted.set(id, { stream, queue: new PcmQueue(), position: 0, finishing: false })
    })
  }

  /** Takes over `pcm`. */
  write(id: number, pcm: Int16Array): void {
    const hosted = this.#hosted.get(id)
    if (!hosted) return
    hosted.queue.push(pcm, 0)
    this.#schedule()
  }

  finish(id: number): void {
    const hosted = this.#hosted.get(id)
    if (!hosted) return
    hosted.finishing = true
    this.#schedule()
  }

  close(id: number): void {
    const hosted = this.#hosted.get(id)
    this.#hosted.delete(id)
    hosted?.stream[Symbol.dispose]()
  }

  /** A stream of the model has failed outside of a round. */
  fail(stream: ModelStream, error: Error): void {
    for (const [id, hosted] of this.#hosted) if (hosted.stream === stream) this.#broken(id, error)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#round()
    })
  }

  #round(): void {
    const worked: number[] = []
    for (const [id, hosted] of this.#hosted)
      if (hosted.queue.length > 0 || hosted.finishing) {
        worked.push(id)
        this.#guard(id, () => feed(hosted))
      }
    const failed = this.#model.decode()
    for (const [id, { stream }] of this.#hosted) {
      const error = failed.get(stream)
      if (error) this.#broken(id, error)
    }
    for (const id of worked) this.#progress(id)
    for (const { queue, finishing } of this.#hosted.values())
      if (queue.length > 0 || finishing) this.#schedule()
  }

  #guard(id: number, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#broken(id, error as Error)
    }
  }

  #broken(id: number, { message }: Error): void {
    this.close(id)
    this.#reply({ type: 'broken', stream: id, message })
  }

  #progress(id: number): void {
    const hosted = this.#hosted.get(id)
    if (!hosted) return
    const { stream, position } = hosted
    const { waiting, held, dueAt = position } = stream
    this.#reply({ type: 'progress', stream: id, position, waiting, held, dueAt })
  }
}

function feed(hosted: Hosted): void {
  const { stream, queue } = hosted
  if (queue.length === 0) {
    hosted.finishing = false
    stream.finish()
    return
  }
  const slice = new Int16Array(Math.min(SLICE, queue.length))
  queue.take(slice)
  stream.write(slice)
  hosted.position += slice.length
}
