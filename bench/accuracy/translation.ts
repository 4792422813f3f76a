import { systemClock } from '../../src/common/clock.ts'
import type { LanguageId } from '../../src/common/language.ts'
import { Apertium } from '../../src/service/engines/local/apertium/apertium.ts'

/** One line of the table, milliseconds. */
export interface TranslationRow {
  readonly pair: string
  readonly sentences: number
  /** Including the start of the pipeline. */
  readonly first: number
  readonly p50: number
  readonly p95: number
  readonly max: number
}

const PAIRS: readonly (readonly [LanguageId, LanguageId])[] = [
  ['en-us', 'es-es'],
  ['es-es', 'en-us'],
  ['en-us', 'fr-fr'],
  ['en-us', 'it-it'],
  ['en-us', 'pt-br'],
]
const SENTENCES = 200

const WHO = ['my brother', 'the doctor', 'your neighbour', 'our friend', 'the teacher']
const DOES = ['wants to reserve', 'has lost', 'is looking for', 'would like to buy', 'will send']
const WHAT = [
  'a table for two',
  'the key of the house',
  'a ticket to the city',
  'the red book',
  'a room with a view',
]
const WHEN = ['tomorrow morning', 'on monday']

/** Time of each sentence, one after the other, by installed pair. Sentences of either language are suitable: only time counts. */
export async function benchTranslation(
  settings: Parameters<typeof Apertium.create>[0],
): Promise<TranslationRow[]> {
  const engine = await Apertium.create(settings, systemClock)
  try {
    const rows: TranslationRow[] = []
    for (const [from, to] of PAIRS)
      if (engine.targets(from).includes(to)) rows.push(await measure(engine, from, to))
    return rows
  } finally {
    await engine.close()
  }
}

async function measure(engine: Apertium, from: LanguageId, to: LanguageId): Promise<TranslationRow> {
  const times: number[] = []
  for (let n = 0; n <= SENTENCES; n++) {
    const begin = performance.now()
    await engine.translate(sentence(n), from, to)
    times.push(performance.now() - begin)
  }
  const [first = Number.NaN, ...warm] = times
  const sorted = warm.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { pair: `${from} → ${to}`, sentences: SENTENCES, first, p50: at(0.5), p95: at(0.95), max: at(1) }
}

function sentence(n: number): string {
  const pick = (list: readonly string[], divisor: number) => list[Math.floor(n / divisor) % list.length]!
  return `${pick(WHO, 1)} ${pick(DOES, 5)} ${pick(WHAT, 25)} ${pick(WHEN, 125)}`
}
