import { isJson, type Json } from '../json.ts'
import { isLocale } from '../model/user.ts'
import type { FormCheck } from '../rest/form-check.ts'

/** Discord: Application Command Option Type. */
export const OPTION = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const

type Path = readonly (string | number)[]

const MOST = 25
const CHOOSABLE: readonly unknown[] = [OPTION.string, OPTION.integer, OPTION.number]

/** Adds the faults of the options of a command, a group (`within`) or a subcommand to `check`. */
export function checkOptions(json: Json, path: Path, check: FormCheck, within?: 1 | 2): void {
  const options = check.list(json, 'options', path, MOST) ?? []
  const names = new Set<unknown>()
  let optional = false
  for (const [at, option] of options.entries()) {
    const here = [...path, 'options', at]
    if (!isJson(option)) {
      check.notAnObject(here)
      continue
    }
    checkOption(option, here, check, within)
    if (names.has(option.name))
      check.fault(
        [...here, 'name'],
        'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
        'Option name already exists',
      )
    names.add(option.name)
    if (option.required === true && optional)
      check.fault(
        here,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      )
    optional ||= option.required !== true
  }
  const nested = options.filter(option => isJson(option) && isNested(option.type)).length
  if (nested > 0 && nested < options.length)
    check.fault(
      [...path, 'options'],
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      'Sub-command and sub-command group option types are mutually exclusive to all other types',
    )
}

function checkOption(option: Json, path: Path, check: FormCheck, within?: 1 | 2): void {
  checkName(option, path, check)
  checkDescription(option, path, check)
  const allowed = Object.values(OPTION).filter(type =>
    within === undefined ? true : within === OPTION.group ? type === OPTION.subcommand : !isNested(type),
  )
  if (option.type === undefined) return void check.required([...path, 'type'])
  if (!allowed.some(type => type === option.type))
    return void check.choice([...path, 'type'], option.type, allowed)
  check.flag(option, 'required', path)
  check.flag(option, 'autocomplete', path)
  if (option.type === OPTION.subcommand || option.type === OPTION.group)
    return void checkOptions(option, path, check, option.type)
  checkChoices(option, path, check)
}

function checkChoices(option: Json, path: Path, check: FormCheck): void {
  const choices = check.list(option, 'choices', path, MOST) ?? []
  if (choices.length > 0 && !CHOOSABLE.includes(option.type))
    check.fault(
      [...path, 'choices'],
      'APPLICATION_COMMAND_OPTIONS_CHOICES_TYPE_INVALID',
      'This option type cannot have choices',
    )
  if (option.autocomplete === true && (choices.length > 0 || !CHOOSABLE.includes(option.type)))
    check.fault(
      [...path, 'autocomplete'],
      'APPLICATION_COMMAND_AUTOCOMPLETE_INVALID',
      'Autocomplete is not possible for this option type or together with choices',
    )
  for (const [at, choice] of choices.entries())
    checkChoice(choice, option.type, [...path, 'choices', at], check)
}

/** Checks a choice of an option, or of an autocomplete response. */
export function checkChoice(choice: unknown, type: unknown, path: Path, check: FormCheck): void {
  if (!isJson(choice)) return void check.notAnObject(path)
  check.text(choice, 'name', path, { least: 1, most: 100, required: true })
  localized(choice, 'name_localizations', path, check)
  const { value } = choice
  if (value === undefined || value === null) return void check.required([...path, 'value'])
  if (type === OPTION.string) {
    if (typeof value !== 'string')
      check.fault([...path, 'value'], 'BASE_TYPE_BAD_STRING', 'Could not interpret value as string.')
    else if (value.length > 100) check.length([...path, 'value'], 1, 100)
  } else if (typeof value !== 'number' || (type === OPTION.integer && !Number.isInteger(value)))
    check.fault(
      [...path, 'value'],
      'NUMBER_TYPE_COERCE',
      `Value "${String(value)}" is not a number of this type.`,
    )
}

function isNested(type: unknown): boolean {
  return type === OPTION.subcommand || type === OPTION.group
}

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
function checkName(json: Json, path: Path, check: FormCheck): void {
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

function checkDescription(json: Json, path: Path, check: FormCheck): void {
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
