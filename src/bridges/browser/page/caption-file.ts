/** A final caption, with its time since the start of the call (ms). */
export interface KeptCaption {
  readonly name: string
  readonly text: string
  readonly translation: string
  readonly fromMs: number
  readonly toMs: number
}

export type CaptionFormat = 'txt' | 'srt'

/** Media types of the formats. */
export const CAPTION_TYPES: Readonly<Record<CaptionFormat, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
}

/** Returns the captions of a call as a file: plain text, or SubRip. */
export function captionFile(captions: readonly KeptCaption[], format: CaptionFormat): string {
  switch (format) {
    case 'txt':
      return captions
        .map(({ name, text, translation }) => `${name}: ${bothOf(text, translation)}\n`)
        .join('\n')
    case 'srt':
      return captions.map((caption, at) => `${at + 1}\n${interval(caption)}\n${cue(caption)}\n`).join('\n')
  }
}

function bothOf(text: string, translation: string): string {
  return [text, translation].filter(Boolean).join('\n')
}

/** A blank line would end a cue. */
function cue({ name, text, translation }: KeptCaption): string {
  return `${name}: ${bothOf(text, translation)}`.replace(/\n{2,}/g, '\n')
}

function interval({ fromMs, toMs }: KeptCaption): string {
  return `${time(fromMs)} --> ${time(Math.max(toMs, fromMs + 1))}`
}

function time(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const millis = String(whole % 1_000).padStart(3, '0')
  return `${two(whole / 3_600_000)}:${two((whole / 60_000) % 60)}:${two((whole / 1_000) % 60)},${millis}`
}
