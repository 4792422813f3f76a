import type { CaptionMessage } from './caption-message.ts'

/** One thing to do next to a turn's messages. */
export type Step =
  | { readonly kind: 'send'; readonly message: CaptionMessage }
  | { readonly kind: 'edit'; readonly at: number; readonly id: string; readonly message: CaptionMessage }
  | { readonly kind: 'remove'; readonly id: string }

/** What one turn's messages are and should be. */
export class CaptionEntry {
  readonly turn: number
  /** The newest version will not change. */
  final = false
  /** How often the newest version failed. */
  tries = 0
  /** Nothing of it is written any more. */
  dead = false
  #wanted: readonly CaptionMessage[] = []
  #withdrawn = false
  #written: { readonly id: string; readonly message: CaptionMessage }[] = []

  constructor(turn: number) {
    this.turn = turn
  }

  /** Somebody can read some of it. */
  get created(): boolean {
    return this.#written.length > 0
  }

  want(messages: readonly CaptionMessage[], final: boolean): void {
    this.#withdrawn = false
    this.#wanted = messages
    this.final = final
    this.tries = 0
  }

  /** It should not be there. */
  withdraw(): void {
    this.want([], true)
    this.#withdrawn = true
  }

  /** Undefined: everything is as it should be. */
  get step(): Step | undefined {
    if (this.dead) return undefined
    for (const [at, message] of this.#wanted.entries()) {
      const written = this.#written[at]
      if (!written) return { kind: 'send', message }
      if (!same(written.message, message)) return { kind: 'edit', at, id: written.id, message }
    }
    const surplus = this.#written[this.#wanted.length]
    const needless = this.#withdrawn || this.#wanted.length > 0
    return surplus && needless ? { kind: 'remove', id: surplus.id } : undefined
  }

  done(step: Step, id: string): void {
    this.tries = 0
    if (step.kind === 'send') this.#written.push({ id, message: step.message })
    else if (step.kind === 'edit') this.#written[step.at] = { id: step.id, message: step.message }
    else this.#written = this.#written.filter(written => written.id !== step.id)
  }

  /** The newest version is not worth another try; a newer one is. */
  skip(): void {
    this.#withdrawn = false
    this.#wanted = this.#written.map(({ message }) => message)
  }

  /** What is written stays as it is; the turn is written once more when it is final. */
  leave(): void {
    this.#written = []
  }
}

function same(a: CaptionMessage, b: CaptionMessage): boolean {
  return (
    a.content === b.content &&
    a.embed?.author === b.embed?.author &&
    a.embed?.description === b.embed?.description &&
    a.embed?.colour === b.embed?.colour
  )
}
