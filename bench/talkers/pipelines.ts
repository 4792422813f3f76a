import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Memory of the translation processes of this machine, shared pages counted once (MB). */
export function pipelineMb(): number {
  const pids = execFileSync('ps', ['-A', '-o', 'pid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => /lt-proc|apertium|lrx-proc/.test(line))
    .map(line => Number(line.trim().split(/\s+/)[0]))
  const kb = pids.map(pid => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
    } catch {
      return 0 // it has just ended
    }
  })
  return kb.reduce((sum, each) => sum + each, 0) / 1024
}
