import { fileURLToPath } from 'node:url'
import { alternate, type Row } from './alternate.ts'
import { table } from './table.ts'
import { mp3Rows } from './transcode-mp3.ts'
import { base64Candidates, frameCandidates, mulawCandidates, resampleCandidates } from './transcode-peers.ts'
import { speechCandidates } from './transcode-speech.ts'

export type { Row }

/** Part 1 of the bench: compares every primitive of `src/transcode` with the obvious alternatives. */
export async function benchTranscode(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, candidates] of [
    ...mulawCandidates(),
    ...base64Candidates(),
    ...resampleCandidates(),
    ...frameCandidates(),
    ...speechCandidates(),
  ])
    rows.push(...alternate(what, candidates))
  rows.push(...(await mp3Rows()))
  return rows
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = await benchTranscode()
  const head = ['what', 'candidate', 'value', 'unit', 'ratio']
  console.log(
    table(
      head,
      rows.map(row => [row.what, row.candidate, row.value, row.unit, row.ratio]),
    ),
  )
}
