import type {
  CaptionChat,
  CaptionMessage,
  Written,
} from '../../../src/bridges/discord/captions/caption-format.ts'
import type { Clock } from '../../../src/common/clock.ts'

/** A chat in memory that answers in a microtask, or when the test calls `release`. */
export class FakeChat implements CaptionChat {
  /** Visible messages by ID. */
  readonly messages = new Map<string, CaptionMessage>()
  /** All requests, with their time and text. */
  readonly requests: { at: number; what: 'send' | 'edit' | 'remove'; text: string }[] = []
  /** Answers to the next requests, which are then not executed. */
  readonly next: Exclude<Written, { kind: 'written' }>[] = []
  /** Holds back answers until `release`. */
  held = false
  readonly #clock: Clock
  #waiting: (() => void)[] = []
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Visible texts, oldest first. */
  get texts(): string[] {
    return Array.from(this.messages.values(), textOf)
  }

  send(message: CaptionMessage): Promise<Written> {
    return this.#answer('send', textOf(message), () => {
      const id = String(++this.#count)
      this.messages.set(id, message)
      return { kind: 'written', id }
    })
  }

  edit(id: string, message: CaptionMessage): Promise<Written> {
    return this.#answer('edit', textOf(message), () => {
      if (!this.messages.has(id)) return { kind: 'message-gone' }
      this.messages.set(id, message)
      return { kind: 'written', id }
    })
  }

  remove(id: string): Promise<Written> {
    return this.#answer('remove', '', () => {
      this.messages.delete(id)
      return { kind: 'written', id }
    })
  }

  /** Sends the answers held back. */
  async release(): Promise<void> {
    for (const answer of this.#waiting.splice(0)) answer()
    await settled()
  }

  async #answer(what: 'send' | 'edit' | 'remove', text: string, act: () => Written): Promise<Written> {
    this.requests.push({ at: this.#clock.now(), what, text })
    if (this.held) await new Promise<void>(resolve => this.#waiting.push(resolve))
    return this.next.shift() ?? act()
  }
}

function textOf({ content, embed }: CaptionMessage): string {
  return embed ? `${embed.author}: ${embed.description}` : content
}

/** Lets all pending microtasks run. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}
