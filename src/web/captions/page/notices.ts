import type { CaptionBook } from './caption-book.ts'
import type { StreamState } from './caption-stream.ts'
import { languageName } from './language-names.ts'

/** What the reader is told of the stream: shortly beside the title, and at length where it needs them. */
export const STATES: Readonly<Record<StreamState, { readonly short: string; readonly long?: string }>> = {
  connecting: { short: 'Connecting …' },
  live: { short: 'Live' },
  waiting: { short: 'Waiting', long: 'Nobody is in this room yet. The captions begin by themselves.' },
  again: {
    short: 'Connection lost',
    long: 'The connection is lost. Nothing will be missing when it is back.',
  },
  ended: { short: 'Ended', long: 'The conversation has ended.' },
  expired: {
    short: 'Link expired',
    long: 'This link is no longer valid. Please ask for a new one where you got it.',
  },
  closed: {
    short: 'No captions',
    long: 'This server gives no captions: its settings have no key (control.keys).',
  },
  refused: { short: 'Key refused' },
}

/** Speakers and languages whose translation is away: meanwhile the original voice is heard. */
export class Away {
  readonly #away = new Map<string, { readonly speaker: string; readonly to: string }>()

  /** Takes a `service` event. */
  take({ speaker, to, away }: { speaker: string; to: string; away: boolean }): void {
    const key = `${speaker} ${to}`
    if (away) this.#away.set(key, { speaker, to })
    else this.#away.delete(key)
  }

  clear(): void {
    this.#away.clear()
  }

  /** In words, for somebody who reads `language` ('' for all); '' when nothing is away. */
  told(book: CaptionBook, language: string): string {
    const away = Array.from(this.#away.values()).filter(({ to }) => language === '' || to === language)
    if (away.length === 0) return ''
    const names = Array.from(new Set(away.map(({ speaker }) => book.nameOf(speaker) ?? 'somebody')))
    const languages = Array.from(new Set(away.map(({ to }) => languageName(to))))
    return `The translation service is away: ${names.slice(0, 3).join(', ')} into ${languages.slice(0, 3).join(', ')}. Captions go on by themselves when it is back.`
  }
}

/** A `service` event as the server tells it; undefined for anything else. */
export function readService(value: unknown): { speaker: string; to: string; away: boolean } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { speaker, to, away } = value as Record<string, unknown>
  if (typeof speaker !== 'string' || typeof to !== 'string' || typeof away !== 'boolean') return undefined
  return { speaker, to, away }
}
