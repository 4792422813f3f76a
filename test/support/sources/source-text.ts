/** TypeScript with comments, and optionally the content of quotes, replaced by blanks; line numbers are kept. */
export function withoutComments(source: string, { strings = false } = {}): string {
  let out = ''
  let at = 0
  while (at < source.length) {
    const end = endOfToken(source, at, out)
    const token = source.slice(at, end)
    out += isComment(token) || (strings && isQuoted(token)) ? token.replace(/[^\n]/g, ' ') : token
    at = end
  }
  return out
}

/** The regular expression literals of a source, with their flags. */
export function regexesOf(source: string): { text: string; flags: string; line: number }[] {
  const found: { text: string; flags: string; line: number }[] = []
  let before = ''
  let at = 0
  while (at < source.length) {
    const end = endOfToken(source, at, before)
    const token = source.slice(at, end)
    if (token.length > 1 && token.startsWith('/') && !isComment(token)) {
      const flags = /^[dgimsuvy]*/.exec(source.slice(end, end + 10))![0]
      found.push({ text: token.slice(1, -1), flags, line: source.slice(0, at).split('\n').length })
    }
    before = (before + (isComment(token) ? ' ' : token)).slice(-40)
    at = end
  }
  return found
}

const COMMENT = /^\/(?:\/.*|\*[\s\S]*?(?:\*\/|$))/
const QUOTED = /^(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)/
const REGEX = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//

function endOfToken(source: string, at: number, before: string): number {
  const character = source[at]!
  if (!/['"`/]/.test(character)) return at + 1
  const rest = source.slice(at, at + 20_000)
  const found = COMMENT.exec(rest) ?? QUOTED.exec(rest) ?? (startsRegex(before) ? REGEX.exec(rest) : null)
  return at + (found?.[0].length ?? 1)
}

/** A slash divides after a value and starts a regular expression after anything else. */
function startsRegex(before: string): boolean {
  return /(^|[(,=:[!&|?{};\n]|=>|\b(return|case|of|in))\s*$/.test(before.slice(-20))
}

function isComment(token: string): boolean {
  return COMMENT.test(token) && (token.startsWith('//') || token.startsWith('/*'))
}

function isQuoted(token: string): boolean {
  return token.length > 1 && /^['"`/]/.test(token)
}

/** Imports of a source, in any form; comments do not count. */
export function importsOf(source: string): string[] {
  const code = withoutComments(source)
  const forms = [
    /\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /\bimport\s*['"]([^'"]+)['"]/g,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return forms.flatMap(form => Array.from(code.matchAll(form), match => match[1]!))
}
