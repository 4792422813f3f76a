import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { CaptionStyle } from '../channel-interpreter.ts'
import { escaped, split } from './markdown.ts'
import type { Line, Turn } from './turns.ts'

/** One message in a text chat, as far as captions need it, with Discord's markup escaped. */
export interface CaptionMessage {
  /** At most 2000 characters. */
  readonly content: string
  readonly embed?: CaptionEmbed
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
  send(message: CaptionMessage): Promise<Written>
  edit(id: string, message: CaptionMessage): Promise<Written>
  remove(id: string): Promise<Written>
}

/** Discord's limits (characters): a message, an embed's description and its author. */
const CONTENT_MOST = 2_000
const DESCRIPTION_MOST = 4_096
const AUTHOR_MOST = 256

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

function textOf({ text, final }: Line): string {
  const shown = escaped(text)
  return shown === '' || final ? shown : `${shown} …`
}

/** `es`; with its region if `shown` has the same language twice. */
function tagOf(to: LanguageId, shown: readonly (readonly [LanguageId, Line])[]): string {
  const alike = shown.filter(([each]) => sameLanguage(each, to)).length
  return alike > 1 ? to : to.slice(0, to.indexOf('-'))
}

function hash(text: string): number {
  let sum = 0
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)!) >>> 0
  return sum
}
