import { isJson, type Json } from '../json.ts'
import type { FormCheck } from '../rest/form-check.ts'
import { checkDescription, checkName, localized } from './check.ts'
import { OPTION } from './option-types.ts'

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
