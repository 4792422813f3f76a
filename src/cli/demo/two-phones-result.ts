import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SimulatedCall } from '../../simulator/index.ts'
import { type LagPoint, lagPlot } from '../../simulator/lag-plot.ts'
import { LINE_RATE } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import { CALLEE, type Line } from './dialogue.ts'
import type { Minutes } from './minutes.ts'
import { laidOut, type Said, stereoWav } from './stereo.ts'

export interface Phones {
  readonly caller: SimulatedCall
  readonly callee: SimulatedCall
}

/** What the demonstration came to, for scripts (`--json`). */
export interface TwoPhonesResult {
  readonly captions: Minutes['said']
  readonly latencyMs: { readonly p50: number; readonly max: number } | undefined
  /** Languages whose words are the script's, as no engine here recognises them. */
  readonly scripted: readonly string[]
  readonly gaps: number
  readonly warnings: readonly string[]
  readonly files: readonly string[]
  readonly ok: boolean
}

/** Writes both sides, the transcript and the plot into `folder`, which is there; returns their paths. */
export async function write(
  phones: Phones,
  said: Readonly<Record<Line['by'], readonly Said[]>>,
  minutes: Minutes,
  folder: string,
): Promise<string[]> {
  const files: [name: string, content: string | Uint8Array][] = [
    ['transcript.txt', minutes.text],
    ['transcript.json', `${JSON.stringify(minutes.said, undefined, 2)}\n`],
    ['lag.svg', lagPlot(seriesOf(minutes), { title: 'How late translations were heard', axis: 'seconds' })],
  ]
  for (const side of ['caller', 'callee'] as const) {
    const heard = phones[side].heard()
    const own = laidOut(said[side], phones[side].startedAt, heard.length, LINE_RATE)
    files.push([`${side}.wav`, stereoWav(own, heard, LINE_RATE)])
  }
  const written: string[] = []
  for (const [name, content] of files) {
    const path = join(folder, name)
    await writeFile(path, content)
    written.push(path)
  }
  return written
}

function seriesOf({ lag }: Minutes): { name: string; points: readonly LagPoint[] }[] {
  return Array.from(lag, ([language, points]) => ({ name: `heard in ${language}`, points }))
}

/** What came of `lines` that were said, as scripts read it. */
export function resultOf(
  { caller, callee }: Phones,
  minutes: Minutes,
  files: readonly string[],
  lines: number,
): TwoPhonesResult {
  const reports = [caller.report(), callee.report()]
  const warnings = reports.flatMap(({ warnings, errors }) =>
    [...warnings, ...errors].map(({ code }) => String(code)),
  )
  const latencies = minutes.latenciesMs
  const p50 = latencies[latencies.length >> 1]
  const both = new Set(minutes.said.map(({ from }) => from)).size === 2
  return {
    captions: minutes.said,
    latencyMs:
      p50 === undefined ? undefined : { p50: Math.round(p50), max: Math.round(latencies.at(-1) ?? p50) },
    scripted: [CALLEE.language],
    gaps: reports.reduce((sum, { gapCount }) => sum + gapCount, 0),
    warnings,
    files,
    ok: both && minutes.heard >= lines && warnings.length === 0,
  }
}

/** For people. */
export function report(
  { captions, latencyMs, gaps, warnings, files, ok }: TwoPhonesResult,
  terminal: Terminal,
): void {
  terminal.line()
  terminal.line(`${captions.length} utterances translated and heard, ${gaps} gaps`)
  if (latencyMs)
    terminal.line(
      `end of speech → first translated frame: p50 ${(latencyMs.p50 / 1000).toFixed(2)} s, most ${(latencyMs.max / 1000).toFixed(2)} s`,
    )
  if (warnings.length > 0) terminal.line(`protocol warnings ${warnings.join(' ')}`)
  terminal.line('Written, in the WAV files left what they said and right what they heard:')
  for (const file of files) terminal.line(`  ${file}`)
  if (!ok)
    terminal.line('FAILED: not everything was translated and heard; `dragoman doctor` says what is missing.')
}
