#!/usr/bin/env node
// Runs the tests. Many of them measure the arrival of audio in real time. While other programs keep every processor
// busy, they run two files at a time, and the files that failed run once more at the end, one after another: only a
// failure there counts. Otherwise every failure is final.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseCLI, startVitest } from 'vitest/node'
import { ClosingLine, closingLine } from '../test/support/vitest/closing-line.ts'
import { DearestFiles } from '../test/support/vitest/dearest-files.ts'

/** More failed files than this are not a matter of timing. */
const MAX_REPEATED_FILES = 25
/** Files in the list of `--dearest`. */
const LISTED_FILES = 40
/** Compiled code of modules (vitest.config.ts). Every run adds that of the test files, and of programs in new folders. */
const COMPILED = new URL('../node_modules/.cache/node', import.meta.url)
const MAX_COMPILED_FILES = 50_000

// The words of `vitest run`: files, and options; and `--dearest` of `npm run test:cost`.
const words = process.argv.slice(2)
const measures = words.includes('--dearest') ? [new DearestFiles(LISTED_FILES)] : []
const { filter, options } = parseCLI(['vitest', 'run', ...words.filter(word => word !== '--dearest')])
limitCompiled()
const wasBusy = await isBusy()
const first = await run(filter, wasBusy ? 2 : undefined)
const { failedFiles } = first
let { passed, failed, skipped } = first
if (failedFiles.length > 0 && failedFiles.length <= MAX_REPEATED_FILES && (wasBusy || (await isBusy()))) {
  console.log(
    `\nProcessors were busy: ${failedFiles.length} file(s) with failures run again, one at a time.\n`,
  )
  process.exitCode = 0
  const again = await run(failedFiles, 1)
  for (const file of failedFiles) console.log(`repeated for lack of CPU: ${file}`)
  passed += failed - again.failed
  failed = again.failed
}
console.log(closingLine({ passed, failed, skipped }))
process.exit(failed > 0 ? 1 : Number(process.exitCode ?? 0))

/** Runs the files that match `wanted`, all without any. Returns the counts of tests, and the files with failures. */
async function run(wanted, maxWorkers) {
  // Its last line is printed below, once for both rounds.
  const closing = new ClosingLine(line => {
    if (line.startsWith('repeated')) console.log(line)
  })
  const vitest = await startVitest('test', wanted, {
    ...options,
    watch: false,
    reporters: ['default', ...measures, closing],
    ...(maxWorkers === undefined ? {} : { maxWorkers }),
  })
  await vitest.close()
  return closing.counts
}

/** Empties the folder of compiled code if it has become large. */
function limitCompiled() {
  try {
    if (readdirSync(COMPILED, { recursive: true }).length > MAX_COMPILED_FILES)
      rmSync(COMPILED, { recursive: true, force: true })
  } catch {
    // There is none in the first run.
  }
}

/** True if other programs keep every processor busy: as many tasks as processors run, beside this one. */
async function isBusy() {
  const samples = []
  for (let n = 0; n < 20; n++) {
    samples.push(runningTasks())
    await sleep(25)
  }
  samples.sort((a, b) => a - b)
  return samples[10] > availableParallelism()
}

/** Tasks that run or wait for a processor, this one included; 1 where the system does not tell. */
function runningTasks() {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 1)
  } catch {
    return 1
  }
}
