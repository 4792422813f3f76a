import type { GatherNoun } from './gather-verb.ts'

/** Result of `<Gather>`. */
export interface Gathered {
  readonly digits: string
  /** The key that ended the input; it is not one of the digits. */
  readonly finishedOnKey: string | undefined
}

/** Collects keys for `<Gather>`. Pure bookkeeping: the caller keeps the time. */
export class KeyCollector {
  readonly #noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>
  #digits = ''
  #finishedOnKey: string | undefined

  constructor(noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>) {
    this.#noun = noun
  }

  /** Adds a key. Returns true if it was the last one. */
  press(key: string): boolean {
    const { finishOnKey, numDigits } = this.#noun
    if (key === finishOnKey) {
      this.#finishedOnKey = key
      return true
    }
    this.#digits += key
    return this.#digits.length === numDigits
  }

  get gathered(): Gathered {
    return { digits: this.#digits, finishedOnKey: this.#finishedOnKey }
  }
}
