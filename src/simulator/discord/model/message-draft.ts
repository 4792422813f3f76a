import { isJson, type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import { FormCheck } from '../rest/form-check.ts'
import type { Embed } from './message.ts'

type Path = readonly (string | number)[]

/** Discord: Component Types. */
const COMPONENT = { row: 1, button: 2, stringSelect: 3 } as const

const LINK = 5
const PREMIUM = 6
const V2 = 32_768
const MENUS: ReadonlySet<number> = new Set([3, 5, 6, 7, 8])
/** Allowed at the top level of a message that declares to consist of components only. */
const V2_TYPES: ReadonlySet<number> = new Set([1, 9, 10, 12, 13, 14, 17])

/** Adds the faults of the components of a message with `flags` to `check`. */
function checkComponents(body: Json, flags: number, check: FormCheck): void {
  const v2 = (flags & V2) !== 0
  const rows = check.list(body, 'components', [], v2 ? 40 : 5) ?? []
  const ids = new Set<string>()
  for (const [at, row] of rows.entries()) {
    const path = ['components', at]
    if (!isJson(row)) check.notAnObject(path)
    else if (v2 && !V2_TYPES.has(Number(row.type)))
      check.choice([...path, 'type'], row.type, Array.from(V2_TYPES))
    else if (!v2 && row.type !== COMPONENT.row) check.choice([...path, 'type'], row.type, [COMPONENT.row])
    else if (row.type === COMPONENT.row) checkRow(row, path, ids, check)
  }
}

function checkRow(row: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const parts = check.list(row, 'components', path, 5) ?? []
  if (parts.length === 0) check.length([...path, 'components'], 1, 5)
  const kinds = parts.map(part => (isJson(part) ? Number(part.type) : Number.NaN))
  if (kinds.some(kind => MENUS.has(kind)) && kinds.length > 1)
    check.fault(
      [...path, 'components'],
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
      'The specified component exceeds the maximum width',
    )
  for (const [at, part] of parts.entries()) {
    const here = [...path, 'components', at]
    if (!isJson(part)) check.notAnObject(here)
    else if (part.type === COMPONENT.button) checkButton(part, here, ids, check)
    else if (MENUS.has(Number(part.type))) checkMenu(part, here, ids, check)
    else check.choice([...here, 'type'], part.type, [COMPONENT.button, ...MENUS])
  }
}

function checkButton(button: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const style = numberIn(button, 'style')
  if (style === undefined || !(style >= 1 && style <= PREMIUM))
    return void check.choice([...path, 'style'], button.style, [1, 2, 3, 4, 5, 6])
  check.text(button, 'label', path, { most: 80 })
  if (style === PREMIUM) return
  if (stringIn(button, 'label') === undefined && !isJson(button.emoji))
    check.fault(path, 'BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED', 'A label or an emoji is required')
  if (style === LINK) {
    if (!/^(https?|discord):\/\//.test(stringIn(button, 'url') ?? ''))
      check.fault([...path, 'url'], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
    if (button.custom_id !== undefined)
      check.fault(
        path,
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      )
  } else checkId(button, path, ids, check)
}

function checkMenu(menu: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  checkId(menu, path, ids, check)
  check.text(menu, 'placeholder', path, { most: 150 })
  if (menu.type !== COMPONENT.stringSelect) return
  const options = check.list(menu, 'options', path, 25) ?? []
  if (options.length === 0) check.length([...path, 'options'], 1, 25)
  for (const [at, option] of options.entries()) {
    const here = [...path, 'options', at]
    if (!isJson(option)) {
      check.notAnObject(here)
      continue
    }
    check.text(option, 'label', here, { least: 1, most: 100, required: true })
    check.text(option, 'value', here, { least: 1, most: 100, required: true })
    check.text(option, 'description', here, { most: 100 })
  }
}

function checkId(part: Json, path: Path, ids: Set<string>, check: FormCheck): void {
  const id = check.text(part, 'custom_id', path, { least: 1, most: 100, required: true })
  if (id === undefined) return
  if (ids.has(id))
    check.fault(
      [...path, 'custom_id'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    )
  ids.add(id)
}

/** Discord: Embed Limits. */
const MOST = {
  title: 256,
  description: 4_096,
  fields: 25,
  name: 256,
  value: 1_024,
  footer: 2_048,
  author: 256,
}
const MOST_TOGETHER = 6_000

/** Adds the faults of a message's embeds to `check`. */
function checkEmbeds(embeds: readonly unknown[], check: FormCheck): void {
  let total = 0
  for (const [at, embed] of embeds.entries()) {
    const path = ['embeds', at]
    if (!isJson(embed)) {
      check.notAnObject(path)
      continue
    }
    total += checkEmbed(embed, path, check)
  }
  if (total > MOST_TOGETHER)
    check.fault(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${MOST_TOGETHER}`)
}

/** Number of characters of the embed, as counted for the total limit. */
function checkEmbed(embed: Json, path: readonly (string | number)[], check: FormCheck): number {
  let total = 0
  const count = (text: string | undefined) => {
    total += text?.length ?? 0
  }
  count(check.text(embed, 'title', path, { most: MOST.title }))
  count(check.text(embed, 'description', path, { most: MOST.description }))
  if (isJson(embed.footer))
    count(check.text(embed.footer, 'text', [...path, 'footer'], { most: MOST.footer, required: true }))
  if (isJson(embed.author))
    count(check.text(embed.author, 'name', [...path, 'author'], { most: MOST.author, required: true }))
  for (const [at, field] of (check.list(embed, 'fields', path, MOST.fields) ?? []).entries()) {
    const here = [...path, 'fields', at]
    if (!isJson(field)) {
      check.notAnObject(here)
      continue
    }
    count(check.text(field, 'name', here, { least: 1, most: MOST.name, required: true }))
    count(check.text(field, 'value', here, { least: 1, most: MOST.value, required: true }))
  }
  checkColor(embed, path, check)
  checkUrl(embed, path, check)
  return total
}

function checkColor({ color }: Json, path: readonly (string | number)[], check: FormCheck): void {
  if (color === undefined || color === null) return
  const here = [...path, 'color']
  if (typeof color !== 'number' || !Number.isInteger(color))
    check.fault(here, 'NUMBER_TYPE_COERCE', `Value "${String(color)}" is not int.`)
  else if (color < 0 || color > 0xffffff)
    check.fault(here, 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 16777215.')
}

function checkUrl(embed: Json, path: readonly (string | number)[], check: FormCheck): void {
  const url = stringIn(embed, 'url')
  if (url !== undefined && !/^(https?|attachment):\/\//.test(url))
    check.fault([...path, 'url'], 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
}

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

/** Reads `allowed_mentions`; undefined if absent. Adds its faults to `check`. */
function readAllowedMentions(value: unknown, check: FormCheck): AllowedMentions | undefined {
  if (value === undefined || value === null) return undefined
  const path = ['allowed_mentions']
  if (!isJson(value)) {
    check.notAnObject(path)
    return undefined
  }
  const strings = (key: string) => (check.list(value, key, path, 100) ?? []).map(String)
  const [parse, users, roles] = [strings('parse'), strings('users'), strings('roles')]
  for (const [at, kind] of parse.entries())
    if (!KINDS.some(known => known === kind)) check.choice([...path, 'parse', at], kind, KINDS)
  for (const [kind, ids] of [
    ['users', users],
    ['roles', roles],
  ] as const)
    if (parse.includes(kind) && ids.length > 0)
      check.fault(
        path,
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      )
  return { parse, users, roles, repliedUser: value.replied_user === true }
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

const MAX_UPLOADS = 10

/** Files of `attachments`; the parser of the request has put each upload into its entry. */
function readUploads(body: Json, check: FormCheck): readonly Upload[] | undefined {
  const entries = check.list(body, 'attachments', [], MAX_UPLOADS)
  return entries?.flatMap((entry, at) => {
    const path = ['attachments', at]
    if (!isJson(entry)) check.notAnObject(path)
    else if (isJson(entry.upload)) return [entry.upload as unknown as Upload]
    else check.fault(path, 'ATTACHMENT_NOT_FOUND', 'Referenced attachment not found')
    return []
  })
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
  const uploads = readUploads(body, check)
  const allowedMentions = readAllowedMentions(body.allowed_mentions, check)
  check.flag(body, 'tts', [])
  check.end()
  const reference = isJson(body.message_reference) ? body.message_reference : {}
  return {
    content: body.content === null ? '' : content,
    embeds: body.embeds === null ? [] : embeds && (objectsIn(body, 'embeds') as readonly Embed[]),
    components: body.components === undefined ? undefined : objectsIn(body, 'components'),
    uploads,
    flags,
    allowedMentions,
    referenceId: stringIn(reference, 'message_id'),
    referenceMustExist: reference.fail_if_not_exists !== false,
  }
}

/** True if nothing would be shown. */
export function isEmpty(draft: MessageDraft): boolean {
  const { content = '', embeds = [], components = [], uploads = [] } = draft
  return content.trim() === '' && [embeds, components, uploads].every(({ length }) => length === 0)
}
