import { Leveller } from '../transcode/leveller.ts'
import type { Mp3Pool } from '../transcode/mp3-pool.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Caption } from './observer.ts'
import type { TranslationResult } from './translator.ts'
import { Utterance, type UtteranceOptions } from './utterance.ts'

export interface InterpreterEvents {
  caption(caption: Pick<Caption, 'utterance' | 'final' | 'text' | 'translation'>): void
  /** A voice begins. Whoever wants to hear it takes a place in its audio now. */
  utterance(utterance: Utterance): void
  /** For the first time, the voice in a result is no mp3. */
  notMp3(): void
}

/** Makes utterances and captions out of one session's results, whatever connection they came by. */
export class Interpreter {
  readonly #name: string
  readonly #pool: Mp3Pool
  readonly #metrics: RelayMetrics
  readonly #events: InterpreterEvents
  readonly #voice: UtteranceOptions
  /** Our names of the service's utterances, for this connection, and the last caption of each. */
  readonly #known = new Map<string, { name: string; caption: string }>()
  #saidNotMp3 = false
  #count = 0
  #current: { name: string; utterance: Utterance } | undefined

  /** `name` begins the ids of its utterances; `levelDb` is the level they get (dBFS), absent: as they come. */
  constructor(
    name: string,
    pool: Mp3Pool,
    metrics: RelayMetrics,
    events: InterpreterEvents,
    levelDb?: number,
  ) {
    this.#name = name
    this.#pool = pool
    this.#metrics = metrics
    this.#events = events
    this.#voice = {
      leveller: levelDb === undefined ? undefined : new Leveller(levelDb),
      notMp3: () => this.#notMp3(),
    }
  }

  /** `speechEndedAt`: when the speaker's last stretch of speech ended (clock ms). */
  result(result: TranslationResult, speechEndedAt: number): void {
    const known = this.#of(result.utterance)
    const { name } = known
    this.#caption(known, result)
    if (!result.audio || result.audio.length === 0) return
    if (this.#current?.name !== name) {
      this.endOfSpeech()
      const utterance = new Utterance(name, speechEndedAt, this.#pool, this.#metrics, this.#voice)
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
    this.#known.clear()
  }

  #notMp3(): void {
    if (!this.#saidNotMp3) this.#events.notMp3()
    this.#saidNotMp3 = true
  }

  /** Every piece of a streamed voice may repeat the text; it is told once. */
  #caption(known: { name: string; caption: string }, { final, text, translation }: TranslationResult): void {
    if (text === undefined && translation === undefined) return
    const caption = JSON.stringify([final, text, translation])
    if (caption === known.caption) return
    known.caption = caption
    this.#events.caption({
      utterance: known.name,
      final,
      ...(text === undefined ? {} : { text }),
      ...(translation === undefined ? {} : { translation }),
    })
  }

  #of(utterance: string): { name: string; caption: string } {
    const known = this.#known.get(utterance)
    if (known) return known
    // Utterances come in order; only the latest few can still get results.
    if (this.#known.size >= 16) this.#known.delete(this.#known.keys().next().value!)
    const fresh = { name: `${this.#name}.${++this.#count}`, caption: '' }
    this.#known.set(utterance, fresh)
    return fresh
  }
}
