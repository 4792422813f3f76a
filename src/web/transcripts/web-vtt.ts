import { type Cue, clockTime } from './cue.ts'

/** WebVTT (W3C): the speaker as a voice, each text in its language. */
export function webVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, speaker, lines }, index) => {
    const texts = lines.map(({ language, text }) => `<lang ${tag(language)}>${escaped(text)}</lang>`)
    return `${index + 1}\n${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}\n<v ${escaped(speaker)}>${texts.join('\n')}</v>\n`
  })
  return ['WEBVTT\n', ...blocks].join('\n')
}

/** `en-us` → `en-US`, as BCP 47 is written. */
function tag(language: string): string {
  const [base = '', region = ''] = language.split('-')
  return `${base}-${region.toUpperCase()}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
