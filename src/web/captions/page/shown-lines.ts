import type { Entry } from './caption-book.ts'

/** What the reader wants to see. */
export interface Wish {
  readonly show: 'both' | 'translation' | 'original'
  /** The language that they read; '' for all. */
  readonly language: string
}

/** A text in its language. */
export interface Line {
  readonly language: string
  readonly text: string
  readonly kind: 'original' | 'translation'
}

/** Somebody is speaking, and there are no words in the wanted language yet. */
const NOT_YET = '…'

/**
 * The lines of `entry` that `wish` wants; none when it is not shown. `leads` says whether its original stands for what was said:
 * the same original comes once for every language into which a speaker is translated.
 */
export function shownLines(entry: Entry, leads: boolean, { show, language }: Wish): Line[] {
  const { from, to, final } = entry
  const original: Line = { language: from, text: entry.text ?? '', kind: 'original' }
  const translation: Line = { language: to, text: entry.translation ?? '', kind: 'translation' }
  // Who reads the language that is spoken needs no translation of it.
  if (language !== '' && to !== language) return from === language && leads ? said([original]) : []
  const same = from === to || original.text === translation.text
  const wantsOriginal = show !== 'translation' && (leads || language !== '')
  if (show === 'original') return wantsOriginal ? said([original.text === '' ? translation : original]) : []
  // A service that tells one text alone.
  if (final && translation.text === '') return wantsOriginal || show === 'translation' ? said([original]) : []
  if (same && original.text !== '') return said([translation])
  if (show === 'translation' && translation.text === '') return [{ ...translation, text: NOT_YET }]
  return said(wantsOriginal ? [original, translation] : [translation])
}

function said(lines: readonly Line[]): Line[] {
  return lines.filter(({ text }) => text !== '')
}
