import type { LanguageId } from '../../common/language.ts'
import type { TranscriptEntry } from './transcript.ts'

/** Which texts an export shows. */
export const LINES = ['both', 'original', 'translation'] as const
export type Lines = (typeof LINES)[number]

/** A text in its language, on one line. */
export interface CueLine {
  readonly language: LanguageId
  readonly text: string
}

/** Something that is shown for a while. */
export interface Cue {
  readonly startMs: number
  /** Later than `startMs`. */
  readonly endMs: number
  readonly speaker: string
  /** At least one. */
  readonly lines: readonly CueLine[]
}

/** So that it can be read at all, whatever the times say. */
const SHORTEST_MS = 1

/** What an export shows of `entries`, in their order; an entry without any text that is wanted is left out. */
export function cuesOf(entries: readonly TranscriptEntry[], lines: Lines = 'both'): Cue[] {
  return entries.flatMap(entry => {
    const shown = [
      ...(lines === 'translation' ? [] : [{ language: entry.from, text: oneLine(entry.text) }]),
      ...(lines === 'original' ? [] : [{ language: entry.to, text: oneLine(entry.translation) }]),
    ].filter(({ text }) => text !== '')
    if (shown.length === 0) return []
    const { startMs, endMs } = entry
    return [
      {
        startMs,
        endMs: Math.max(endMs, startMs + SHORTEST_MS),
        speaker: oneLine(entry.name ?? '') || oneLine(entry.speaker) || '?',
        lines: shown,
      },
    ]
  })
}

/** Without line breaks, control characters and marks that turn the direction of what follows. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim()
}

/** `ms` as `01:02:03` and thousandths behind `point`; hours may be more than 99. */
export function clockTime(ms: number, point: ',' | '.'): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = ms / 1000
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${point}${String(Math.floor(ms % 1000)).padStart(3, '0')}`
}
