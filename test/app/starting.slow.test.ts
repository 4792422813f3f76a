import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Shell } from '../support/shell.ts'
import { until } from '../support/until.ts'

/** Startup time on a busy machine (ms). */
const PATIENCE_MS = 60_000

let shell: Shell
beforeEach(async () => {
  shell = await Shell.open()
})
afterEach(() => shell[Symbol.asyncDispose]())

/** Id of the first child process of `pid`. */
function childOf(pid: number): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10) || undefined
}

/** Returns true if the process runs, and is not a zombie. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/\) [ZX] /.test(stat)
}

test.each([
  ['serve', 'SIGTERM', 143],
  ['serve', 'SIGINT', 130],
  ['service', 'SIGTERM', 143],
] as const)(
  '%s that gets %s during startup ends at once, with the processes that it started',
  async (name, signal, code) => {
    const command = shell.start(name, '--port', '0')
    const child = await until(() => childOf(command.pid), PATIENCE_MS, 'a service process')
    expect(command.out).toBe('')
    expect(await command.end(signal)).toBe(code)
    await expect.poll(() => runs(child), { timeout: PATIENCE_MS }).toBe(false)
    expect(`${command.out}${command.err}`).not.toMatch(/^\s+at /m)
  },
  PATIENCE_MS * 2,
)

test.each([
  [
    { DRAGOMAN_SERVICE_URL: 'http://127.0.0.1:9' },
    /WARNING: nothing answers at service\.url, http:\/\/127\.0\.0\.1:9: /,
  ],
])(
  'serve reports the problem with the service of %j, and starts anyway',
  async (settings, warning) => {
    const serving = shell.startWith(settings, 'serve', '--port', '0')
    const [, address = ''] = await serving.says(/on the line at (\S+)/)
    await serving.says(warning)
    expect((await fetch(`${address}/health`)).status).toBe(200)
    expect(await serving.end('SIGTERM')).toBe(0)
  },
  PATIENCE_MS,
)

/** Writes the address of every module that is loaded to `loaded.txt` in the working directory. */
const RECORDER = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    appendFileSync('loaded.txt', url + '\\n')
    return next(url, context)
  },
})`

test(
  'serve loads no module of the simulator',
  async () => {
    const recorder = `--import=data:text/javascript,${encodeURIComponent(RECORDER)}`
    const serving = shell.startWith({ NODE_OPTIONS: recorder }, 'serve', '--port', '0')
    await serving.says(/on the line at (\S+)/)
    expect(await serving.end('SIGTERM')).toBe(0)
    const loaded = (await readFile(join(shell.folder, 'loaded.txt'), 'utf8')).split('\n')
    expect(loaded).toContainEqual(expect.stringMatching(/\/app\/app\.ts$/))
    expect(loaded.filter(url => url.includes('/simulator/'))).toEqual([])
  },
  PATIENCE_MS,
)
