import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** One thing that a module declares, as a reader of types sees it. */
export interface Declaration {
  readonly name: string
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'const'
  /** Its words, without the stars. */
  readonly doc: string
  /** As TypeScript, without its words. */
  readonly text: string
}

/** The types of the sources, as the compiler writes them. */
export class Declarations implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dragoman-types-'))
  readonly #modules = new Map<string, readonly Declaration[]>()

  constructor() {
    // Whether types are right is another check's business.
    const emit = [
      '--noCheck',
      '--declaration',
      '--emitDeclarationOnly',
      '--noEmit',
      'false',
      '--outDir',
      this.#folder,
    ]
    execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json', ...emit], {
      cwd: PROJECT,
    })
  }

  /** What the module at `path` (`core/relay`) declares. */
  of(path: string): readonly Declaration[] {
    const known = this.#modules.get(path)
    if (known) return known
    const found = declared(this.#read(path))
    this.#modules.set(path, found)
    return found
  }

  /** What `path` exports, its own and that of others, in its order. */
  exportsOf(path: string): Declaration[] {
    const text = this.#read(path)
    const found: Declaration[] = []
    for (const [, names, from = '', whole] of text.matchAll(
      /^export (?:type )?\{([^}]*)\} from ['"](.+)\.ts['"];|^export \* from ['"](.+)\.ts['"];/gm,
    )) {
      const module = join(dirname(path), from || whole || '')
      const all = this.exportsOf(module)
      if (names === undefined) found.push(...all)
      else found.push(...names.split(',').flatMap(each => pick(all, each.trim(), module)))
    }
    for (const [, names = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm))
      found.push(...names.split(',').flatMap(each => this.#passedOn(path, each.trim())))
    const own = this.of(path).filter(each => each.text.startsWith('export '))
    return [...found, ...own.map(each => this.#plugin(path, each) ?? each)]
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A plugin is exported with marks for Fastify: what is called is the function behind them. */
  #plugin(path: string, { text }: Declaration): Declaration | undefined {
    const name = /^export default const _default: typeof (\w+)/.exec(text)?.[1]
    const found = this.of(path).find(each => each.name === name)
    return found && { ...found, text: `export default ${found.text}` }
  }

  /** What `path` has by an import, or of its own, and exports by its name. */
  #passedOn(path: string, name: string): Declaration[] {
    if (name === '') return []
    const imported = new RegExp(
      `^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from ['"](.+)\\.ts['"];`,
      'm',
    )
    const from = imported.exec(this.#read(path))?.[1]
    const all = from === undefined ? this.of(path) : this.exportsOf(join(dirname(path), from))
    return pick(all, name, path)
  }

  #read(path: string): string {
    return readFileSync(join(this.#folder, `${path}.d.ts`), 'utf8')
  }
}

function pick(all: readonly Declaration[], wanted: string, module: string): Declaration[] {
  if (wanted === '') return []
  const [name = '', as = name] = wanted.replace(/^type /, '').split(' as ')
  const found = all.filter(each => each.name === name)
  if (found.length === 0) throw new Error(`${module} declares no ${name}`)
  return found.map(each => ({ ...each, name: as }))
}

const BEGINS =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(class|interface|type|function|const) ([\w$]+)/

/** The declarations in a file as the compiler writes it: whatever begins at the beginning of a line. */
function declared(source: string): Declaration[] {
  const defaults = /^export default (\w+);/m.exec(source)?.[1]
  const found: Declaration[] = []
  let doc = ''
  let open: { name: string; kind: Declaration['kind']; doc: string; lines: string[] } | undefined
  const end = () => {
    if (open)
      found.push({
        name: open.name,
        kind: open.kind,
        doc: open.doc,
        text: tidy(open.lines, open.name === defaults),
      })
    open = undefined
  }
  let comment: string[] | undefined
  for (const line of source.split('\n')) {
    if (comment || line.startsWith('/**')) {
      if (!comment) end()
      comment = [...(comment ?? []), line]
      if (line.includes('*/')) {
        doc = words(comment.join('\n'))
        comment = undefined
      }
      continue
    }
    const begins = BEGINS.exec(line)
    if (begins) {
      end()
      open = { name: begins[2]!, kind: begins[1] as Declaration['kind'], doc, lines: [line] }
      doc = ''
    } else if (/^[a-z]/.test(line)) {
      end()
      doc = ''
    } else if (open) open.lines.push(line)
  }
  end()
  return found
}

function words(comment: string): string {
  return comment
    .replace(/^\/\*\*\s?/, '')
    .replace(/\s*\*\/$/, '')
    .replace(/^ \* ?/gm, '')
    .trim()
}

/** Without what nobody outside can use. */
function tidy(lines: readonly string[], isDefault: boolean): string {
  const text = lines
    .filter(line => !/^\s+#private;$/.test(line))
    .join('\n')
    .trimEnd()
    .replace(/^(export )?(default )?declare /, '$1$2')
    .replace(/^(?: {4})+/gm, indent => ' '.repeat(indent.length / 2))
    .replace(/;$/gm, '')
  // Schemas are long, and the pages of what they check say it better.
  const short = text.replace(/: z\.Zod[\s\S]*$/, ': z.ZodType')
  return isDefault && !short.startsWith('export') ? `export default ${short}` : short
}
