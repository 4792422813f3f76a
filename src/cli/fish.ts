import { allOf, type CommandNode, type OptionNode, type Value } from './command-tree.ts'

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
