import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { programOf } from './proxy.ts'

const run = promisify(execFile)
const UNIT = new URL('../../../deploy/systemd/dragoman.service', import.meta.url).pathname
const there = test.skipIf(programOf('systemd-analyze') === undefined)

/** Maximum exposure of a well-protected unit: 0 is the minimum, 10 is the maximum (`systemd-analyze security`). */
const MOST_EXPOSURE = 2

let folder: string
let unit: string
const text = await readFile(UNIT, 'utf8')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-unit-'))
  unit = join(folder, 'dragoman.service')
  // The program is not installed on this machine.
  await writeFile(unit, text.replace('/usr/local/bin/dragoman', process.execPath))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

there('the unit passes the checks of systemd', async () => {
  const { stdout, stderr } = await run('systemd-analyze', [
    'verify',
    '--man=no',
    '--recursive-errors=no',
    unit,
  ])
  expect([stdout, stderr]).toEqual(['', ''])
  await writeFile(join(folder, 'broken.service'), text.replace('KillMode=mixed', 'KillMode=most'))
  const broken = await run('systemd-analyze', ['verify', '--man=no', join(folder, 'broken.service')]).catch(
    error => error,
  )
  expect(broken.stderr).toContain('Failed to parse kill mode')
})

there('the unit has a low exposure level', async () => {
  const args = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSURE * 10}`, unit]
  const { stdout } = await run('systemd-analyze', args)
  expect(Number(/exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(MOST_EXPOSURE)
})

test('calls have the configured time to end, and secrets are not in the unit', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThanOrEqual(loadConfig({ env: {} }).drain.seconds + 60)
  expect(value('KillMode')).toBe('mixed')
  expect(text).not.toMatch(/^MemoryDenyWriteExecute=yes/m)
  for (const [, name, file] of text.matchAll(/^Environment=DRAGOMAN_(\w+)=(.*)$/gm)) {
    if (name === 'HOST') continue
    expect(name).toMatch(/_FILE$/)
    expect(text).toContain(`LoadCredential=${file?.replace('%d/', '')}:`)
  }
})

test('S-6, S-11: keeps plain HTTP local, limits memory and processes, and always restarts', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  expect(text).toContain('\nEnvironment=DRAGOMAN_HOST=127.0.0.1\n')
  expect(value('MemoryMax')).toBe('75%')
  expect(Number(value('TasksMax'))).toBeGreaterThan(0)
  // An engine's process that runs out of memory does not end the calls.
  expect(value('OOMPolicy')).toBe('continue')
  expect([value('StartLimitIntervalSec'), value('Restart')]).toEqual(['0', 'always'])
  // It belongs to the unit, not to the service.
  expect(text.indexOf('StartLimitIntervalSec')).toBeLessThan(text.indexOf('[Service]'))
})
