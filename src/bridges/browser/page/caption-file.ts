/** A final caption, with its time since the start of the call (ms). */
export interface KeptCaption {
  readonly name: string
  readonly text: string
  readonly translation: string
  readonly fromMs: number
  readonly toMs: number
}

export type CaptionFormat = 'txt' | 'srt' | 'vtt'

/** Media types of the formats. */
export const CAPTION_TYPES: Readonly<Record<CaptionFormat, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
}

/** Returns the captions of a call as a file: plain text, SubRip, or WebVTT (W3C: WebVTT). */
export function captionFile(captions: readonly KeptCaption[], format: CaptionFormat): string {
  switch (format) {
    case 'txt':
      return captions
        .map(({ name, text, translation }) => `${name}: ${bothOf(text, translation)}\n`)
        .join('\n')
    case 'srt':
      return captions
        .map((caption, at) => `${at + 1}\n${interval(caption, ',')}\n${cue(caption)}\n`)
        .join('\n')
    case 'vtt':
      return ['WEBVTT\n', ...captions.map(each => `${interval(each, '.')}\n${marked(cue(each))}\n`)].join(
        '\n',
      )
  }
}

function bothOf(text: string, translation: string): string {
  return [text, translation].filter(Boolean).join('\n')
}

/** A blank line would end a cue. */
function cue({ name, text, translation }: KeptCaption): string {
  return `${name}: ${bothOf(text, translation)}`.replace(/\n{2,}/g, '\n')
}

/** In WebVTT, these characters start markup. */
function marked(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function interval({ fromMs, toMs }: KeptCaption, point: ',' | '.'): string {
  return `${time(fromMs, point)} --> ${time(Math.max(toMs, fromMs + 1), point)}`
}

function time(ms: number, point: string): string {
  const whole = Math.max(0, Math.round(ms))
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const millis = String(whole % 1_000).padStart(3, '0')
  return `${two(whole / 3_600_000)}:${two((whole / 60_000) % 60)}:${two((whole / 1_000) % 60)}${point}${millis}`
}
