import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'
import { programOf } from './proxy.ts'

const run = promisify(execFile)
const UNIT = new URL('../../deploy/systemd/dragoman.service', import.meta.url).pathname
const there = test.skipIf(programOf('systemd-analyze') === undefined)

/** Maximum exposure of a well-protected unit: 0 is the minimum, 10 is the maximum (`systemd-analyze security`). */
const MOST_EXPOSURE = 2

let folder: string
let unit: string
const text = await readFile(UNIT, 'utf8')
const template = await readFile(UNIT.replace('.service', '@.service'), 'utf8')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-unit-'))
  unit = join(folder, 'dragoman.service')
  await writeFile(unit, text)
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

test('keeps plain HTTP local, limits memory and processes, and always restarts', () => {
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

describe('the template of nodes', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(template)?.[1]

  there('passes the checks of systemd, with a low exposure level', async () => {
    const path = join(folder, 'dragoman@.service')
    await writeFile(path, template)
    const { stdout, stderr } = await run('systemd-analyze', [
      'verify',
      '--man=no',
      '--recursive-errors=no',
      path,
    ])
    expect([stdout, stderr]).toEqual(['', ''])
    const instance = join(folder, 'dragoman@8081.service')
    await writeFile(instance, template)
    const args = ['security', '--offline=true', '--no-pager', instance]
    const level = await run('systemd-analyze', args)
    expect(Number(/exposure level[^:]*: ([\d.]+)/.exec(level.stdout)?.[1])).toBeLessThan(MOST_EXPOSURE)
  })

  test('gives each node its name, port and folder, and valid settings', () => {
    const environment = Object.fromEntries(
      Array.from(template.matchAll(/^Environment=(DRAGOMAN_\w+)=(.*)$/gm), ([, name = '', text = '']) =>
        name.endsWith('_FILE')
          ? [name.slice(0, -5), '0123456789abcdef0123456789abcdef']
          : [name, text.replace('%i', '8081')],
      ),
    )
    const overrides = {
      ...{ publicUrl: 'https://bridge.example.com', trustProxy: ['loopback'], drain: { seconds: 0 } },
      fleet: { key: 'a key for tests only', nats: { servers: ['127.0.0.1:4222'] } },
    }
    const config = loadConfig({ env: environment, overrides, starts: 'bridge' })
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8081, fleet: { node: '8081' } })
    expect([value('StateDirectory'), value('WorkingDirectory')]).toEqual(['dragoman-%i', '%S/dragoman-%i'])
    for (const [, name, file] of template.matchAll(/^Environment=DRAGOMAN_(\w+)_FILE=(.*)$/gm))
      expect(template, name).toContain(`LoadCredential=${file?.replace('%d/', '')}:`)
  })

  test('differs from the unit of a single server only where nodes differ', () => {
    const settings = (unit: string) =>
      unit
        .split('\n')
        .filter(line => /^\w+=/.test(line) && !/^(Description|After|Environment|LoadCredential)=/.test(line))
    const differs = ['StateDirectory', 'WorkingDirectory', 'TimeoutStopSec', 'MemoryMax']
    const others = settings(text).filter(line => !differs.includes(line.split('=')[0] ?? ''))
    expect(settings(template)).toEqual(expect.arrayContaining(others))
    expect(settings(template)).toHaveLength(settings(text).length)
  })
})
