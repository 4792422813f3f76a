import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from '../support/sources/source-text.ts'

const ROOT = new URL('../../', import.meta.url)
/** Start programs, threads and browsers. */
const SLOW_MODULES = ['node:child_process', 'node:worker_threads', 'playwright-core']
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/** The slow modules that `path` loads, itself or by other files of the tests, each with the file that imports it. */
function slowImports(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || !existsSync(new URL(path, ROOT))) return []
  seen.add(path)
  return importsOf(read(path)).flatMap(name => {
    if (SLOW_MODULES.includes(name)) return [`${path} imports ${name}`]
    if (!name.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), name)
    return target.startsWith('test/') ? slowImports(target, seen) : []
  })
}

const tests = readdirSync(new URL('test', ROOT), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => `test/${name}`)

test('fast tests start no program, thread or browser', () => {
  const fast = tests.filter(path => !path.endsWith('.slow.test.ts') && !path.startsWith('test/smoke/'))
  expect(fast.length).toBeGreaterThan(400)
  expect(fast.flatMap(path => slowImports(path).map(fault => `${path}: ${fault}`))).toEqual([])
})

/** `pause` of the tests' support, and Node's timers as promises. */
const PAUSE =
  /^import \{[^}]*\b(?:pause\b[^}]*\} from '[./]+\/support\/until\.ts|setTimeout\b[^}]*\} from 'node:timers\/promises)'/m

test('fast tests advance a clock or wait for events, never for real time', () => {
  const fast = tests.filter(path => !path.endsWith('.slow.test.ts'))
  expect(fast.filter(path => PAUSE.test(read(path)))).toEqual([])
})
