import type { Voice } from './voice.ts'

/** Outcome of a spoken voice. Times are milliseconds of the call's clock. */
export interface Spoken {
  /** Time when its first packet fell due; undefined if the call ended before that. */
  readonly startedAt: number | undefined
  /** Time when its last packet fell due: the end of speech, for latency measurements. */
  readonly endedAt: number
  /** False if the call ended, or `hush` was called, before the end of the voice. */
  readonly complete: boolean
}

interface Sentence {
  readonly voice: Voice
  readonly resolve: (spoken: Spoken) => void
  next: number
  startedAt: number | undefined
  endedAt: number
}

/** Speech of one participant: one voice after the other, silence between them. */
export class Mouth {
  readonly #sentences: Sentence[] = []
  #closed = false

  /** True while a voice is spoken or waits. */
  get speaking(): boolean {
    return this.#sentences.length > 0
  }

  /** Queues `voice`. Never rejects. */
  say(voice: Voice, now: number): Promise<Spoken> {
    if (this.#closed) return Promise.resolve({ startedAt: undefined, endedAt: now, complete: false })
    return new Promise(resolve =>
      this.#sentences.push({ voice, resolve, next: 0, startedAt: undefined, endedAt: now }),
    )
  }

  /** Returns the packet that is due at `due`; undefined is silence. */
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

  /** Drops the current voice and those that wait. */
  hush(now: number): void {
    for (const { startedAt, resolve } of this.#sentences.splice(0))
      resolve({ startedAt, endedAt: now, complete: false })
  }

  /** Like `hush`, permanently. */
  close(now: number): void {
    this.#closed = true
    this.hush(now)
  }

  #finish({ startedAt, endedAt, resolve }: Sentence): void {
    this.#sentences.shift()
    resolve({ startedAt, endedAt, complete: true })
  }
}
