import { createHash } from 'node:crypto'
import { stringify } from 'yaml'

/** One piece of a template: text, or the code between `{{` and `}}`. */
type Piece = { text: string } | { code: string }
type Value = unknown
type Context = Readonly<Record<string, Value>>

interface Block {
  readonly nodes: Node[]
}
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; code: string }
  | { kind: 'if'; branches: { code: string | undefined; body: Block }[] }
  | { kind: 'with'; code: string; body: Block }
  | { kind: 'range'; code: string; body: Block }

/**
 * The part of Go's templates that the chart uses, because Helm is not available as a package. It throws at anything
 * unknown, so that the chart cannot use more unnoticed.
 */
export class GoTemplates {
  readonly #defined = new Map<string, Block>()

  /** Adds a file under `path`, with its definitions. */
  add(path: string, source: string): void {
    const { body } = this.#parse(piecesOf(source), 0)
    this.#defined.set(path, body)
  }

  render(path: string, context: Context): string {
    const body = this.#defined.get(path)
    if (!body) throw new RangeError(`no template ${path}`)
    return this.#run(body, context, context)
  }

  #parse(pieces: readonly Piece[], from: number): { body: Block; at: number; end: string } {
    const nodes: Node[] = []
    for (let at = from; at < pieces.length; at++) {
      const piece = pieces[at]!
      if ('text' in piece) {
        nodes.push({ kind: 'text', text: piece.text })
        continue
      }
      const { code } = piece
      if (code === 'end' || code.startsWith('else')) return { body: { nodes }, at, end: code }
      const [word = ''] = code.split(' ', 1)
      const rest = code.slice(word.length).trim()
      if (word === 'define') {
        const inner = this.#parse(pieces, at + 1)
        this.#defined.set(JSON.parse(rest), inner.body)
        at = inner.at
      } else if (word === 'with' || word === 'range') {
        const inner = this.#parse(pieces, at + 1)
        nodes.push({ kind: word, code: rest, body: inner.body } as Node)
        at = inner.at
      } else if (word === 'if') {
        const branches: { code: string | undefined; body: Block }[] = []
        let condition: string | undefined = rest
        for (let more = true; more; ) {
          const inner = this.#parse(pieces, at + 1)
          branches.push({ code: condition, body: inner.body })
          at = inner.at
          more = inner.end !== 'end'
          condition = inner.end.startsWith('else if ') ? inner.end.slice('else if '.length) : undefined
        }
        nodes.push({ kind: 'if', branches })
      } else nodes.push({ kind: 'value', code })
    }
    return { body: { nodes }, at: pieces.length, end: '' }
  }

  #run({ nodes }: Block, dot: Value, root: Context): string {
    let out = ''
    for (const node of nodes) {
      if (node.kind === 'text') out += node.text
      else if (node.kind === 'value') out += shown(this.#pipeline(node.code, dot, root))
      else if (node.kind === 'range')
        for (const value of this.#pipeline(node.code, dot, root) as Value[])
          out += this.#run(node.body, value, root)
      else if (node.kind === 'with') {
        const value = this.#pipeline(node.code, dot, root)
        if (truth(value)) out += this.#run(node.body, value, root)
      } else {
        const taken = node.branches.find(
          ({ code }) => code === undefined || truth(this.#pipeline(code, dot, root)),
        )
        if (taken) out += this.#run(taken.body, dot, root)
      }
    }
    return out
  }

  #pipeline(code: string, dot: Value, root: Context): Value {
    let value: Value
    for (const [index, stage] of split(code, '|').entries()) {
      const [head = '', ...rest] = split(stage, ' ')
      const given = rest.map(word => this.#word(word, dot, root))
      if (index > 0) given.push(value)
      value = /^[a-zA-Z]\w*$/.test(head) ? this.#call(head, given, root) : this.#word(head, dot, root)
    }
    return value
  }

  #word(word: string, dot: Value, root: Context): Value {
    if (word.startsWith('(')) return this.#pipeline(word.slice(1, -1), dot, root)
    if (word.startsWith('"')) return JSON.parse(word)
    if (/^-?\d+$/.test(word)) return Number(word)
    if (word === '.') return dot
    if (word === '$') return root
    if (word.startsWith('$.')) return field(root, word.slice(1))
    if (word.startsWith('.')) return field(dot, word)
    throw new RangeError(`${word} is not understood`)
  }

  #call(name: string, given: readonly Value[], root: Context): Value {
    const [first, second] = given
    switch (name) {
      case 'include': {
        const body = this.#defined.get(String(first))
        if (!body) throw new RangeError(`nothing is defined as ${first}`)
        return this.#run(body, second, second === root ? root : (second as Context))
      }
      case 'add':
        return Number(first) + Number(second)
      case 'contains':
        return String(second).includes(String(first))
      case 'default':
        return truth(second) ? second : first
      case 'nindent':
        return `\n${indented(String(second), Number(first))}`
      case 'print':
        return given.map(shown).join('')
      case 'printf': {
        const values = given.slice(1)
        return String(first).replace(/%[sv]/g, () => shown(values.shift()))
      }
      case 'quote':
        return JSON.stringify(shown(first))
      case 'required':
        if (!truth(second)) throw new Error(String(first))
        return second
      case 'sha256sum':
        return createHash('sha256').update(String(first)).digest('hex')
      case 'toYaml':
        return stringify(first, { lineWidth: 0, sortMapEntries: true }).trimEnd()
      case 'trimSuffix':
        return String(second).endsWith(String(first))
          ? String(second).slice(0, -String(first).length)
          : second
      case 'trunc':
        return String(second).slice(0, Number(first))
      default:
        throw new RangeError(`the function ${name} is not known here`)
    }
  }
}

/** Text and code in turn; `{{-` and `-}}` remove the adjacent whitespace. */
function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = []
  let rest = source
  for (;;) {
    const open = rest.indexOf('{{')
    if (open < 0) return [...pieces, { text: rest }]
    const close = rest.indexOf('}}', open)
    if (close < 0) throw new SyntaxError('{{ without }}')
    let before = rest.slice(0, open)
    let code = rest.slice(open + 2, close)
    rest = rest.slice(close + 2)
    if (code.startsWith('- ')) {
      before = before.trimEnd()
      code = code.slice(1)
    }
    if (code.endsWith(' -')) {
      rest = rest.trimStart()
      code = code.slice(0, -1)
    }
    pieces.push({ text: before }, { code: code.trim() })
  }
}

/** Parts between `mark`s that are neither in quotes nor in brackets. */
function split(code: string, mark: '|' | ' '): string[] {
  const parts = ['']
  let depth = 0
  let quoted = false
  for (const character of code.trim()) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === '(') depth++
    if (!quoted && character === ')') depth--
    if (character === mark && depth === 0 && !quoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts.map(part => part.trim()).filter(part => part !== '')
}

function field(value: Value, path: string): Value {
  let found = value
  for (const name of path.split('.').slice(1)) found = (found as Context | undefined)?.[name]
  return found
}

function truth(value: Value): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'object') return Object.keys(value).length > 0
  return Boolean(value)
}

function shown(value: Value): string {
  if (value === undefined || value === null) return ''
  return String(value)
}

function indented(text: string, by: number): string {
  return text
    .split('\n')
    .map(line => ' '.repeat(by) + line)
    .join('\n')
}
