import { type Cue, clockTime } from './cue.ts'

/** For people: when, who, what; the second text under the first. */
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
