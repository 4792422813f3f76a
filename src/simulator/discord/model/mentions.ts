import { isJson } from '../json.ts'
import type { FormCheck } from '../rest/form-check.ts'

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
export function readAllowedMentions(value: unknown, check: FormCheck): AllowedMentions | undefined {
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
