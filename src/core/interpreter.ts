import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Caption } from './observer.ts'
import type { TranslationResult } from './translator.ts'
import { Utterance } from './utterance.ts'

export interface InterpreterEvents {
  caption(caption: Pick<Caption, 'utterance' | 'final' | 'text' | 'translation'>): void
  /** A voice begins; the receiver may retain its audio. It is closed when it ends, or with the interpreter. */
  utterance(utterance: Utterance): void
}

/** Makes utterances and captions out of one session's results, whatever connection they came by. */
export class Interpreter {
  readonly #name: string
  readonly #pool: Mp3Pool
  readonly #metrics: RelayMetrics
  readonly #events: InterpreterEvents
  /** Our names of the service's utterances, for this connection. */
  readonly #names = new Map<string, string>()
  #count = 0
  #current: { name: string; utterance: Utterance } | undefined

  /** `name` begins the ids of its utterances. */
  constructor(name: string, pool: Mp3Pool, metrics: RelayMetrics, events: InterpreterEvents) {
    this.#name = name
    this.#pool = pool
    this.#metrics = metrics
    this.#events = events
  }

  /** `speechEndedAt`: when the speaker's last stretch of speech ended (clock ms). */
  result(result: TranslationResult, speechEndedAt: number): void {
    const name = this.#nameOf(result.utterance)
    if (result.text !== undefined || result.translation !== undefined)
      this.#events.caption({
        utterance: name,
        final: result.final,
        ...(result.text === undefined ? {} : { text: result.text }),
        ...(result.translation === undefined ? {} : { translation: result.translation }),
      })
    if (!result.audio || result.audio.length === 0) return
    if (this.#current?.name !== name) {
      this.endOfSpeech()
      const utterance = new Utterance(name, speechEndedAt, this.#pool, this.#metrics)
      this.#current = { name, utterance }
      this.#metrics.utterances++
      utterance.write(result.audio)
      this.#events.utterance(utterance)
    } else this.#current.utterance.write(result.audio)
  }

  /** The voice of the current utterance is complete. */
  endOfSpeech(): void {
    this.#current?.utterance.end()
    this.#current = undefined
  }

  /** The connection is gone: what came so far is all there is, and its names mean nothing any more. */
  interrupted(): void {
    this.endOfSpeech()
    this.#names.clear()
  }

  #nameOf(utterance: string): string {
    const known = this.#names.get(utterance)
    if (known) return known
    // Utterances come in order; only the latest few can still get results.
    if (this.#names.size >= 16) this.#names.delete(this.#names.keys().next().value!)
    const name = `${this.#name}.${++this.#count}`
    this.#names.set(utterance, name)
    return name
  }
}
