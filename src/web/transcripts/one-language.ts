import { type LanguageId, sameLanguage } from '../../common/language.ts'
import { type Cue, cueOf, plainText, srt, webVtt } from './formats.ts'
import type { TranscriptEntry } from './transcript.ts'
import type { Transcripts } from './transcripts.ts'

/** Ranks an entry for readers of `language`: a translation into it, an original in it, or neither. */
function rankOf({ from, to, translation }: TranscriptEntry, language: LanguageId): number {
  if (sameLanguage(from, language)) return 0
  return sameLanguage(to, language) && translation.trim() !== '' ? 0 : 1
}

/** Returns whether two entries of a speaker are probably the same speech: most of the shorter one is in the longer. */
function overlap(a: TranscriptEntry, b: TranscriptEntry): boolean {
  const shared = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)
  const shorter = Math.min(a.endMs - a.startMs, b.endMs - b.startMs)
  return shared > 0 && shared >= shorter / 2
}

/**
 * Returns the conversation for readers of one language: each speech once, although it is an entry for each language into
 * which it was translated. Speech without a translation into `language` is in its own language.
 */
export function cuesIn(entries: readonly TranscriptEntry[], language: LanguageId): Cue[] {
  const chosen: TranscriptEntry[] = []
  /** Position of the latest chosen entry of each speaker. */
  const latest = new Map<string, number>()
  for (const entry of entries) {
    const at = latest.get(entry.speaker)
    const before = at === undefined ? undefined : chosen[at]
    if (at !== undefined && before && before.to !== entry.to && overlap(before, entry)) {
      if (rankOf(entry, language) < rankOf(before, language)) chosen[at] = entry
      continue
    }
    latest.set(entry.speaker, chosen.push(entry) - 1)
  }
  return chosen.flatMap(entry => {
    const { from, to, text, translation } = entry
    const translated = !sameLanguage(from, language) && rankOf(entry, language) === 0
    const line = translated ? { language: to, text: translation } : { language: from, text }
    return cueOf(entry, [line]) ?? []
  })
}

const DOCUMENTS = { text: plainText, srt, vtt: webVtt } as const
export type OneLanguageFormat = keyof typeof DOCUMENTS

/**
 * Returns `cues` as a document of at most `maxBytes` (UTF-8), without the first ones if necessary, and the number of cues
 * in it.
 */
export function documentOf(
  cues: readonly Cue[],
  format: OneLanguageFormat,
  maxBytes: number,
): { readonly text: string; readonly count: number } {
  let kept = cues
  let text = DOCUMENTS[format](kept)
  while (Buffer.byteLength(text) > maxBytes && kept.length > 0) {
    kept = kept.slice(Math.ceil(kept.length / 10))
    text = DOCUMENTS[format](kept)
  }
  return { text, count: kept.length }
}

/** A request for the conversation of a room, for readers of one language. */
export interface OneLanguageQuery {
  readonly room: string
  /** Only speech from then on (clock ms). */
  readonly sinceMs: number
  readonly language: LanguageId
  readonly format: OneLanguageFormat
  /** Returns whether speech of the participant with this ID can be shown. */
  readonly includes: (participant: string) => boolean
  /** Maximum size (bytes of UTF-8). */
  readonly maxBytes: number
}

/** Returns a function that answers such requests from `transcripts`. */
export function inOneLanguage(transcripts: Pick<Transcripts, 'since'>) {
  return ({ room, sinceMs, language, format, includes, maxBytes }: OneLanguageQuery) => {
    const entries = transcripts.since(room, sinceMs).filter(({ speaker }) => includes(speaker))
    const cues = cuesIn(entries, language)
    const { text, count } = documentOf(cues, format, maxBytes)
    return { text, count, shortened: count < cues.length }
  }
}
