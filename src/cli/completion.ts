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

/** Returns the bash completion of `dragoman`. */
export function bashCompletion(program: CommandNode): string {
  const nodes = allOf(program)
  const deeper = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return `# Completion of ${program.name} for bash: source <(${program.name} completion bash)
_${program.name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} at='' word next skip='' i
  # bash takes --option=value for three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  # How far the command is named; values of options do not count.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $skip ]]; then
      skip=''
      continue
    fi
    next=\${at:+$at }$word
    case "$next" in
      ${deeper.join('|')}) at=$next ;;
      *)
        case "$at $word" in
          ${valued(nodes).join('|')}) skip=yes ;;
        esac
        ;;
    esac
  done
  case "$at $before" in
${nodes.flatMap(values).join('\n')}
  esac
  local words='' files=''
  case "$at" in
${nodes.map(offered).join('\n')}
  esac
  if [[ $current == -* || -z $files ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _${program.name} ${program.name}
`
}

/** Options with a value, as `command --option`. */
function valued(nodes: readonly CommandNode[]): string[] {
  const names = nodes.flatMap(({ path, options }) =>
    options.filter(({ value }) => value).map(({ long }) => `'${path} ${long}'`),
  )
  return names.length > 0 ? names : ["''"]
}

/** Completions for each option with a value. */
function values({ path, options }: CommandNode): string[] {
  return options.flatMap(({ long, value }) => (value ? [`    '${path} ${long}') ${reply(value)} ;;`] : []))
}

function reply(value: Value): string {
  if (value.kind === 'words')
    return `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$current")); return`
  if (value.kind === 'free') return 'COMPREPLY=(); return'
  return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return'
}

/** Completions that can follow a command. */
function offered({ path, options, commands, arguments: given }: CommandNode): string {
  const named = given.flatMap(value => (value.kind === 'words' ? value.words : []))
  const words = [...commands.map(({ name }) => name), ...named, ...options.map(({ long }) => long)]
  const files = given.some(({ kind }) => kind === 'file') ? ' files=yes' : ''
  return `    '${path}') words='${words.join(' ')}'${files} ;;`
}

/** Returns the fish completion of `dragoman`: for `~/.config/fish/completions/dragoman.fish`, or for sourcing. */
export function fishCompletion(program: CommandNode): string {
  const { name } = program
  const nodes = allOf(program)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => fishQuoted(path))
  const valued = nodes.flatMap(({ path, options }) =>
    options.filter(({ value }) => value).map(({ long }) => fishQuoted(`${path} ${long}`)),
  )
  return `# Completion of ${name} for fish: ${name} completion fish | source
function __${name}_at
    # How far the command is named; values of options do not count.
    set -l at ''
    set -l skip ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
            continue
        end
        set -l next (string trim -- "$at $word")
        if contains -- "$next" ${paths.join(' ')}
            set at $next
        else if contains -- "$at $word" ${valued.join(' ')}
            set skip yes
        end
    end
    test "$at" = "$argv[1]"
end

complete -c ${name} -f
${nodes.flatMap(node => linesOf(name, node)).join('\n')}
`
}

function linesOf(program: string, { path, options, commands, arguments: given }: CommandNode): string[] {
  const here = `complete -c ${program} -n ${fishQuoted(`__${program}_at "${path}"`)}`
  return [
    ...commands.map(({ name, about }) => `${here} -a ${name} -d ${fishQuoted(about)}`),
    ...given.filter(({ kind }) => kind !== 'free').map(value => `${here}${offer(value)}`),
    ...options.map(option => `${here} ${fishOption(option)}`),
  ]
}

function fishOption({ long, short, about, value }: OptionNode): string {
  const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`
  return `${names}${value ? ` ${value.kind === 'file' ? '-r' : '-x'}${offer(value)}` : ''} -d ${fishQuoted(about)}`
}

function offer(value: Value): string {
  if (value.kind === 'words') return ` -a ${fishQuoted(value.words.join(' '))}`
  return value.kind === 'file' ? ' -F' : ''
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Returns the zsh completion of `dragoman`: as a file `_dragoman` in `fpath`, or for sourcing. */
export function zshCompletion(program: CommandNode): string {
  const functions = allOf(program).map(node => functionOf(program.name, node))
  return `#compdef ${program.name}
# Completion of ${program.name} for zsh: source <(${program.name} completion zsh), after compinit

${functions.join('\n\n')}

if [[ $funcstack[1] == _${program.name} ]]; then
  _${program.name} "$@"
else
  compdef _${program.name} ${program.name}
fi
`
}

function functionOf(program: string, node: CommandNode): string {
  const name = nameOf(program, node)
  const options = node.options.map(zshOption)
  if (node.commands.length === 0) {
    const given = node.arguments.map((value, index) => `'${index + 1}:${label(value)}:${action(value)}'`)
    return `${name}() {\n  _arguments \\\n    ${[...options, ...given].join(' \\\n    ')}\n}`
  }
  const commands = node.commands.map(each => `    ${zshQuoted(`${each.name}:${each.about}`)}`)
  const cases = node.commands.map(each => `        ${each.name}) ${nameOf(program, each)} ;;`)
  return `${name}() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
${commands.join('\n')}
  )
  _arguments -C \\
    ${options.join(' \\\n    ')} \\
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}`
}

function nameOf(program: string, { path }: CommandNode): string {
  return ['', program, ...path.split(' ').filter(Boolean)].join('_')
}

function zshOption({ long, about, value }: OptionNode): string {
  const text = about.replace(/[[\]\\]/g, '\\$&')
  return zshQuoted(`${long}[${text}]${value ? `:${label(value)}:${action(value)}` : ''}`)
}

function label(value: Value): string {
  return value.kind === 'file' ? 'file' : 'value'
}

function action(value: Value): string {
  if (value.kind === 'words') return `(${value.words.join(' ')})`
  return value.kind === 'file' ? '_files' : ' '
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
