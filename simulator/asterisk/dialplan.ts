/** One step of an extension. */
export interface Step {
  readonly label: string | undefined
  readonly app: string
  /** Verbatim, with variables. */
  readonly args: string
}

/** An extension: a name, or a pattern that starts with `_`. */
interface Extension {
  readonly name: string
  readonly steps: Step[]
}

const LINE = /^(?:exten\s*=>\s*([^,]+),(\d+|n)|same\s*=>\s*n)(?:\((\w+)\))?,(\w+)\((.*)\)$/

/**
 * A dialplan as far as `extensions.conf` in the documentation uses it: globals, contexts, extensions with `exten` and
 * `same`, labels. Throws SyntaxError for a line that it cannot read, as Asterisk would only warn.
 */
export class Dialplan {
  readonly globals = new Map<string, string>()
  readonly #contexts = new Map<string, Extension[]>()

  constructor(text: string) {
    let context = ''
    for (const [index, raw] of text.split('\n').entries()) {
      const comment = raw.indexOf(';')
      const line = (comment < 0 ? raw : raw.slice(0, comment)).trim()
      if (line === '') continue
      const section = /^\[([\w-]+)\]$/.exec(line)
      if (section) context = section[1] ?? ''
      else if (context === 'globals') this.#readGlobal(line, index)
      else this.#readStep(line, index, context)
    }
  }

  /** The steps of the extension that matches `number` in `context`; undefined if there is none. */
  find(context: string, number: string): readonly Step[] | undefined {
    return this.#contexts.get(context)?.find(({ name }) => matches(name, number))?.steps
  }

  #readGlobal(line: string, index: number): void {
    const at = line.indexOf('=')
    if (at < 1) throw new SyntaxError(`line ${index + 1}: expected NAME=value, got ${line}`)
    this.globals.set(line.slice(0, at), line.slice(at + 1))
  }

  #readStep(line: string, index: number, context: string): void {
    const [, name, , label, app = '', args = ''] = LINE.exec(line) ?? []
    const extensions = this.#contexts.get(context) ?? []
    this.#contexts.set(context, extensions)
    if (name !== undefined) extensions.push({ name, steps: [] })
    const extension = extensions.at(-1)
    if (app === '' || !extension) throw new SyntaxError(`line ${index + 1}: cannot read ${line}`)
    extension.steps.push({ label, app, args })
  }
}

/** Asterisk’s patterns: `X` is a digit, `[+0-9]` a class, `.` one or more of any characters. */
function matches(name: string, number: string): boolean {
  if (!name.startsWith('_')) return name === number
  let pattern = ''
  let inClass = false
  for (const part of name.slice(1)) {
    if (part === '[') inClass = true
    else if (part === ']') inClass = false
    if (inClass || part === ']') pattern += part
    else if (part === 'X') pattern += '[0-9]'
    else if (part === '.') pattern += '.+'
    else pattern += part === '+' ? '\\+' : part
  }
  return new RegExp(`^${pattern}$`).test(number)
}

/** Splits arguments at commas that are not in parentheses or braces. */
export function splitArgs(args: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of args) {
    if ('({['.includes(character)) depth++
    else if (')}]'.includes(character)) depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** Evaluates the expressions that the dialplan uses: a comparison of texts or numbers, or a sum. */
export function evaluate(expression: string): string {
  const at = expression.search(/[=>+]/)
  const operator = at < 0 ? '' : expression[at]
  const left = expression.slice(0, at).trim()
  const right = expression.slice(at + 1).trim()
  if (operator === '+') return String(Number(left) + Number(right))
  if (operator === '>') return Number(left) > Number(right) ? '1' : '0'
  if (operator === '=') return left === right ? '1' : '0'
  throw new SyntaxError(`cannot evaluate ${expression}`)
}
