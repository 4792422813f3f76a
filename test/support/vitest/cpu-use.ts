import { afterAll, beforeEach, type TaskMeta } from 'vitest'
import { type CpuTime, cpuTime } from './cpu-time.ts'

/** Set-up of every test file: measures its CPU time, for the list of the dearest files (dearest-files.ts). */
declare module 'vitest' {
  interface TaskMeta {
    cpu?: CpuTime
  }
}

/** Files of the project `shared process` follow one another in a process; this module is loaded for each of them. */

const COUNTED = Symbol.for('dragoman.cpu-use')
const shared = globalThis as { [COUNTED]?: CpuTime }
let meta: TaskMeta | undefined

beforeEach(({ task }) => {
  meta = task.file.meta
})

// The first one that is registered runs last.
afterAll(() => {
  const before = shared[COUNTED] ?? { own: 0, started: 0 }
  const now = cpuTime()
  shared[COUNTED] = now
  if (meta) meta.cpu = { own: now.own - before.own, started: now.started - before.started }
})
