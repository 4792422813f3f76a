import { isJson, type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Embed } from './message.ts'

/** Mentions of a message that notify (Discord: Allowed Mentions Object). */
export interface AllowedMentions {
  readonly parse: readonly string[]
  readonly users: readonly string[]
  readonly roles: readonly string[]
  readonly repliedUser: boolean
}

const KINDS = ['roles', 'users', 'everyone'] as const

/** By default a message notifies everyone it mentions. */
export const ALL_MENTIONS: AllowedMentions = { parse: KINDS, users: [], roles: [], repliedUser: true }
/** An answer to an interaction notifies the users it mentions. */
export const USER_MENTIONS: AllowedMentions = { parse: ['users'], users: [], roles: [], repliedUser: false }

/** Reads `allowed_mentions`; undefined if absent. */
function readAllowedMentions(value: unknown): AllowedMentions | undefined {
  if (!isJson(value)) return undefined
  const strings = (key: string) => (Array.isArray(value[key]) ? value[key].map(String) : [])
  return {
    parse: strings('parse'),
    users: strings('users'),
    roles: strings('roles'),
    repliedUser: value.replied_user === true,
  }
}

const CODE = /```[\s\S]*?```|``[\s\S]*?``|`[^`\n]*`/g

/**
 * Everyone that the text mentions and `allowed` permits: ids of users and roles, `everyone`, `here`. Mentions in code
 * do not count.
 */
export function pingsIn(text: string, allowed: AllowedMentions): readonly string[] {
  const plain = text.replace(CODE, ' ')
  const found = new Set<string>()
  const may = (kind: 'users' | 'roles', id: string) =>
    allowed.parse.includes(kind) || allowed[kind].includes(id)
  for (const [, id = ''] of plain.matchAll(/<@!?(\d{1,20})>/g)) if (may('users', id)) found.add(id)
  for (const [, id = ''] of plain.matchAll(/<@&(\d{1,20})>/g)) if (may('roles', id)) found.add(id)
  if (allowed.parse.includes('everyone'))
    for (const [, name = ''] of plain.matchAll(/@(everyone|here)\b/g)) found.add(name)
  return [...found]
}

/** An uploaded file. */
export interface Upload {
  readonly filename: string
  readonly bytes: Uint8Array
}

/** Files of `attachments`; the parser of the request has put each upload into its entry. */
function readUploads(body: Json): readonly Upload[] | undefined {
  if (!Array.isArray(body.attachments)) return undefined
  return objectsIn(body, 'attachments').flatMap(({ upload }) =>
    isJson(upload) ? [upload as unknown as Upload] : [],
  )
}

/** The requested content of a message; in an edit, undefined fields stay. */
export interface MessageDraft {
  readonly content: string | undefined
  readonly embeds: readonly Embed[] | undefined
  readonly components: readonly Json[] | undefined
  /** Uploaded files; undefined without any. */
  readonly uploads: readonly Upload[] | undefined
  readonly flags: number
  readonly allowedMentions: AllowedMentions | undefined
  /** The message it answers. */
  readonly referenceId: string | undefined
  /** If false, a missing one is not an error. */
  readonly referenceMustExist: boolean
}

/** Maximum number of characters. */
const MAX_CONTENT = 2_000

/** Reads the body of a message. Throws `ApiError` 50035 if it is too long. */
export function readDraft(body: unknown): MessageDraft {
  if (!isJson(body)) throw ApiError.of(50035)
  const content = stringIn(body, 'content')
  if (Array.from(content ?? '').length > MAX_CONTENT) throw ApiError.of(50035)
  const reference = isJson(body.message_reference) ? body.message_reference : {}
  return {
    content: body.content === null ? '' : content,
    embeds: body.embeds === undefined ? undefined : (objectsIn(body, 'embeds') as readonly Embed[]),
    components: body.components === undefined ? undefined : objectsIn(body, 'components'),
    uploads: readUploads(body),
    flags: numberIn(body, 'flags') ?? 0,
    allowedMentions: readAllowedMentions(body.allowed_mentions),
    referenceId: stringIn(reference, 'message_id'),
    referenceMustExist: reference.fail_if_not_exists !== false,
  }
}

/** True if nothing would be shown. */
export function isEmpty(draft: MessageDraft): boolean {
  const { content = '', embeds = [], components = [], uploads = [] } = draft
  return content.trim() === '' && [embeds, components, uploads].every(({ length }) => length === 0)
}
