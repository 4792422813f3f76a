import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** A declaration of a module, as shown to a reader of types. */
export interface Declaration {
  readonly name: string
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'const'
  /** Its comment, without the stars. */
  readonly doc: string
  /** As TypeScript, without its comment. */
  readonly text: string
}

/** The types of the sources, as the compiler writes them into a folder: one generated here, or `dist/` of a package. */
export class Declarations implements Disposable {
  readonly #folder: string
  readonly #isOwn: boolean
  readonly #modules = new Map<string, readonly Declaration[]>()

  constructor(folder: string, { isOwn = false }: { isOwn?: boolean } = {}) {
    this.#folder = folder
    this.#isOwn = isOwn
  }

  /** Generates them from the sources, into a folder that is removed on disposal. */
  static generate(): Declarations {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-types-'))
    // Type errors are reported by another check.
    const emit = [
      '--noCheck',
      '--declaration',
      '--emitDeclarationOnly',
      '--noEmit',
      'false',
      '--outDir',
      folder,
    ]
    execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json', ...emit], {
      cwd: PROJECT,
    })
    return new Declarations(folder, { isOwn: true })
  }

  /** Declarations of the module at `path` (`core/relay`). */
  of(path: string): readonly Declaration[] {
    const known = this.#modules.get(path)
    if (known) return known
    const found = declared(this.#read(path))
    this.#modules.set(path, found)
    return found
  }

  /** Exports of `path`, its own and those of others, in its order. */
  exportsOf(path: string): Declaration[] {
    const text = this.#read(path)
    const found: Declaration[] = []
    for (const [, names, from = '', whole] of text.matchAll(
      /^export (?:type )?\{([^}]*)\} from ['"](.+)\.[jt]s['"];|^export (?:type )?\* from ['"](.+)\.[jt]s['"];/gm,
    )) {
      const module = join(dirname(path), from || whole || '')
      const all = this.exportsOf(module)
      if (names === undefined) found.push(...all)
      else found.push(...names.split(',').flatMap(each => pick(all, each.trim(), module)))
    }
    for (const [, names = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm))
      found.push(...names.split(',').flatMap(each => this.#passedOn(path, each.trim())))
    const own = this.of(path).filter(each => each.text.startsWith('export '))
    const all = [...found, ...own.map(each => this.#plugin(path, each) ?? each)]
    // The types of a module, and again its values by their names.
    return all.filter((each, at) => all.findIndex(({ text: other }) => other === each.text) === at)
  }

  [Symbol.dispose](): void {
    if (this.#isOwn) rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A plugin is exported with marks for Fastify: the actual function is inside. */
  #plugin(path: string, { text }: Declaration): Declaration | undefined {
    const name = /^export default const _default: typeof (\w+)/.exec(text)?.[1]
    const found = this.of(path).find(each => each.name === name)
    return found && { ...found, text: `export default ${found.text}` }
  }

  /** A declaration that `path` imports, or contains, and exports by its name. */
  #passedOn(path: string, name: string): Declaration[] {
    if (name === '') return []
    const imported = new RegExp(
      `^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from ['"](.+)\\.[jt]s['"];`,
      'm',
    )
    const from = imported.exec(this.#read(path))?.[1]
    const all = from === undefined ? this.of(path) : this.exportsOf(join(dirname(path), from))
    return pick(all, name, path)
  }

  #read(path: string): string {
    const place = !this.#isOwn || /^(src|simulator)\//.test(path) ? path : `src/${path}`
    return readFileSync(join(this.#folder, `${place}.d.ts`), 'utf8')
  }
}

function pick(all: readonly Declaration[], wanted: string, module: string): Declaration[] {
  if (wanted === '') return []
  const [name = '', as = name] = wanted.replace(/^type /, '').split(' as ')
  const found = all.filter(each =>
    name === 'default' ? each.text.startsWith('export default ') : each.name === name,
  )
  if (found.length === 0) throw new Error(`${module} declares no ${name}`)
  return found.map(each => ({ ...each, name: as === 'default' ? each.name : as }))
}

const BEGINS =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(class|interface|type|function|const) ([\w$]+)/

/** The declarations in a file of compiler output: everything that starts a line. */
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

/** Without parts that external code cannot use. */
function tidy(lines: readonly string[], isDefault: boolean): string {
  const text = lines
    .filter(line => !/^\s+#private;$/.test(line))
    .join('\n')
    .trimEnd()
    .replace(/^(export )?(default )?declare /, '$1$2')
    .replace(/^(?: {4})+/gm, indent => ' '.repeat(indent.length / 2))
    .replace(/;$/gm, '')
  // Schemas are long, and the pages of their types are clearer.
  const short = text.replace(/: z\.Zod[\s\S]*$/, ': z.ZodType')
  return isDefault && !short.startsWith('export') ? `export default ${short}` : short
}
