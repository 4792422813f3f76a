import { type LanguageId, languageTag } from '../../common/language.ts'
import type { Transcript, TranscriptEntry } from './transcript.ts'

/** Texts that an export contains. */
export const LINES = ['both', 'original', 'translation'] as const
export type Lines = (typeof LINES)[number]

/** A text in its language, on one line. */
export interface CueLine {
  readonly language: LanguageId
  readonly text: string
}

/** A subtitle with its time. */
export interface Cue {
  readonly startMs: number
  /** Later than `startMs`. */
  readonly endMs: number
  readonly speaker: string
  /** At least one. */
  readonly lines: readonly CueLine[]
}

/** Minimum duration of a cue (ms). */
const SHORTEST_MS = 1

/** Returns the cues for `entries`, in order. Entries without a requested text are omitted. */
export function cuesOf(entries: readonly TranscriptEntry[], lines: Lines = 'both'): Cue[] {
  return entries.flatMap(entry => {
    const original = { language: entry.from, text: entry.text }
    const translation = { language: entry.to, text: entry.translation }
    const shown = { both: [original, translation], original: [original], translation: [translation] }
    return cueOf(entry, shown[lines]) ?? []
  })
}

/** Returns the cue for `entry` with those of `lines` that have a text; undefined if none has. */
export function cueOf(entry: TranscriptEntry, lines: readonly CueLine[]): Cue | undefined {
  const { startMs, endMs, name = '', speaker } = entry
  const shown = lines
    .map(({ language, text }) => ({ language, text: oneLine(text) }))
    .filter(({ text }) => text !== '')
  if (shown.length === 0) return undefined
  return {
    startMs,
    endMs: Math.max(endMs, startMs + SHORTEST_MS),
    speaker: oneLine(name) || oneLine(speaker) || '?',
    lines: shown,
  }
}

/** Removes line breaks, control characters and bidirectional control marks. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim()
}

/** Formats `ms` as `01:02:03`, followed by `point` and milliseconds. Hours can exceed 99. */
export function clockTime(ms: number, point: ',' | '.'): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = ms / 1000
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${point}${String(Math.floor(ms % 1000)).padStart(3, '0')}`
}

/** Formats the cues for people: time, speaker and text, with the second text below the first. */
export function plainText(cues: readonly Cue[]): string {
  return cues
    .map(({ startMs, speaker, lines: [first, ...rest] }) => {
      const head = `[${clockTime(startMs, '.').slice(0, -4)}] ${speaker}`
      return [
        `${head} (${first?.language}): ${first?.text}`,
        ...rest.map(({ language, text }) => `    (${language}): ${text}`),
      ]
        .join('\n')
        .concat('\n')
    })
    .join('')
}

/**
 * SubRip subtitles. The format knows no escapes and players take `<i>` and `{\an8}` for commands, so their first
 * characters are replaced by similar ones. Other characters cannot be mistaken for structure.
 */
export function srt(cues: readonly Cue[]): string {
  return cues
    .map(({ startMs, endMs, speaker, lines }, index) => {
      const [first, ...rest] = lines.map(({ text }) => harmless(text))
      const text = [`${harmless(speaker)}: ${first}`, ...rest].join('\n')
      return `${index + 1}\n${clockTime(startMs, ',')} --> ${clockTime(endMs, ',')}\n${text}\n`
    })
    .join('\n')
}

function harmless(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('{', '(').replaceAll('}', ')')
}

/** WebVTT (W3C): the speaker is a voice tag, and each text has a language tag. */
export function webVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, speaker, lines }, index) => {
    const texts = lines.map(({ language, text }) => `<lang ${languageTag(language)}>${escaped(text)}</lang>`)
    return `${index + 1}\n${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n<v ${escaped(speaker)}>${texts.join('\n')}</v>\n`
  })
  return ['WEBVTT\n', ...blocks].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export const TRANSCRIPT_FORMATS = ['json', 'srt', 'vtt', 'text'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** Media types of the formats, all in UTF-8. */
export const TRANSCRIPT_TYPES: Readonly<Record<TranscriptFormat, string>> = {
  json: 'application/json',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  text: 'text/plain',
}

/** Part and format of an export. */
export interface ExportWish {
  readonly format: TranscriptFormat
  /** Only translations into this language. */
  readonly to?: string | undefined
  /** For all formats except JSON, which contains both texts. */
  readonly lines?: Lines | undefined
}

/** Exports `transcript` as a document. */
export function exported(transcript: Transcript, { format, to, lines = 'both' }: ExportWish): string {
  const entries = transcript.entries.filter(entry => to === undefined || entry.to === to)
  switch (format) {
    case 'json':
      return JSON.stringify({ ...transcript, entries })
    case 'srt':
      return srt(cuesOf(entries, lines))
    case 'vtt':
      return webVtt(cuesOf(entries, lines))
    case 'text':
      return plainText(cuesOf(entries, lines))
    default:
      return format satisfies never
  }
}
