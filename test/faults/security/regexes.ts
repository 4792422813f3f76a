import { readdirSync, readFileSync } from 'node:fs'
import { regexesOf } from '../../helpers/source-text.ts'

const SRC = new URL('../../../src/', import.meta.url)
/** As long as anything that is read whole from outside; and what shows first whether that would take long. */
const LENGTH = 65_536
const TRIAL = 4_096
/** A trial that takes no longer is done with (ms): were the time to grow with the square, the whole would take 50 ms. */
const QUICK_MS = 0.2
/** Beyond this there is no need to look for worse. */
const ENOUGH_MS = 50

/** Takes last slashes from addresses of the settings and of the command line, which nobody else writes. */
const OWN = ['\\/+$']

export interface Measured {
  readonly where: string
  readonly worstMs: number
  /** The beginning of the text that took longest. */
  readonly text: string
}

/** Every regular expression of the program that is written out in it, with the file and line. */
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

/** What such expressions stumble over: long runs of what they like, and at the end what they do not. */
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

/** Pieces of the expression itself that stand in it as text. */
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

/** How long the expression takes for texts of 64 KB made to hurt it; the best of `tries`, since other work disturbs. */
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

/** The shortest of `tries`, or the first that is good enough (ms). */
function timed(regex: RegExp, input: string, tries: number, goodMs: number): number {
  let bestMs = Number.POSITIVE_INFINITY
  // No other work disturbs for so long.
  for (let n = 0; n < tries && bestMs > goodMs && (n === 0 || bestMs < 1_000); n++) {
    const began = performance.now()
    // As it is used: for one match, or for all.
    if (regex.global) input.replace(regex, '')
    else regex.test(input)
    bestMs = Math.min(bestMs, performance.now() - began)
  }
  return bestMs
}
