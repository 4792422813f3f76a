import { checkChoice } from '../command/command-checks.ts'
import { isJson, type Json, objectsIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import { FormCheck } from '../rest/form-check.ts'
import type { Attachment, Embed, Message, MessageVersion } from './message.ts'

const MOST = 25

/** Reads the choices of an autocomplete response, for an option of this type. Throws `ApiError`. */
export function readChoices(data: unknown, optionType: unknown): readonly Choice[] {
  if (!isJson(data)) throw ApiError.of(50035)
  const check = new FormCheck()
  const choices = check.list(data, 'choices', ['data'], MOST)
  if (!choices) check.required(['data', 'choices'])
  for (const [at, choice] of (choices ?? []).entries())
    checkChoice(choice, optionType, ['data', 'choices', at], check)
  check.end()
  return objectsIn(data, 'choices').map(({ name, value }: Json) => ({ name, value }) as Choice)
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
