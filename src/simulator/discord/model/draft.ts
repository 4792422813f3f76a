import { isJson, type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import { FormCheck } from '../rest/form-check.ts'
import { checkComponents } from './component-check.ts'
import { checkEmbeds } from './embed-check.ts'
import { type AllowedMentions, readAllowedMentions } from './mentions.ts'
import type { Embed } from './message-version.ts'

/** The requested content of a message; in an edit, undefined fields stay. */
export interface MessageDraft {
  readonly content: string | undefined
  readonly embeds: readonly Embed[] | undefined
  readonly components: readonly Json[] | undefined
  readonly flags: number
  readonly allowedMentions: AllowedMentions | undefined
  /** The message it answers. */
  readonly referenceId: string | undefined
  /** If false, a missing one is not an error. */
  readonly referenceMustExist: boolean
}

const MAX_CONTENT = 2_000
const MAX_EMBEDS = 10

/** Reads and checks the body of a message. Throws `ApiError`: 50035 with the faults and their places. */
export function readDraft(body: unknown): MessageDraft {
  if (!isJson(body)) throw ApiError.of(50035)
  const check = new FormCheck()
  const content = check.text(body, 'content', [], { most: MAX_CONTENT })
  const embeds = check.list(body, 'embeds', [], MAX_EMBEDS)
  if (embeds) checkEmbeds(embeds, check)
  const flags = numberIn(body, 'flags') ?? 0
  if (body.components !== undefined && body.components !== null) checkComponents(body, flags, check)
  const allowedMentions = readAllowedMentions(body.allowed_mentions, check)
  check.flag(body, 'tts', [])
  check.end()
  const reference = isJson(body.message_reference) ? body.message_reference : {}
  return {
    content: body.content === null ? '' : content,
    embeds: body.embeds === null ? [] : embeds && (objectsIn(body, 'embeds') as readonly Embed[]),
    components: body.components === undefined ? undefined : objectsIn(body, 'components'),
    flags,
    allowedMentions,
    referenceId: stringIn(reference, 'message_id'),
    referenceMustExist: reference.fail_if_not_exists !== false,
  }
}

/** True if nothing would be shown. */
export function isEmpty(draft: MessageDraft): boolean {
  const { content = '', embeds = [], components = [] } = draft
  return content.trim() === '' && embeds.length === 0 && components.length === 0
}
