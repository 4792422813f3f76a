import type { Json } from '../json.ts'
import type { Message } from '../message/message.ts'
import type { Embed, MessageVersion } from '../message/message-version.ts'

/** What an application answered to a command or a press: a message that may still change, and those that followed. */
export class Reply {
  /** The answer; for a press that updates, the message that was pressed. */
  readonly message: Message
  /** It first said that it is thinking. */
  readonly deferred: boolean
  /** A press: the message was changed instead of answered. */
  readonly updated: boolean
  /** From the interaction to the first word of the application, a deferral included. */
  readonly acknowledgedAfterMs: number
  /** Further messages, oldest first. */
  readonly followUps: readonly Message[]

  constructor(terms: {
    message: Message
    deferred: boolean
    updated: boolean
    acknowledgedAfterMs: number
    followUps: readonly Message[]
  }) {
    this.message = terms.message
    this.deferred = terms.deferred
    this.updated = terms.updated
    this.acknowledgedAfterMs = terms.acknowledgedAfterMs
    this.followUps = terms.followUps
  }

  get content(): string {
    return this.message.content
  }

  get embeds(): readonly Embed[] {
    return this.message.embeds
  }

  get components(): readonly Json[] {
    return this.message.components
  }

  /** All that is to be read in it: content and embeds. */
  get text(): string {
    return this.message.text
  }

  get ephemeral(): boolean {
    return this.message.ephemeral
  }

  get history(): readonly MessageVersion[] {
    return this.message.history
  }
}

/** A choice that autocomplete offers. */
export interface Choice {
  readonly name: string
  readonly value: string | number
}
