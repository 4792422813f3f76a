import type { Voice } from './voice.ts'

/** What became of something that was said. Times are milliseconds of the call's clock. */
export interface Spoken {
  /** When its first packet fell due; undefined when the call ended before. */
  readonly startedAt: number | undefined
  /** When its last packet fell due: the end of speech, for measuring latency. */
  readonly endedAt: number
  /** False when the call ended, or the party was hushed, before everything was said. */
  readonly complete: boolean
}

interface Sentence {
  readonly voice: Voice
  readonly resolve: (spoken: Spoken) => void
  next: number
  startedAt: number | undefined
  endedAt: number
}

/** What one party says: one voice after the other, silence between them. */
export class Mouth {
  readonly #sentences: Sentence[] = []
  #closed = false

  /** True while something is being said or waits to be. */
  get speaking(): boolean {
    return this.#sentences.length > 0
  }

  /** Says `voice` after everything said so far. Never rejects. */
  say(voice: Voice, now: number): Promise<Spoken> {
    if (this.#closed) return Promise.resolve({ startedAt: undefined, endedAt: now, complete: false })
    return new Promise(resolve =>
      this.#sentences.push({ voice, resolve, next: 0, startedAt: undefined, endedAt: now }),
    )
  }

  /** The packet that is due at `due`; undefined is silence. */
  packet(due: number): string | undefined {
    for (let sentence = this.#sentences[0]; sentence; sentence = this.#sentences[0]) {
      const packet = sentence.voice.packet(sentence.next)
      if (packet === undefined) {
        this.#finish(sentence)
        continue
      }
      sentence.next++
      sentence.startedAt ??= due
      sentence.endedAt = due
      if (sentence.next === sentence.voice.packets) this.#finish(sentence)
      return packet
    }
    return undefined
  }

  /** Says no more of what was begun or waits. */
  hush(now: number): void {
    for (const { startedAt, resolve } of this.#sentences.splice(0))
      resolve({ startedAt, endedAt: now, complete: false })
  }

  /** As `hush`, for good. */
  close(now: number): void {
    this.#closed = true
    this.hush(now)
  }

  #finish({ startedAt, endedAt, resolve }: Sentence): void {
    this.#sentences.shift()
    resolve({ startedAt, endedAt, complete: true })
  }
}
