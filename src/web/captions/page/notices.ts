import { languageName } from '../../../pages/page/language-names.ts'
import type { CaptionBook } from './caption-book.ts'
import type { StreamState } from './caption-stream.ts'

/** Messages about the stream: a short one next to the title, and a long one where needed. */
export const STATES: Readonly<Record<StreamState, { readonly short: string; readonly long?: string }>> = {
  connecting: { short: 'Connecting …' },
  live: { short: 'Live' },
  waiting: { short: 'Waiting', long: 'The room is empty. Captions start automatically.' },
  again: {
    short: 'Connection lost',
    long: 'Connection lost. Missed captions will appear.',
  },
  ended: { short: 'Ended', long: 'The conversation has ended.' },
  expired: {
    short: 'Link expired',
    long: 'This link has expired. Ask for a new one.',
  },
  closed: {
    short: 'No captions',
    long: 'Captions are disabled on this server: its settings have no key (control.keys).',
  },
  refused: { short: 'Invalid key' },
}

/** Tracks speakers and languages whose translation is unavailable, while the original voice plays. */
export class Away {
  readonly #away = new Map<string, { readonly speaker: string; readonly to: string }>()

  /** Applies a `service` event. */
  take({ speaker, to, away }: { speaker: string; to: string; away: boolean }): void {
    const key = `${speaker} ${to}`
    if (away) this.#away.set(key, { speaker, to })
    else this.#away.delete(key)
  }

  clear(): void {
    this.#away.clear()
  }

  /** Returns the message for a reader of `language` ('' for all); '' if nothing is unavailable. */
  told(book: CaptionBook, language: string): string {
    const away = Array.from(this.#away.values()).filter(({ to }) => language === '' || to === language)
    if (away.length === 0) return ''
    const names = Array.from(new Set(away.map(({ speaker }) => book.nameOf(speaker) ?? 'somebody')))
    const languages = Array.from(new Set(away.map(({ to }) => languageName(to))))
    return `Translation unavailable: ${names.slice(0, 3).join(', ')} into ${languages.slice(0, 3).join(', ')}. Captions resume automatically.`
  }
}

/** Parses a `service` event of the server; undefined for anything else. */
export function readService(value: unknown): { speaker: string; to: string; away: boolean } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { speaker, to, away } = value as Record<string, unknown>
  if (typeof speaker !== 'string' || typeof to !== 'string' || typeof away !== 'boolean') return undefined
  return { speaker, to, away }
}
