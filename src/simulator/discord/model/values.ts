import { OPTION } from '../command/option-types.ts'
import { isJson, type Json, numberIn, objectsIn } from '../json.ts'
import { Channel } from './channel.ts'
import { Member } from './member.ts'
import { Role } from './role.ts'

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
export function wireValue(value: CommandValue): string | number | boolean {
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
