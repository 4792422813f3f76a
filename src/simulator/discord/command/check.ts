import { isJson, type Json } from '../json.ts'
import { isLocale } from '../model/locale.ts'
import type { FormCheck } from '../rest/form-check.ts'
import { checkOptions } from './option-check.ts'

type Path = readonly (string | number)[]

/** Discord: Application Command Naming. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u
const CHAT_INPUT = 1
const USER = 2
const MESSAGE = 3
const TYPES = [CHAT_INPUT, USER, MESSAGE]
const MOST_TOGETHER = 8_000

/** Adds the faults of a command registration to `check`. */
export function checkCommand(body: unknown, check: FormCheck, path: Path): void {
  if (!isJson(body)) return void check.notAnObject(path)
  const type = body.type ?? CHAT_INPUT
  if (!TYPES.includes(Number(type))) check.choice([...path, 'type'], type, TYPES)
  if (type !== USER && type !== MESSAGE) {
    checkName(body, path, check)
    checkDescription(body, path, check)
    checkOptions(body, path, check)
  } else {
    check.text(body, 'name', path, { least: 1, most: 32, required: true })
    if (body.description !== undefined && body.description !== '')
      check.fault(
        [...path, 'description'],
        'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
        'Context menu commands cannot have description',
      )
  }
  checkPermissions(body, path, check)
  check.flag(body, 'nsfw', path)
  if (sizeOf(body) > MOST_TOGETHER)
    check.fault(path, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MOST_TOGETHER})`)
}

/** Checks the name of a command, an option or a subcommand, and its translations. */
export function checkName(json: Json, path: Path, check: FormCheck): void {
  const name = check.text(json, 'name', path, { least: 1, most: 32, required: true })
  if (name !== undefined && name !== '' && !isName(name))
    check.fault([...path, 'name'], 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')
  for (const [locale, text] of localized(json, 'name_localizations', path, check))
    if (!isName(text))
      check.fault(
        [...path, 'name_localizations', locale],
        'APPLICATION_COMMAND_INVALID_NAME',
        'Command name is invalid',
      )
}

export function checkDescription(json: Json, path: Path, check: FormCheck): void {
  check.text(json, 'description', path, { least: 1, most: 100, required: true })
  for (const [locale, text] of localized(json, 'description_localizations', path, check))
    if (Array.from(text).length < 1 || Array.from(text).length > 100)
      check.length([...path, 'description_localizations', locale], 1, 100)
}

/** Returns the valid translations; adds the faults of the others to `check`. */
export function localized(
  json: Json,
  key: 'name_localizations' | 'description_localizations',
  path: Path,
  check: FormCheck,
): readonly (readonly [locale: string, text: string])[] {
  const map = json[key]
  if (map === undefined || map === null) return []
  const here = [...path, key]
  if (!isJson(map)) {
    check.notAnObject(here)
    return []
  }
  return Object.entries(map).flatMap(([locale, text]) => {
    if (!isLocale(locale))
      check.fault([...here, locale], 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid enum value.`)
    else if (typeof text === 'string') return [[locale, text] as const]
    else if (text !== null)
      check.fault([...here, locale], 'BASE_TYPE_BAD_STRING', 'Could not interpret value as string.')
    return []
  })
}

function isName(name: string): boolean {
  return NAME.test(name) && name === name.toLowerCase()
}

function checkPermissions({ default_member_permissions: bits }: Json, path: Path, check: FormCheck): void {
  if (bits === undefined || bits === null) return
  if (!/^\d{1,20}$/.test(String(bits)))
    check.fault(
      [...path, 'default_member_permissions'],
      'PERMISSIONS_TYPE_CONVERT',
      `Value "${String(bits)}" is not a valid permissions integer.`,
    )
}

/** Total length of names, descriptions and values, each in its longest translation (Discord: Slash Commands, limits). */
function sizeOf(json: Json): number {
  const longest = (key: string) => {
    const map = json[`${key}_localizations`]
    const texts = [json[key], ...(isJson(map) ? Object.values(map) : [])]
    return Math.max(0, ...texts.map(text => (typeof text === 'string' ? text.length : 0)))
  }
  const value = typeof json.value === 'string' ? json.value.length : 0
  const within = [json.options, json.choices].flatMap(list =>
    Array.isArray(list) ? list.filter(isJson) : [],
  )
  return within.reduce((sum, part) => sum + sizeOf(part), longest('name') + longest('description') + value)
}
