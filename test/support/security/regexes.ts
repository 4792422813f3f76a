import { readdirSync, readFileSync } from 'node:fs'
import { regexesOf } from '../sources/source-text.ts'

const SRC = new URL('../../../src/', import.meta.url)
/** The maximum length of external input; the length of a first, quick trial, and of a second one. */
const LENGTH = 65_536
const TRIAL = 4_096
const MIDDLE = 16_384
/** Resolution of the processor time of a thread. */
const TICK_MS = 4
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

/** A text of a given length. */
type Input = (length: number) => string

const fill = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length - 2)

/** The same for every expression; each expression tries the short ones. */
const COMMON: readonly Input[] = PIECES.flatMap(piece =>
  ENDS.map(end => {
    const trial = fill(piece, TRIAL) + end
    return (length: number) => (length === TRIAL ? trial : fill(piece, length) + end)
  }),
)

function inputsFor(regex: RegExp): Input[] {
  const own = samples(regex).flatMap((sample): Input[] => {
    const last = sample.at(-1) ?? 'a'
    const first = sample[0] ?? 'a'
    const half = sample.slice(0, Math.ceil(sample.length / 2))
    return [
      length => fill(sample, length),
      length => `${fill(sample, length)}\u0000`,
      length => `${sample}${fill(last, length)}\u0000`,
      length => `${fill(first, length)}${sample}\u0000`,
      length => `${half}${fill(half.at(-1) ?? 'a', length)}\u0000`,
    ]
  })
  return [...COMMON, ...own]
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

/** Time of the expression on adversarial texts of 64 KB; the best of `tries`. */
export function measure(where: string, regex: RegExp, tries = 3, quickMs = QUICK_MS): Measured {
  let worst: Measured = { where, worstMs: 0, text: '' }
  for (const input of inputsFor(regex)) {
    if (quickMs > 0 && timed(regex, input(TRIAL), tries, quickMs) <= quickMs) continue
    // An expression that is slow at a quarter of the length is slower on the whole.
    let text = input(MIDDLE)
    let worstMs = timed(regex, text, tries, ENOUGH_MS)
    if (worstMs <= ENOUGH_MS) {
      text = input(LENGTH)
      worstMs = timed(regex, text, tries, 5)
    }
    if (worstMs > worst.worstMs) worst = { where, worstMs, text: text.slice(0, 20) }
    if (worstMs > ENOUGH_MS) break
  }
  return worst
}

/** The shortest of `tries`, or the first that is short enough (ms). */
function timed(regex: RegExp, input: string, tries: number, goodMs: number): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries && bestMs > goodMs && (n === 0 || bestMs < 2 * ENOUGH_MS); n++) {
    const used = process.threadCpuUsage()
    const began = performance.now()
    // As in its use: for one match, or for all.
    if (regex.global) input.replace(regex, '')
    else regex.test(input)
    const passedMs = performance.now() - began
    const { user, system } = process.threadCpuUsage(used)
    // While other work has the processor, only this thread's own time counts.
    bestMs = Math.min(bestMs, passedMs, (user + system) / 1_000 + TICK_MS)
  }
  return bestMs
}
