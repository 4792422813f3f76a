import { OPTION } from '../command/option-types.ts'
import type { RegisteredCommand } from '../command/registered-command.ts'
import { type Json, numberIn, objectsIn, stringIn } from '../json.ts'
import { InteractionFailed } from './interaction-failed.ts'
import { type CommandValue, faultOf, wireValue } from './values.ts'

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

/** The option named `name`. Throws `InteractionFailed` if it has no autocomplete. */
export function completedOption(command: RegisteredCommand, words: readonly string[], name: string): Json {
  let options = command.options
  for (const word of words.slice(1))
    options = objectsIn(options.find(option => option.name === word) ?? {}, 'options')
  const option = options.find(each => each.name === name)
  if (option?.autocomplete === true) return option
  throw new InteractionFailed('invalid-option', `/${words.join(' ')}: ${name} has no autocomplete`)
}

function isNested({ type }: Json): boolean {
  return type === OPTION.subcommand || type === OPTION.group
}
