import type { CaptionMessage } from './caption-message.ts'
import { escaped } from './markdown.ts'

/** Maximum length of a message (Discord: Create Message). */
const CONTENT_MOST = 2_000

/** The next request for the messages of a turn. */
export type Step =
  | { readonly kind: 'send'; readonly message: CaptionMessage }
  | { readonly kind: 'edit'; readonly at: number; readonly id: string; readonly message: CaptionMessage }
  | { readonly kind: 'remove'; readonly id: string }

/** Written and desired messages of one turn, or of several finished turns that share a message. */
export class CaptionEntry {
  /** The newest version is final. */
  final = false
  /** Failed attempts to write the newest version. */
  tries = 0
  /** No more of it is written. */
  dead = false
  /** Desired messages by turn, in order. */
  readonly #turns = new Map<number, readonly CaptionMessage[]>()
  #wanted: readonly CaptionMessage[] = []
  #withdrawn = false
  #written: { readonly id: string; readonly message: CaptionMessage }[] = []

  constructor(turn: number) {
    this.#turns.set(turn, [])
  }

  /** The turns that this entry covers. */
  get turns(): readonly number[] {
    return [...this.#turns.keys()]
  }

  /** At least one message is visible. */
  get created(): boolean {
    return this.#written.length > 0
  }

  want(turn: number, messages: readonly CaptionMessage[], final: boolean): void {
    const joined = this.#joined(new Map(this.#turns).set(turn, messages))
    // If a turn that shares its message outgrows it, the written version stays.
    if (!joined) return
    this.#turns.set(turn, messages)
    this.#to(joined, final)
  }

  /** Removes the turn and its messages. */
  withdraw(turn: number): void {
    this.#turns.delete(turn)
    this.#to(this.#joined(this.#turns) ?? this.#wanted, true)
    this.#withdrawn = this.#turns.size === 0
  }

  /** Stops writing this turn. */
  drop(turn: number): void {
    if (this.#turns.size === 1) this.dead = true
    else if (!this.created) this.withdraw(turn)
  }

  /**
   * Moves the turns of `later` into this entry's message. Returns false, without changes, if one of the two is not
   * final or already visible, or if the message would be too long.
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

  /** A single turn unchanged; several as the text of one message, if they fit. */
  #joined(turns: ReadonlyMap<number, readonly CaptionMessage[]>): readonly CaptionMessage[] | undefined {
    if (turns.size <= 1) return [...turns.values()][0] ?? []
    const content = [...turns.values()].flat().map(textOf).join('\n')
    return content.length <= CONTENT_MOST ? [{ content }] : undefined
  }

  /** Returns the next request, or undefined if everything is written. */
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

  /** Abandons the newest version; newer ones are still written. */
  skip(): void {
    this.#withdrawn = false
    this.#wanted = this.#written.map(({ message }) => message)
  }

  /** Leaves the written messages unchanged; the final version goes into new ones. */
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
