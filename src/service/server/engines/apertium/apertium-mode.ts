import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the translation modes installed in `folder`; empty if the folder does not exist. */
export async function installedModes(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter(file => file.endsWith('.mode')).map(file => file.slice(0, -'.mode'.length))
}

/**
 * Returns the shell command of a mode, with all programs set to flush at NUL, so that it can serve several requests.
 */
export async function readMode(folder: string, mode: string): Promise<string> {
  return flushing(await readFile(join(folder, `${mode}.mode`), 'utf8'))
}

/**
 * `-z` after each program's name makes it flush at NUL; `$1` is the option for unknown words (`-n`: unmarked), and `$2`
 * a tagger option that is not needed. The mode file quotes its paths, so the rest stays unchanged.
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
