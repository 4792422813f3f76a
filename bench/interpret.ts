import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { CommitMode } from '../src/service/engines/interpret/clause-committer.ts'
import { type Figures, figuresOf, instanceOf } from './interpret/figures.ts'
import { playInstalled } from './interpret/installed.ts'
import { script } from './interpret/material.ts'
import { apertiumQuality, guardedFigures } from './interpret/quality.ts'
import { HABITS } from './interpret/scripted-engines.ts'
import { simulate } from './interpret/simulate.ts'
import { table } from './table.ts'

const HEAD = [
  ...['recognizer', 'talk %', 'mode', 'span p50 s', 'p90 s', 'StreamLAAL s', 'LongYAAL s', 'bridge adds s'],
  ...['lag slope s/min', 'spoken erasure %', 'caption erasure %', 'longest gap s', 'overlap %', 'unspoken %'],
]
const MODES = ['utterance', 'sentence', 'clause'] as const satisfies readonly CommitMode[]
const FIGURES = 300
/** Share of the time that the speaker talks. */
const SHARES = [0.7, 1] as const

/**
 * `npm run bench interpret -- --minutes 10`: how long after the speaker a listener hears the translation, with scripted
 * engines in simulated time, and what is lost by translating clauses. `--installed` also plays the bundled recordings to the
 * installed engines in real time; `--jsonl <file>` writes the words and their times as SimulEval does.
 */
export async function benchInterpret(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      minutes: { type: 'string', default: '10' },
      modes: { type: 'string', default: MODES.join() },
      jsonl: { type: 'string' },
      installed: { type: 'boolean', default: false },
    },
  })
  const modes = values.modes.split(',') as CommitMode[]
  const rows: (string | number)[][] = []
  const instances: object[] = []
  for (const share of SHARES)
    for (const habit of HABITS)
      for (const mode of modes) {
        const spoken = script('en', Number(values.minutes), share)
        const log = await simulate({ script: spoken, habit, service: { simultaneous: { mode } } })
        instances.push({ ...instanceOf(log, `${habit.name} ${share} ${mode}`), index: instances.length })
        rows.push([habit.name, share * 100, mode, ...cells(figuresOf(log))])
      }
  console.log(table(HEAD, rows))
  await printQuality(modes)
  if (values.installed) await printInstalled(modes)
  if (values.jsonl !== undefined)
    writeFileSync(values.jsonl, instances.map(each => `${JSON.stringify(each)}\n`).join(''))
}

async function printQuality(modes: readonly CommitMode[]): Promise<void> {
  const rows: (string | number)[][] = []
  for (const habit of HABITS) {
    const whole = await apertiumQuality('utterance', habit)
    if (whole === undefined) return
    for (const mode of modes) {
      const quality = (await apertiumQuality(mode, habit)) ?? Number.NaN
      rows.push([habit.name, mode, quality, (100 * quality) / whole])
    }
  }
  console.log(`\n${table(['recognizer', 'mode', 'chrF, Apertium en→es', '% of utterance'], rows)}`)
  const { kept, alarms } = guardedFigures(FIGURES)
  console.log(
    `\n${FIGURES} sentences with figures: ${kept} % of the corrupted ones marked, ${alarms} % of the others`,
  )
}

async function printInstalled(modes: readonly CommitMode[]): Promise<void> {
  const rows: (string | number)[][] = []
  for (const mode of modes) {
    const { spanP50, spanMost, first, last, translations } = await playInstalled(mode)
    rows.push([mode, spanP50, spanMost, first, last, translations.length])
  }
  const head = ['mode', 'span p50 s', 'most s', 'first sound s', 'after the end s', 'sentences']
  console.log(`\nInstalled engines, 25 s without a pause, in real time:\n\n${table(head, rows)}`)
}

function cells(figures: Figures): number[] {
  const { spanP50, spanP90, streamLaal, longYaal, bridge, lagSlope } = figures
  const { spokenErasure, captionErasure, longestGap, overlap, unspoken } = figures
  return [
    ...[spanP50, spanP90, streamLaal, longYaal, bridge, lagSlope],
    ...[spokenErasure, captionErasure, longestGap, overlap, unspoken],
  ]
}
