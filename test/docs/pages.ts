import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** One page of the documentation. */
export interface Page {
  /** Path from the project's folder: `docs/channels/twilio.md`. */
  readonly path: string
  readonly text: string
}

/** One block of code in a page. */
export interface Snippet {
  readonly page: string
  /** Its first line in the page, from 1. */
  readonly line: number
  /** The word after the three backticks. */
  readonly language: string
  readonly code: string
}

/** Every documentation page. */
export function pages(): Page[] {
  const below = (folder: string) =>
    existsSync(PROJECT + folder)
      ? readdirSync(PROJECT + folder, { recursive: true, encoding: 'utf8' })
          .filter(name => name.endsWith('.md') && !/node_modules|^reference\/api\b/.test(name))
          .map(name => `${folder}/${name}`)
      : []
  return [
    ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...['docs', 'examples', 'deploy', 'recordings', 'simulator'].flatMap(below).sort(),
  ].map(path => ({ path, text: readFileSync(PROJECT + path, 'utf8') }))
}

/** The blocks of code of a page, without the indentation that they have in a list. */
export function snippetsOf({ path, text }: Page): Snippet[] {
  const found: Snippet[] = []
  let open: { indent: string; language: string; line: number; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', language = ''] = /^( *)```(.*)$/.exec(line) ?? []
    const fence = /^ *```/.test(line)
    if (fence && !open) open = { indent, language: language.trim(), line: index + 2, lines: [] }
    else if (fence && open) {
      found.push({ page: path, line: open.line, language: open.language, code: open.lines.join('\n') })
      open = undefined
    } else if (open) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
  }
  if (open) throw new Error(`${path}:${open.line - 1}: a block of code without an end`)
  return found
}

/** Every block of code in one of these languages. */
export function snippets(...languages: string[]): Snippet[] {
  return pages().flatMap(page => snippetsOf(page).filter(({ language }) => languages.includes(language)))
}

/** Names a snippet in a test. */
export function title({ page, line, code }: Snippet): string {
  return `${page}:${line} ${code.trim().split('\n')[0]?.slice(0, 60) ?? ''}`
}
