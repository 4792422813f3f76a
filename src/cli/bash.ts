import { allOf, type CommandNode, type Value } from './command-tree.ts'

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
