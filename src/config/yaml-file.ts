import {
  type Document,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import type { Problem } from './problems.ts'

/** Contents of a settings file, with line numbers. */
export interface YamlFile {
  readonly values: Readonly<Record<string, unknown>>
  /** Returns `dragoman.yaml:12` for the key at `path`, or for its nearest ancestor in the file. */
  source(path: readonly PropertyKey[]): string
}

/** Reads YAML and adds errors to `problems`. Messages never quote the file, because it may contain secrets. */
export function readYaml(text: string, name: string, problems: Problem[]): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const at = (offset: number) => `${name}:${lines.linePos(offset).line}`
  for (const error of document.errors)
    problems.push({
      key: 'YAML',
      source: at(error.pos[0]),
      found: error.code.toLowerCase().replaceAll('_', ' '),
      allowed:
        error.code === 'DUPLICATE_KEY' ? 'each key once' : 'valid YAML: check indentation and quotes here',
    })
  const source = (path: readonly PropertyKey[]) => at(offsetOf(document.contents, path))
  const empty = { values: {}, source }
  if (document.errors.length > 0) return empty
  const wrong = (offset: number, found: string, allowed: string) =>
    void problems.push({ key: 'YAML', source: at(offset), found, allowed })
  if (hasOddReferences(document, wrong)) return empty
  const contents = document.contents
  if (contents === null || (isScalar(contents) && contents.value === null)) return empty
  if (!isMap(contents)) {
    problems.push({
      key: 'YAML',
      source: at(0),
      found: 'not a table',
      allowed: 'lines of the form key: value',
    })
    return empty
  }
  try {
    return { values: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, source }
  } catch {
    wrong(0, 'too many nested aliases', 'each setting written out')
    return empty
  }
}

/** Reports unresolved or recursive aliases and keys that are tables: valid YAML, but not valid settings. */
function hasOddReferences(
  document: Document,
  wrong: (offset: number, found: string, allowed: string) => void,
): boolean {
  let odd = false
  const tell = (offset: number | undefined, found: string, allowed: string) => {
    odd = true
    wrong(offset ?? 0, found, allowed)
  }
  visit(document, {
    Alias(_key, alias, path) {
      const target = alias.resolve(document)
      if (!target)
        tell(alias.range?.[0], 'an unresolved alias', 'an alias (*) of an anchor (&) defined before it')
      else if (path.includes(target))
        tell(alias.range?.[0], 'a table that contains itself', 'each setting once')
    },
    Pair(_key, pair) {
      // The library warns about the others and would quote the file.
      if (isScalar(pair.key) && (pair.key.value === null || typeof pair.key.value !== 'object')) return
      tell(undefined, 'a key that is not a word', 'lines of the form key: value')
    },
  })
  return odd
}

function offsetOf(contents: unknown, path: readonly PropertyKey[]): number {
  let node = contents
  let offset = 0
  for (const part of path) {
    const pair = isMap(node) ? pairOf(node, part) : undefined
    if (!pair) break
    if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
    node = pair.value
  }
  return offset
}

function pairOf(map: YAMLMap, part: PropertyKey): Pair | undefined {
  return map.items.find(item => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part))
}
