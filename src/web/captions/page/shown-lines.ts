import type { Entry } from './caption-book.ts'

/** What the reader wants to see. */
export interface Wish {
  readonly show: 'both' | 'translation' | 'original'
  /** The reader’s language; '' for all. */
  readonly language: string
}

/** A text in its language. */
export interface Line {
  readonly language: string
  readonly text: string
  readonly kind: 'original' | 'translation'
}

/** Shown while someone speaks and no words in the selected language exist yet. */
const NOT_YET = '…'

/**
 * Returns the lines of `entry` to show for `wish`; empty if it is hidden. `leads`: whether its original represents the
 * speech, since each target language has a copy of the original.
 */
export function shownLines(entry: Entry, leads: boolean, { show, language }: Wish): Line[] {
  const { from, to, final } = entry
  const original: Line = { language: from, text: entry.text ?? '', kind: 'original' }
  const translation: Line = { language: to, text: entry.translation ?? '', kind: 'translation' }
  // Readers of the spoken language need no translation of it.
  if (language !== '' && to !== language) return from === language && leads ? said([original]) : []
  const same = from === to || original.text === translation.text
  const wantsOriginal = show !== 'translation' && (leads || language !== '')
  if (show === 'original') return wantsOriginal ? said([original.text === '' ? translation : original]) : []
  // For a service that returns only one text.
  if (final && translation.text === '') return wantsOriginal || show === 'translation' ? said([original]) : []
  if (same && original.text !== '') return said([translation])
  if (show === 'translation' && translation.text === '') return [{ ...translation, text: NOT_YET }]
  return said(wantsOriginal ? [original, translation] : [translation])
}

function said(lines: readonly Line[]): Line[] {
  return lines.filter(({ text }) => text !== '')
}
