import { z } from 'zod'
import type { Fleet } from '../model/fleet.ts'

/** The part of a fleet by which nodes learn of each other’s wrong codes. */
export type SharedGuessesFleet = Pick<Fleet, 'status' | 'exchange' | 'digest'>

/** Subject of the messages. */
const SUBJECT = 'guess'
const guessSchema = z.object({
  kind: z.enum(['caller', 'address']),
  /** Digests. */
  who: z.string().max(64),
  network: z.string().max(64).optional(),
})

/**
 * Notifies all nodes of wrong codes, so that guesses at several nodes count as one series. Messages carry keyed digests
 * instead of numbers and addresses. A lone process uses no digests.
 */
export class SharedGuesses implements Disposable {
  readonly #kind: 'caller' | 'address'
  readonly #fleet: SharedGuessesFleet | undefined
  readonly #hearing: Disposable | undefined

  /** `count` receives the wrong codes at other nodes. */
  constructor(
    kind: 'caller' | 'address',
    fleet: SharedGuessesFleet | undefined,
    count: (who: string, network: string) => void,
  ) {
    this.#kind = kind
    this.#fleet = fleet?.status === 'alone' ? undefined : fleet
    this.#hearing = this.#fleet?.exchange.hear(SUBJECT, guessSchema, guess => {
      if (guess.kind === kind) count(guess.who, guess.network ?? '')
    })
  }

  /** Returns the key under which `text` is counted at all nodes. */
  readonly keyOf = (text: string): string => this.#fleet?.digest(text) ?? text

  /** Notifies the other nodes of a wrong code, by its keys. */
  tell(who: string, network?: string): void {
    this.#fleet?.exchange.tell(SUBJECT, { kind: this.#kind, who, network })
  }

  [Symbol.dispose](): void {
    this.#hearing?.[Symbol.dispose]()
  }
}
