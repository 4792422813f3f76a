import type { GatherNoun } from './gather-verb.ts'

/** What `<Gather>` heard. */
export interface Gathered {
  readonly digits: string
  /** The key that ended it; it is none of the digits. */
  readonly finishedOnKey: string | undefined
}

/** Keys as `<Gather>` takes them. Arithmetic only: whoever has it keeps the time. */
export class KeyCollector {
  readonly #noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>
  #digits = ''
  #finishedOnKey: string | undefined

  constructor(noun: Pick<GatherNoun, 'finishOnKey' | 'numDigits'>) {
    this.#noun = noun
  }

  /** A key is pressed. True when that was the last one. */
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
