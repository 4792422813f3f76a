import { isJson, type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { Channel } from './channel.ts'
import type { RegisteredCommand } from './command-registry.ts'
import { InteractionFailed } from './interaction.ts'
import { Member } from './member.ts'
import { Role } from './permissions.ts'

/** Discord: Application Command Option Type. */
const OPTION = {
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
} as const

/** Value of a command option. */
export type CommandValue = string | number | boolean | Member | Channel | Role

/** Returns why `value` is invalid for `option`, in a user's words; undefined if it is valid. */
export function faultOf(option: Json, value: CommandValue): string | undefined {
  const wanted = KINDS[option.type as keyof typeof KINDS]
  if (!wanted?.(value))
    return `is not a ${NAMES[option.type as keyof typeof NAMES] ?? 'value of this option'}`
  const choices = objectsIn(option, 'choices')
  if (choices.length > 0 && !choices.some(choice => choice.value === value))
    return `is not one of ${choices.map(choice => String(choice.value)).join(', ')}`
  const size = typeof value === 'string' ? value.length : value
  const [least, most] =
    typeof value === 'string'
      ? [numberIn(option, 'min_length') ?? 0, numberIn(option, 'max_length') ?? 6_000]
      : [numberIn(option, 'min_value') ?? -Infinity, numberIn(option, 'max_value') ?? Infinity]
  if (typeof size === 'number' && (size < least || size > most)) return `is not between ${least} and ${most}`
  return undefined
}

/** The value in the interaction: people, channels and roles by their id. */
function wireValue(value: CommandValue): string | number | boolean {
  return typeof value === 'object' ? value.id : value
}

/** Data about the people, channels and roles among `values` (Discord: Resolved Data). */
export function resolved(values: readonly CommandValue[], by: Member): Json | undefined {
  const of = <T>(kind: abstract new (...args: never[]) => T) =>
    values.filter(value => value instanceof kind) as T[]
  const table = (entries: readonly (readonly [string, Json])[]) =>
    entries.length > 0 ? Object.fromEntries(entries) : undefined
  const members = of(Member)
  const all = {
    users: table(members.map(({ id, user }) => [id, user.json])),
    members: table(
      members.map(member => {
        const { user: _, deaf: __, mute: ___, ...json } = member.json
        return [member.id, { ...json, permissions: String(member.permissions) }]
      }),
    ),
    roles: table(of(Role).map(({ id, json }) => [id, json])),
    channels: table(
      of(Channel).map(channel => {
        const { id, name, type } = channel.json
        return [channel.id, { id, name, type, permissions: String(channel.permissionsOf(by)) }]
      }),
    ),
  }
  const given = Object.entries(all).filter(([, part]) => isJson(part))
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

const isMember = (value: CommandValue) => value instanceof Member
const isRole = (value: CommandValue) => value instanceof Role

const KINDS: Readonly<Record<number, (value: CommandValue) => boolean>> = {
  [OPTION.string]: value => typeof value === 'string',
  [OPTION.integer]: value => Number.isInteger(value),
  [OPTION.number]: value => typeof value === 'number',
  [OPTION.boolean]: value => typeof value === 'boolean',
  [OPTION.user]: isMember,
  [OPTION.role]: isRole,
  [OPTION.mentionable]: value => isMember(value) || isRole(value),
  [OPTION.channel]: value => value instanceof Channel,
}

const NAMES: Readonly<Record<number, string>> = {
  [OPTION.string]: 'text',
  [OPTION.integer]: 'whole number',
  [OPTION.number]: 'number',
  [OPTION.boolean]: 'true or false',
  [OPTION.user]: 'member',
  [OPTION.role]: 'role',
  [OPTION.channel]: 'channel',
}

/** A typed command: `words` of the command and its subcommands, with the values of options by name. */
export interface Typed {
  readonly words: readonly string[]
  readonly values: Readonly<Record<string, CommandValue>>
  /** The option being typed: its value is not checked, and required options can be missing. */
  readonly focused?: string
}

/** The `options` of the interaction. Throws `InteractionFailed` for input that Discord's client would not send. */
export function optionsOf(command: RegisteredCommand, { words, values, focused }: Typed): readonly Json[] {
  const [, ...path] = words
  let options = command.options
  const steps: { name: string; type: number }[] = []
  for (const name of path) {
    const step = options.find(option => option.name === name && isNested(option))
    if (!step) throw new InteractionFailed('unknown-command', `/${words.join(' ')} is not registered`)
    steps.push({ name, type: numberIn(step, 'type')! })
    options = objectsIn(step, 'options')
  }
  if (options.some(isNested))
    throw new InteractionFailed('unknown-command', `/${words.join(' ')} needs a subcommand`)
  const leaves = filled(options, values, focused, words)
  return steps.reduceRight<readonly Json[]>((inner, step) => [{ ...step, options: inner }], leaves)
}

function filled(
  options: readonly Json[],
  values: Readonly<Record<string, CommandValue>>,
  focused: string | undefined,
  words: readonly string[],
): readonly Json[] {
  const invalid = (what: string) => new InteractionFailed('invalid-option', `/${words.join(' ')}: ${what}`)
  for (const name of Object.keys(values))
    if (!options.some(option => option.name === name)) throw invalid(`there is no option ${name}`)
  return options.flatMap(option => {
    const name = stringIn(option, 'name')!
    const value = values[name]
    if (value === undefined) {
      if (option.required === true && focused === undefined) throw invalid(`${name} is missing`)
      return []
    }
    const fault = name === focused ? undefined : faultOf(option, value)
    if (fault) throw invalid(`${name}: ${String(wireValue(value))} ${fault}`)
    const type = numberIn(option, 'type')
    return [{ name, type, value: wireValue(value), ...(name === focused ? { focused: true } : {}) }]
  })
}

/** Throws `InteractionFailed` if the option named `name` has no autocomplete. */
export function assertCompletes(command: RegisteredCommand, words: readonly string[], name: string): void {
  let options = command.options
  for (const word of words.slice(1))
    options = objectsIn(options.find(option => option.name === word) ?? {}, 'options')
  const option = options.find(each => each.name === name)
  if (option?.autocomplete === true) return
  throw new InteractionFailed('invalid-option', `/${words.join(' ')}: ${name} has no autocomplete`)
}

function isNested({ type }: Json): boolean {
  return type === OPTION.subcommand || type === OPTION.group
}
