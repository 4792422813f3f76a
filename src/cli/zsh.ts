import { allOf, type CommandNode, type OptionNode, type Value } from './command-tree.ts'

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
