import type { Command, Option } from 'commander'
import { program } from '../../src/cli/program.ts'
import { code, fenced, head, table } from './markdown.ts'

const ABOUT = `\`npm run dragoman -- <command>\` in a clone, \`dragoman <command>\` where the package is installed (Node 24). Every command has
\`--help\`; those with \`--json\` print one JSON value on standard output and everything else on standard error. The exit code is 0 on
success, otherwise 1. Settings: [settings.md](settings.md).
`

/** Every executable command, with its parent commands. */
export function commandsOf(
  parent: Command,
  above: readonly string[] = [],
): { command: Command; path: string[] }[] {
  return parent.commands
    .filter(command => command.name() !== 'help' && !isHidden(command))
    .flatMap(command => {
      const path = [...above, command.name()]
      return command.commands.length > 0 ? commandsOf(command, path) : [{ command, path }]
    })
}

/** `docs/reference/cli.md`. */
export function cliPage(): string {
  const parts = commandsOf(program).map(({ command, path }) => section(command, path))
  return head('Commands', ABOUT) + parts.join('')
}

function section(command: Command, path: readonly string[]): string {
  const given = command.registeredArguments.map(argument => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    argument.description,
    usual(argument.defaultValue, argument.defaultValueDescription),
  ])
  const options = command.options
    .filter(option => !option.hidden)
    .map(option => [code(option.flags), option.description + choices(option), usualOf(option)])
  const after = afterHelp(command)
  return [
    `\n## ${path.join(' ')}\n\n${sentence(command.description())}\n\n`,
    fenced('text', `dragoman ${path.join(' ')} ${command.usage()}`),
    given.length > 0 ? `\n${table(['argument', 'what', 'default'], given)}` : '',
    options.length > 0 ? `\n${table(['option', 'what', 'default'], options)}` : '',
    after === '' ? '' : `\n${examples(after)}`,
  ].join('')
}

/** The text after a command's options, such as examples. */
function afterHelp(command: Command): string {
  let text = ''
  const output = command.configureOutput()
  command.configureOutput({
    writeOut: piece => {
      text += piece
    },
  })
  command.outputHelp()
  command.configureOutput(output)
  const plain = command.helpInformation()
  return text.startsWith(plain) ? text.slice(plain.length).trim() : ''
}

/** Formats examples as typed; other text stays unchanged. */
function examples(after: string): string {
  const [title = '', ...lines] = after.split('\n')
  if (!/^Examples?:$/.test(title)) return fenced('text', after)
  return `${title}\n\n${fenced('sh', lines.map(line => line.trim().replace(/^\$ /, '')).join('\n'))}`
}

function choices({ argChoices }: Option): string {
  return argChoices ? ` (one of ${argChoices.join(', ')})` : ''
}

function usualOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  return negate ? '' : usual(defaultValue, defaultValueDescription)
}

function usual(value: unknown, described: string | undefined): string {
  if (described !== undefined) return described
  return value === undefined || value === false ? '' : code(String(value))
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

function isHidden(command: Command): boolean {
  return '_hidden' in command && command._hidden === true
}
