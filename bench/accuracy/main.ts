/**
 * Accuracy and speed of the embedded engines, as tables in Markdown: word error rate of the recognizer on the bundled
 * recordings, latency of the translation. `--json` prints the rows instead.
 */
import { serviceSettings } from '../../src/service/server/settings.ts'
import { machine } from '../machine.ts'
import { figure, table } from '../table.ts'
import { benchRecognition } from './recognition.ts'
import { benchTranslation } from './translation.ts'

const { engines, maxSessions } = serviceSettings({ apiKeys: ['unused'] })
const where = machine()
const recognition = await benchRecognition({ ...engines.pocketsphinx, decoders: maxSessions })
const translation = await benchTranslation(engines.apertium)

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ machine: where, recognition, translation }, null, 2))
} else {
  console.log(`${where.cpu}, ${where.cores} cores, Node ${where.node}, load ${where.load}\n`)
  console.log(
    table(
      ['speech', 'line', 'words', 'word errors', 'CPU s per s of audio'],
      recognition.map(row => [row.what, row.line, String(row.words), `${figure(row.wer)} %`, row.load]),
    ),
  )
  console.log()
  console.log(
    table(
      ['translation', 'sentences', 'first (ms)', 'p50', 'p95', 'max'],
      translation.map(row => [row.pair, String(row.sentences), row.first, row.p50, row.p95, row.max]),
    ),
  )
}
process.exit()
