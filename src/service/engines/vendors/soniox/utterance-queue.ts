import type { LanguageId } from '../../../../common/language.ts'
import type { InterpretationSink, Speech } from '../../engine.ts'

/** The recognized text of an utterance so far, with its place in the stream's audio (ms). */
export interface RecognizedText {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
  readonly language?: LanguageId | undefined
}

export interface UtteranceQueueOptions {
  readonly sink: InterpretationSink
  /** Speaks a text; aborting `signal` ends the pieces. */
  readonly speak: (text: string, signal: AbortSignal) => Promise<Speech>
  /** An utterance cannot be spoken. Called once, and followed by no call of the sink. */
  readonly failed: (error: Error) => void
}

/**
 * The utterances of a stream whose translations are spoken by a separate service. The next utterance can be understood
 * while the previous one is still being spoken: its results wait until then.
 *
 * One per stream. The creator closes it.
 */
export class UtteranceQueue {
  readonly #options: UtteranceQueueOptions
  /** Utterances without a final result, in order. */
  #open: TranslatedUtterance[] = []
  #count = 0
  #endMs = 0
  #closed = false

  constructor(options: UtteranceQueueOptions) {
    this.#options = options
  }

  /** Starts the next utterance. Those before must be complete, or be completed. */
  begin(): TranslatedUtterance {
    const { speak, sink } = this.#options
    const utterance = new TranslatedUtterance(++this.#count, {
      sink,
      first: () => !this.#closed && this.#open[0] === utterance,
      /** Utterances follow one another, regardless of the positions that the service reports. */
      place: (startMs, endMs) => {
        const from = Math.max(this.#endMs, Math.round(startMs))
        return { startMs: from, endMs: Math.max(from + 1, Math.round(endMs)) }
      },
      speak,
      complete: endMs => {
        this.#endMs = endMs
        this.#open.shift()
        this.#open[0]?.catchUp()
      },
      failed: error => this.#fail(error),
    })
    this.#open.push(utterance)
    return utterance
  }

  /** Ends all speech, without further calls of the sink. Idempotent. */
  close(): void {
    this.#closed = true
    for (const utterance of this.#open.splice(0)) utterance.cancel()
  }

  #fail(error: Error): void {
    if (this.#closed) return
    this.close()
    this.#options.failed(error)
  }
}

interface UtteranceOwner {
  readonly sink: InterpretationSink
  /** True once all utterances before it are complete. */
  first(): boolean
  place(startMs: number, endMs: number): { readonly startMs: number; readonly endMs: number }
  readonly speak: UtteranceQueueOptions['speak']
  /** The final result was given. */
  complete(endMs: number): void
  failed(error: Error): void
}

/** One utterance: its text, the translation, and the speech of the translation. */
export class TranslatedUtterance {
  readonly #utterance: number
  readonly #owner: UtteranceOwner
  #heard: RecognizedText = { text: '', startMs: 0, endMs: 0 }
  #translation = ''
  readonly #speech: SpokenClauses
  /** Speech that waits for the previous utterance. */
  #waiting: Int16Array[] = []
  #rate = 0
  #complete = false
  #changed = false

  constructor(utterance: number, owner: UtteranceOwner) {
    this.#utterance = utterance
    this.#owner = owner
    this.#speech = new SpokenClauses(owner.speak, {
      audio: (pcm, rate) => this.#audio(pcm, rate),
      ended: () => this.#finish(),
      failed: error => owner.failed(error),
    })
  }

  get translation(): string {
    return this.#translation
  }

  /** Replaces the recognized text. */
  heard(heard: RecognizedText): void {
    this.#heard = heard
    this.#partial()
  }

  /** Adds to the translation, which is spoken clause by clause. */
  translated(text: string): void {
    if (text === '' || this.#complete) return
    this.#translation += text
    this.#partial()
    this.#speech.say(text)
  }

  /** Completes the text. The final result follows when all of it has been spoken. */
  end(): void {
    if (this.#complete) return
    this.#complete = true
    this.#speech.end()
    this.#finish()
  }

  /** Passes on what has waited for the previous utterance. */
  catchUp(): void {
    if (this.#changed) this.#partial()
    for (const pcm of this.#waiting.splice(0)) this.#owner.sink.audio(this.#utterance, pcm, this.#rate)
    this.#finish()
  }

  cancel(): void {
    this.#complete = true
    this.#speech.cancel()
  }

  #audio(pcm: Int16Array, rate: number): void {
    this.#rate = rate
    if (!this.#owner.first()) this.#waiting.push(pcm)
    else this.#owner.sink.audio(this.#utterance, pcm, this.#rate)
  }

  #partial(): void {
    if (this.#complete) return
    this.#changed = true
    if (this.#owner.first()) this.#owner.sink.partial(this.#result())
  }

  #finish(): void {
    if (!this.#complete || !this.#speech.ended || !this.#owner.first()) return
    const result = this.#result()
    this.#owner.sink.final(result)
    this.#owner.complete(result.endMs)
  }

  #result() {
    const { text, startMs, endMs, language } = this.#heard
    return {
      utterance: this.#utterance,
      text,
      translation: this.#translation.trim(),
      ...this.#owner.place(startMs, endMs),
      language,
    }
  }
}

interface ClauseListener {
  /** The receiver owns `pcm`. */
  audio(pcm: Int16Array, rate: number): void
  /** All of the text has been spoken. */
  ended(): void
  failed(error: Error): void
}

/** Minimum length of a clause (letters): shorter ones are spoken with what follows. */
const LEAST_LETTERS = 12
/** The text up to the last mark that is followed by more. */
const CLAUSES = /^[\s\S]*[.?!…,;:。！？，；：]["'”’»)]*(?=\s)|^[\s\S]*[。！？，；：]/

/** Speaks a text that grows, one clause after the other. Calls nothing after `cancel`. */
class SpokenClauses {
  readonly #speak: UtteranceQueueOptions['speak']
  readonly #listener: ClauseListener
  readonly #stop = new AbortController()
  readonly #line: string[] = []
  #rest = ''
  #complete = false
  #running = false

  constructor(speak: UtteranceQueueOptions['speak'], listener: ClauseListener) {
    this.#speak = speak
    this.#listener = listener
  }

  /** True once the text is complete and spoken. */
  get ended(): boolean {
    return this.#complete && !this.#running && this.#line.length === 0
  }

  say(text: string): void {
    this.#rest += text
    const [clause = ''] = CLAUSES.exec(this.#rest) ?? []
    if (clause.trim().length < LEAST_LETTERS) return
    this.#rest = this.#rest.slice(clause.length)
    this.#add(clause)
  }

  /** The text is complete. */
  end(): void {
    this.#complete = true
    this.#add(this.#rest)
    this.#rest = ''
  }

  cancel(): void {
    this.#stop.abort()
  }

  #add(clause: string): void {
    if (clause.trim() === '') return
    this.#line.push(clause.trim())
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    this.#running = true
    try {
      for (let next = this.#line.shift(); next !== undefined && !signal.aborted; next = this.#line.shift()) {
        const { rate, pieces } = await this.#speak(next, signal)
        for await (const pcm of pieces) if (!signal.aborted) this.#listener.audio(pcm, rate)
      }
      this.#running = false
      if (this.#complete && !signal.aborted) this.#listener.ended()
    } catch (error) {
      if (!signal.aborted) this.#listener.failed(error as Error)
    }
  }
}
