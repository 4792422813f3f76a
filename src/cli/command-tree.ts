import type { Command, Option } from 'commander'

/** Value of an option or argument: words of a list, files, or free text. */
export type Value =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'free' }

export interface OptionNode {
  /** With its dashes. */
  readonly long: string
  readonly short: string | undefined
  readonly about: string
  /** Absent: a switch. */
  readonly value: Value | undefined
}

/** A command with its subcommands and options. */
export interface CommandNode {
  /** `twilio bind`; empty for the program. */
  readonly path: string
  readonly name: string
  readonly about: string
  readonly options: readonly OptionNode[]
  readonly arguments: readonly Value[]
  readonly commands: readonly CommandNode[]
}

/** Placeholders for files: `--config <file>`. */
const FILES = /^(file|path|audio|folder)$/

/** Builds the tree of commands for a shell. */
export function commandTree(program: Command, above = ''): CommandNode {
  const path = `${above} ${program.parent ? program.name() : ''}`.trim()
  const help: OptionNode = { long: '--help', short: '-h', about: 'show help', value: undefined }
  return {
    path,
    name: program.name(),
    about: program.description(),
    options: [...program.options.filter(({ long, hidden }) => long && !hidden).map(optionNode), help],
    arguments: program.registeredArguments.map(argument => takes(argument.name(), argument.argChoices)),
    commands: program.commands.map(command => commandTree(command, path)),
  }
}

/** Returns a command and all its subcommands. */
export function allOf(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allOf)]
}

function optionNode(option: Option): OptionNode {
  const { long = '', short, description, flags, argChoices, required, optional } = option
  const [, placeholder = ''] = /[<[]([^>\].]+)/.exec(flags) ?? []
  const value = required || optional ? takes(placeholder, argChoices) : undefined
  return { long, short, about: description, value }
}

function takes(placeholder: string, choices: readonly string[] | undefined): Value {
  if (choices) return { kind: 'words', words: choices }
  return { kind: FILES.test(placeholder) ? 'file' : 'free' }
}
