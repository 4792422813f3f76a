import { cuesOf, type Lines } from './cue.ts'
import { plainText } from './plain-text.ts'
import { srt } from './srt.ts'
import type { Transcript } from './transcript.ts'
import { webVtt } from './web-vtt.ts'

export const TRANSCRIPT_FORMATS = ['json', 'srt', 'vtt', 'text'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** Media types of the formats, all in UTF-8. */
export const TRANSCRIPT_TYPES: Readonly<Record<TranscriptFormat, string>> = {
  json: 'application/json',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  text: 'text/plain',
}

/** Which part of a transcript is wanted, and how. */
export interface ExportWish {
  readonly format: TranscriptFormat
  /** Only what was translated into this language. */
  readonly to?: string | undefined
  /** For the formats of lines; JSON has all. */
  readonly lines?: Lines | undefined
}

/** `transcript` as a document. */
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
