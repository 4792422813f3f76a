import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const run = promisify(execFile)

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dragoman-home-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Runs `dragoman --version` in a folder of its own, with this environment alone. Returns its output. */
async function version(env: Record<string, string>): Promise<string> {
  const { stdout } = await run(process.execPath, [MAIN, '--version'], { cwd: home, env, timeout: 60_000 })
  return stdout.trim()
}

describe('compiled code', () => {
  test('is kept in the home folder of the user, where nobody else can write', async () => {
    expect(await version({ HOME: home })).toMatch(/^\d/)
    const folder = join(home, '.cache/dragoman/compiled')
    expect((await readdir(folder, { recursive: true })).length).toBeGreaterThan(10)
    expect((await stat(folder)).mode & 0o022).toBe(0)
    expect(await readdir(home)).toEqual(['.cache'])
  })

  test.each([
    ['in the folder for such files, if there is one', { XDG_CACHE_HOME: 'HOME/elsewhere' }, ['elsewhere']],
    ['not in a folder whose path is relative', { XDG_CACHE_HOME: 'elsewhere' }, ['.cache']],
    ['where NODE_COMPILE_CACHE says', { NODE_COMPILE_CACHE: 'HOME/own' }, ['own']],
    ['not at all with NODE_DISABLE_COMPILE_CACHE', { NODE_DISABLE_COMPILE_CACHE: '1' }, []],
  ])('is kept %s', async (_name, more, expected) => {
    const env = Object.entries(more).map(([name, value]) => [name, value.replace('HOME', home)])
    expect(await version({ HOME: home, ...Object.fromEntries(env) })).toMatch(/^\d/)
    expect(await readdir(home)).toEqual(expected)
  })

  test('is not kept without a folder for it', async () => {
    expect(await version({ HOME: '/dev/null' })).toMatch(/^\d/)
  })
})
