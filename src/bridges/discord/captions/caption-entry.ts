import type { CaptionMessage } from './caption-message.ts'
import { escaped } from './escape.ts'

/** Longest message (Discord: Create Message). */
const CONTENT_MOST = 2_000

/** One thing to do next to a turn's messages. */
export type Step =
  | { readonly kind: 'send'; readonly message: CaptionMessage }
  | { readonly kind: 'edit'; readonly at: number; readonly id: string; readonly message: CaptionMessage }
  | { readonly kind: 'remove'; readonly id: string }

/** What the messages of one turn, or the message of several finished turns, are and should be. */
export class CaptionEntry {
  /** The newest version will not change. */
  final = false
  /** How often the newest version failed. */
  tries = 0
  /** Nothing of it is written any more. */
  dead = false
  /** By turn, in their order. */
  readonly #turns = new Map<number, readonly CaptionMessage[]>()
  #wanted: readonly CaptionMessage[] = []
  #withdrawn = false
  #written: { readonly id: string; readonly message: CaptionMessage }[] = []

  constructor(turn: number) {
    this.#turns.set(turn, [])
  }

  /** The turns that it is about. */
  get turns(): readonly number[] {
    return [...this.#turns.keys()]
  }

  /** Somebody can read some of it. */
  get created(): boolean {
    return this.#written.length > 0
  }

  want(turn: number, messages: readonly CaptionMessage[], final: boolean): void {
    const joined = this.#joined(new Map(this.#turns).set(turn, messages))
    // A turn that shares its message, and grows too long for it afterwards, stays as it is written.
    if (!joined) return
    this.#turns.set(turn, messages)
    this.#to(joined, final)
  }

  /** The turn should not be there. */
  withdraw(turn: number): void {
    this.#turns.delete(turn)
    this.#to(this.#joined(this.#turns) ?? this.#wanted, true)
    this.#withdrawn = this.#turns.size === 0
  }

  /** Nothing more of this turn is written. */
  drop(turn: number): void {
    if (this.#turns.size === 1) this.dead = true
    else if (!this.created) this.withdraw(turn)
  }

  /**
   * Puts the turns of `later` into this one's message. False, and nothing changed: one of them is not final, can be read
   * already, or the message would be too long.
   */
  absorb(later: CaptionEntry): boolean {
    const both = new Map([...this.#turns, ...later.#turns])
    const joined = this.#absorbable && later.#absorbable && this.#joined(both)
    if (!joined) return false
    for (const [turn, messages] of later.#turns) this.#turns.set(turn, messages)
    this.#to(joined, true)
    return true
  }

  get #absorbable(): boolean {
    return this.final && !this.created && !this.dead && this.#wanted.length === 1
  }

  #to(messages: readonly CaptionMessage[], final: boolean): void {
    this.#withdrawn = false
    this.#wanted = messages
    this.final = final
    this.tries = 0
  }

  /** One turn as it is; several as the text of one message, if they fit. */
  #joined(turns: ReadonlyMap<number, readonly CaptionMessage[]>): readonly CaptionMessage[] | undefined {
    if (turns.size <= 1) return [...turns.values()][0] ?? []
    const content = [...turns.values()].flat().map(textOf).join('\n')
    return content.length <= CONTENT_MOST ? [{ content }] : undefined
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

function textOf({ content, embed }: CaptionMessage): string {
  return embed ? `**${escaped(embed.author)}:** ${embed.description}` : content
}

function same(a: CaptionMessage, b: CaptionMessage): boolean {
  return (
    a.content === b.content &&
    a.embed?.author === b.embed?.author &&
    a.embed?.description === b.embed?.description &&
    a.embed?.colour === b.embed?.colour
  )
}
