import { isJson, type Json, objectsIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Attachment, Embed, Message, MessageVersion } from './message.ts'

/** Maximum number of choices. */
const MOST = 25

/** Reads the choices of an autocomplete response. Throws `ApiError` if there are too many. */
export function readChoices(data: unknown): readonly Choice[] {
  const choices = isJson(data) ? objectsIn(data, 'choices') : []
  if (choices.length > MOST) throw ApiError.of(50035)
  return choices.map(({ name, value }: Json) => ({ name, value }) as Choice)
}

/** An application's answer to a command or a press: a message that can still change, and its follow-ups. */
export class Reply {
  /** The answer; for a press that updates, the message that was pressed. */
  readonly message: Message
  /** The application deferred the answer first. */
  readonly deferred: boolean
  /** A press: the message was changed instead of answered. */
  readonly updated: boolean
  /** From the interaction to the application's first response, including a deferral. */
  readonly acknowledgedAfterMs: number
  /** Further messages, oldest first. */
  readonly followUps: readonly Message[]

  constructor(options: {
    message: Message
    deferred: boolean
    updated: boolean
    acknowledgedAfterMs: number
    followUps: readonly Message[]
  }) {
    this.message = options.message
    this.deferred = options.deferred
    this.updated = options.updated
    this.acknowledgedAfterMs = options.acknowledgedAfterMs
    this.followUps = options.followUps
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

  /** All its text: content and embeds. */
  get text(): string {
    return this.message.text
  }

  get attachments(): readonly Attachment[] {
    return this.message.attachments
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
