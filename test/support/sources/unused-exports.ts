import type { Fault } from './architecture.ts'

/** A file of the project, its path from the project's folder. */
interface Source {
  readonly path: string
  readonly source: string
}

const EXPORTED = /^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm

/**
 * Functions, classes and constants that a file of `src` exports and no other file names; uses in its own file do not
 * count. Types are exempt, because they belong to the functions that use them.
 */
export function unusedExports(files: readonly Source[]): Fault[] {
  const named = new Map<string, Set<string>>()
  for (const { path, source } of files)
    for (const word of new Set(source.match(/\w+/g))) {
      const paths = named.get(word) ?? new Set()
      named.set(word, paths.add(path))
    }
  return files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, source }) =>
      Array.from(source.matchAll(EXPORTED), ([, name = '']) => name)
        .filter(name => (named.get(name)?.size ?? 0) < 2)
        .map(name => `${path} exports ${name}, which no other file uses`),
    )
}
