import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of the translation modes installed in `folder`; empty when there is no such folder. */
export async function installedModes(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter(file => file.endsWith('.mode')).map(file => file.slice(0, -'.mode'.length))
}

/** The shell command of a mode, every program of it set to flush at NUL, so that it can answer again and again. */
export async function readMode(folder: string, mode: string): Promise<string> {
  return flushing(await readFile(join(folder, `${mode}.mode`), 'utf8'))
}

/**
 * `-z` after each program's name makes it flush at NUL; `$1` is how unknown words are shown (`-n`: as they are) and
 * `$2` a tagger option we do not need. Paths are quoted by the mode file, so the rest of it stays as it is.
 */
export function flushing(pipeline: string): string {
  return pipeline
    .trim()
    .split('|')
    .map(stage => {
      const [program = '', ...rest] = stage.trim().replaceAll('$1', '-n').replaceAll('$2', '').split(/\s+/)
      return [program, '-z', ...rest].join(' ')
    })
    .join(' | ')
}
