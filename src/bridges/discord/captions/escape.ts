/** Signs that begin or end something in Discord's markdown, wherever they stand. */
const MARKS = /[\\*_~`|<>[\]#]/g
/** What turns the direction of the text around it, or cannot be seen; joiners are letters of some scripts. */
const INVISIBLE = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\p{Cc}]+/gu

/**
 * `text` on one line, so that Discord shows it as it is: no markdown, no mention, no tricks with the direction of text.
 * (Discord's “Markdown Text 101”: a backslash takes the meaning of the sign after it. `@everyone` is found without
 * markdown, so an invisible sign is put into it.)
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
 * `text` in pieces of at most `most` characters (UTF-16), cut between lines or words where there are any, and never
 * between a backslash and its sign or inside a character.
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

/** The last place up to `most` where `text` may be cut. */
function cutAt(text: string, most: number): number {
  let at = most
  if (/[\uDC00-\uDFFF]/.test(text[at]!)) at--
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1 ? at - 1 : at
}
