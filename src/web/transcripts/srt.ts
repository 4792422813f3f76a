import { type Cue, clockTime } from './cue.ts'

/**
 * SubRip subtitles. The format knows no escapes and players take `<i>` and `{\an8}` for commands, so the characters that
 * begin them are replaced by ones that look alike; nothing else in a text can be taken for structure.
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
