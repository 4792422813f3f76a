import { type LanguageId, primaryLanguage, sameLanguage } from '../../../common/language.ts'
import type { CaptionStyle } from '../contract.ts'
import type { Turn, TurnLine } from './turns.ts'

/** One message in a text chat, as far as captions need it, with Discord's markup escaped. */
export interface CaptionMessage {
  /** At most 2000 characters. */
  readonly content: string
  readonly embed?: CaptionEmbed
  /** Shown as its author; `content` does not name them. */
  readonly speaker?: CaptionSpeaker
}

/** The participant who spoke, with their name unchanged. */
export interface CaptionSpeaker {
  readonly participant: string
  readonly name: string
}

export interface CaptionEmbed {
  /** At most 256 characters. */
  readonly author: string
  /** At most 4096 characters. */
  readonly description: string
  /** 0xRRGGBB. */
  readonly color: number
}

/** Outcome of writing, editing or removing a message. */
export type Written =
  | { readonly kind: 'written'; readonly id: string }
  /** A user deleted the message. */
  | { readonly kind: 'message-gone' }
  /** The message is too old to be edited. */
  | { readonly kind: 'message-old' }
  /** The chat is gone, or writing there is not allowed. `code` is Discord's. */
  | { readonly kind: 'no-access'; readonly code: number }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Any other failure; a retry may succeed. */
  | { readonly kind: 'failed' }

/** Destination of captions. Never rejects. */
export interface CaptionChat {
  /** Maximum number of new messages per time, if it differs from that of a bot. */
  readonly sends?: { readonly most: number; readonly windowMs: number }
  send(message: CaptionMessage): Promise<Written>
  edit(id: string, message: CaptionMessage): Promise<Written>
  remove(id: string): Promise<Written>
}

/** Discord's limits (characters): a message, an embed's description and its author. */
const CONTENT_MOST = 2_000
const DESCRIPTION_MOST = 4_096
const AUTHOR_MOST = 256
/** Room for the speaker's name, escaped, if the bot itself has to write. */
export const NAME_MOST = 200

/** Speaker colors, distinguishable on light and dark backgrounds. */
const COLORS = [0x3b82f6, 0xf97316, 0x10b981, 0xd946ef, 0xeab308, 0x06b6d4, 0xef4444, 0x8b5cf6]

export interface CaptionLook {
  readonly style: Exclude<CaptionStyle, 'off'>
  /** Translations to show; undefined: all. */
  readonly languages?: readonly LanguageId[] | undefined
}

/** Returns `turn` as messages, or an empty list if it has no text. Text that can still change ends in an ellipsis. */
export function captionMessages(turn: Turn, { style, languages }: CaptionLook): CaptionMessage[] {
  const shown = Array.from(turn.translations).filter(
    ([to]) => languages === undefined || languages.some(each => sameLanguage(each, to)),
  )
  const original = textOf(turn.original)
  const lines = shown.map(([to, line]) => `\`${tagOf(to, shown)}\` ${textOf(line)}`)
  if (original === '' && lines.length === 0) return []
  const name = escaped(turn.name ?? '') || '📞'
  if (style === 'webhook') {
    const text = [original, ...lines].filter(line => line !== '').join('\n')
    const speaker = { participant: turn.speaker, name: turn.name ?? '📞' }
    return split(text, CONTENT_MOST - NAME_MOST).map(content => ({ content, speaker }))
  }
  if (style === 'plain') {
    const text = [`**${name}:** ${original}`.trimEnd(), ...lines].join('\n')
    return split(text, CONTENT_MOST).map(content => ({ content }))
  }
  const author = (turn.name ?? '📞').slice(0, AUTHOR_MOST)
  const color = COLORS[hash(turn.speaker) % COLORS.length]!
  const text = [original, ...lines].filter(line => line !== '').join('\n')
  return split(text, DESCRIPTION_MOST).map(description => ({
    content: '',
    embed: { author, description, color },
  }))
}

function textOf({ text, final }: TurnLine): string {
  const shown = escaped(text)
  return shown === '' || final ? shown : `${shown} …`
}

/** `es`; with its region if `shown` has the same language twice. */
function tagOf(to: LanguageId, shown: readonly (readonly [LanguageId, TurnLine])[]): string {
  const alike = shown.filter(([each]) => sameLanguage(each, to)).length
  return alike > 1 ? to : primaryLanguage(to)
}

function hash(text: string): number {
  let sum = 0
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)!) >>> 0
  return sum
}

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
