/** Characters with a meaning in Discord's Markdown, in any position. */
const MARKS = /[\\*_~`|<>[\]#]/g
/** Invisible characters and changes of text direction, except joiners, which are letters in some scripts. */
const INVISIBLE = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\p{Cc}]+/gu

/**
 * Returns `text` on one line, escaped so that Discord shows it verbatim: no Markdown, no mentions, no changes of text
 * direction. A backslash cancels the meaning of the next character (Discord: Markdown Text 101). `@everyone` is
 * recognized without Markdown, so it gets an invisible character.
 */
export function escaped(text: string): string {
  return text
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(MARKS, '\\$&')
    .replaceAll('@', '@\u200B')
    .replace(/:\/\//g, ':\u200B//')
}

/**
 * Splits `text` into pieces of at most `most` characters (UTF-16), between lines or words if possible, and never
 * between a backslash and its character or inside a character.
 */
export function split(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > most) {
    let at = Math.max(rest.lastIndexOf('\n', most), rest.lastIndexOf(' ', most))
    if (at < most / 2) at = cutAt(rest, most)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}

/** Returns the last position up to `most` at which `text` can be split. */
function cutAt(text: string, most: number): number {
  let at = most
  if (/[\uDC00-\uDFFF]/.test(text[at]!)) at--
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1 ? at - 1 : at
}
