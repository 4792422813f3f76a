import { readdirSync, readFileSync } from 'node:fs'
import { regexesOf } from '../../helpers/source-text.ts'

const SRC = new URL('../../../src/', import.meta.url)
/** The maximum length of external input; and the length of a first, quick trial. */
const LENGTH = 65_536
const TRIAL = 4_096
/** A shorter trial is sufficient (ms): with quadratic growth, the whole would take 50 ms. */
const QUICK_MS = 0.2
/** Beyond this the search for worse input stops. */
const ENOUGH_MS = 50

/** Removes trailing slashes from addresses of the settings and the command line, which only the operator writes. */
const OWN = ['\\/+$']

export interface Measured {
  readonly where: string
  readonly worstMs: number
  /** The start of the slowest text. */
  readonly text: string
}

/** Every literal regular expression of the program, with its file and line. */
export function allRegexes(): { where: string; regex: RegExp }[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name =>
      regexesOf(readFileSync(new URL(name, SRC), 'utf8')).map(({ text, flags, line }) => ({
        where: `src/${name}:${line} /${text}/${flags}`,
        regex: new RegExp(text, flags),
      })),
    )
    .filter(({ regex }) => !OWN.includes(regex.source))
}

/** Typical adversarial input: long runs that match, followed by a mismatch. */
const PIECES = [
  'a',
  'A',
  '0',
  '1',
  ' ',
  '\t',
  '\n',
  '.',
  '-',
  '_',
  '/',
  '\\',
  '+',
  '=',
  ':',
  ',',
  '"',
  "'",
  '(',
  '[',
  '{',
  '<',
  '*',
  '%',
  '?',
  '&',
  '@',
  '#',
  ';',
  '$',
  'é',
  '\u200b',
  '{a}',
  '[{a}',
  'ab',
  'a0',
  'a.',
  '0.',
  'a ',
  ' a',
  '1:',
  'a-',
  'a,',
  '0:0',
  '::',
  '<a ',
  '%2',
  "a'",
  '\\"',
  '```',
  'data:',
]
const ENDS = ['', '\u0000', '!', '\n', 'é']

function inputsFor(regex: RegExp, length: number): string[] {
  const fill = (piece: string) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length - 2)
  const common = PIECES.flatMap(piece => ENDS.map(end => fill(piece) + end))
  return [
    ...common,
    ...samples(regex).flatMap(sample => {
      const last = sample.at(-1) ?? 'a'
      const first = sample[0] ?? 'a'
      const half = sample.slice(0, Math.ceil(sample.length / 2))
      return [
        fill(sample),
        `${fill(sample)}\u0000`,
        `${sample}${fill(last)}\u0000`,
        `${fill(first)}${sample}\u0000`,
        `${half}${fill(half.at(-1) ?? 'a')}\u0000`,
      ]
    }),
  ]
}

/** Literal parts of the expression itself. */
function samples(regex: RegExp): string[] {
  const plain = regex.source
    .replaceAll(/\\[sn]/g, ' ')
    .replaceAll(/\\([^\w])/g, '$1')
    .replaceAll(/\\[a-zA-Z]/g, '1')
  return [
    ...new Set([
      plain.replaceAll(/[?:^$*+|]/g, ''),
      ...(plain.match(/[<({[*_]*[A-Za-z]{3,}[)>}\]]*/g) ?? []),
    ]),
  ].filter(text => text !== '')
}

/** Time of the expression on adversarial texts of 64 KB; the best of `tries`, because other work disturbs. */
export function measure(where: string, regex: RegExp, tries = 3, quickMs = QUICK_MS): Measured {
  const trials = inputsFor(regex, TRIAL)
  const whole = inputsFor(regex, LENGTH)
  let worst: Measured = { where, worstMs: 0, text: '' }
  for (const [at, trial] of trials.entries()) {
    if (quickMs > 0 && timed(regex, trial, tries, quickMs) <= quickMs) continue
    const input = whole[at]!
    const worstMs = timed(regex, input, tries, 5)
    if (worstMs > worst.worstMs) worst = { where, worstMs, text: input.slice(0, 20) }
    if (worstMs > ENOUGH_MS) break
  }
  return worst
}

/** The shortest of `tries`, or the first that is short enough (ms). */
function timed(regex: RegExp, input: string, tries: number, goodMs: number): number {
  let bestMs = Number.POSITIVE_INFINITY
  // Other work does not disturb for this long.
  for (let n = 0; n < tries && bestMs > goodMs && (n === 0 || bestMs < 1_000); n++) {
    const began = performance.now()
    // As in its use: for one match, or for all.
    if (regex.global) input.replace(regex, '')
    else regex.test(input)
    bestMs = Math.min(bestMs, performance.now() - began)
  }
  return bestMs
}
