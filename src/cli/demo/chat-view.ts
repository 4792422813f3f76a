import type { Message, VoiceChannel } from '../../simulator/index.ts'
import type { Terminal } from '../terminal.ts'

/** Between two looks at the chat (ms). */
const LOOK_MS = 50

/** Shows a channel's chat as people see it grow: each new message, and each one that is edited. */
export class ChatView implements Disposable {
  readonly #channel: VoiceChannel
  readonly #terminal: Terminal
  readonly #timer: NodeJS.Timeout
  /** Versions shown so far. */
  readonly #shown = new Map<Message, number>()
  #edits = 0

  constructor(channel: VoiceChannel, terminal: Terminal) {
    this.#channel = channel
    this.#terminal = terminal
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  /** Edits shown so far. */
  get edits(): number {
    return this.#edits
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#look()
  }

  #look(): void {
    for (const message of this.#channel.messages) {
      const shown = this.#shown.get(message) ?? 0
      const { length } = message.history
      if (message.loading || message.deleted || shown === length) continue
      this.#shown.set(message, length)
      if (shown > 0) this.#edits += length - shown
      this.#show(shown > 0 ? 'edited' : message.ephemeral ? 'for one' : 'chat', message.text)
    }
  }

  #show(what: string, text: string): void {
    // As Discord shows it: by name.
    const named = text.replaceAll(`<#${this.#channel.id}>`, `#${this.#channel.name}`)
    const [first = '', ...others] = named.split('\n')
    this.#terminal.line(`  ${what.padEnd(8)}│ ${first}`)
    for (const line of others) this.#terminal.line(`          │ ${line}`)
  }
}
