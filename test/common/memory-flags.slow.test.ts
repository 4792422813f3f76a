import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { canPin, pinned } from '../../bench/process.ts'
import { memoryFlags } from '../../src/common/node-options.ts'
import { MEMORY_FLAGS, MEMORY_FLAGS_HERE, MemoryProbe } from '../support/cli/memory-probe.ts'
import { until } from '../support/until.ts'

const PROJECT = new URL('../..', import.meta.url).pathname
const MAIN = join(PROJECT, 'src/main.ts')
const FLAGS = new URL('../../src/common/node-options.ts', import.meta.url).pathname
/** Startup time on a busy machine (ms). */
const PATIENCE_MS = 60_000

let folder: string
let probe: MemoryProbe
let env: Record<string, string>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-memory-'))
  probe = new MemoryProbe(join(folder, 'seen.txt'))
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(dragoman_|vitest|node_env$|node_options$|npm_)/i.test(name),
  )
  env = {
    ...(Object.fromEntries(own) as Record<string, string>),
    DRAGOMAN_SERVICE_URL: 'http://127.0.0.1:9',
    NODE_OPTIONS: probe.options,
  }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Started {
  readonly pid: number
  readonly code: number
  readonly out: string
}

/** Starts a server with `--port 0`, and sends it SIGTERM when it is ready. */
async function served(command: string, args: readonly string[], cwd = folder): Promise<Started> {
  const child = spawn(command, [...args, '--port', '0'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => (out += piece))
  const ended = once(child, 'close')
  try {
    await until(
      () => {
        if (child.exitCode !== null) throw new Error(out)
        return /Press Ctrl-C to stop/.test(out)
      },
      PATIENCE_MS,
      'the start',
    )
  } finally {
    // Not to npm, whose shell would not pass it on.
    process.kill(probe.of(/\/main\.ts$/).at(-1)?.pid ?? child.pid!, 'SIGTERM')
  }
  const [code] = (await ended) as [number | null]
  return { pid: child.pid!, code: code ?? -1, out }
}

const { execPath: node } = process

describe('the memory flags', { timeout: PATIENCE_MS * 2 }, () => {
  test.each([
    ['node src/main.ts', () => served(node, [MAIN, 'serve'])],
    ['npm start', () => served('npm', ['start', '--ignore-scripts', '--'], PROJECT)],
    [
      'npm run dragoman',
      () => served('npm', ['run', '--ignore-scripts', 'dragoman', '--', 'serve'], PROJECT),
    ],
  ])('apply to a server that was started with %s', async (_name, start) => {
    const { code, out } = await start()
    expect(code, out).toBe(0)
    expect(out).not.toContain('experimental feature')
    const starts = probe.of(/\/main\.ts$/)
    expect(starts.at(-1)).toMatchObject({ youngMb: MEMORY_FLAGS_HERE.youngMb })
    expect(new Set(starts.map(({ pid }) => pid)).size).toBe(1)
  })

  test('leave process id, arguments and environment unchanged, and SIGTERM drains', async () => {
    Object.assign(env, { ODD: ' a=b\nc "d" \u2192 ', EMPTY: '' })
    const { pid, code, out } = await served(node, ['--no-deprecation', MAIN, 'serve', '--host', '127.0.0.1'])
    expect(code, out).toBe(0)
    expect(out).toContain('Ending calls …')
    const [before, after, ...more] = probe.of(/\/main\.ts$/)
    expect(more).toEqual([])
    expect(before).toMatchObject({ pid, execArgv: ['--no-deprecation'] })
    expect(after).toEqual({
      ...before,
      execArgv: [...MEMORY_FLAGS_HERE.execArgv, '--no-deprecation'],
      youngMb: MEMORY_FLAGS_HERE.youngMb,
    })
    expect(after?.argv.slice(1)).toEqual([MAIN, 'serve', '--host', '127.0.0.1', '--port', '0'])
    expect(after?.env).toMatchObject({ ODD: ' a=b\nc "d" \u2192 ', EMPTY: '' })
  })

  test('depend on the number of processors', () => {
    expect(memoryFlags([], 1)).toEqual(MEMORY_FLAGS.one.execArgv)
    expect(memoryFlags([], 2)).toEqual(MEMORY_FLAGS.more.execArgv)
    expect(memoryFlags(['--max-semi-space-size=32'], 1)).toEqual([])
  })

  test.runIf(canPin())(
    'are those for one processor in a process that is confined to one, with an embedded service',
    async () => {
      delete env.DRAGOMAN_SERVICE_URL
      const [command = '', ...args] = pinned(0, [node, MAIN, 'serve'])
      const { code, out } = await served(command, args)
      expect(code, out).toBe(0)
      expect(probe.of(/\/main\.ts$/).at(-1)).toMatchObject(MEMORY_FLAGS.one)
      expect(probe.of(/\/child-main\.ts$/)).toMatchObject([{ youngMb: MEMORY_FLAGS.one.youngMb }])
    },
  )

  test.each([
    ['a flag', ['--max-semi-space-size=2'], ''],
    ['a flag with underscores', ['--max_semi_space_size=2'], ''],
    ['NODE_OPTIONS', [], ' --max-semi-space-size=2'],
  ])('yield to those of the operator: %s', async (_name, flags, options) => {
    env.NODE_OPTIONS += options
    await served(node, [...flags, MAIN, 'serve'])
    expect(probe.of(/\/main\.ts$/)).toMatchObject([{ execArgv: flags, youngMb: 4 }])
  })

  test('apply to the embedded service, in its own process and alone', async () => {
    delete env.DRAGOMAN_SERVICE_URL
    const { code, out } = await served(node, [MAIN, 'serve'])
    expect(code, out).toBe(0)
    expect(probe.of(/\/child-main\.ts$/)).toMatchObject([{ youngMb: MEMORY_FLAGS_HERE.youngMb }])
    await served(node, [MAIN, 'service'])
    expect(probe.of(/\/main\.ts$/).at(-1)).toMatchObject({ youngMb: MEMORY_FLAGS_HERE.youngMb })
    expect(probe.of(/\/main\.ts$/).at(-1)?.argv).toContain('service')
  })

  test('do not cost a program its IPC channel', async () => {
    const child = fork(MAIN, ['serve', '--port', '0'], { cwd: folder, env, execArgv: [], silent: true })
    let out = ''
    child.stdout?.on('data', piece => (out += piece))
    const ended = once(child, 'close')
    try {
      await until(() => /Press Ctrl-C to stop/.test(out), PATIENCE_MS, 'the start')
    } finally {
      child.kill('SIGTERM')
    }
    expect((await ended)[0]).toBe(0)
    expect(probe.of(/\/main\.ts$/)).toMatchObject([{ pid: child.pid, execArgv: [] }])
  })
})

describe('a program whose process cannot be replaced runs without the flags', () => {
  const run = async (command: string, args: readonly string[], script: string) => {
    const source = `import { applyMemoryFlags } from ${JSON.stringify(FLAGS)}\n${script}`
    const child = spawn(command, [...args, '--input-type=module', '--eval', source], {
      env: { PATH: env.PATH },
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => (out += piece))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, out }
  }
  const SAY = `applyMemoryFlags(); console.log('runs ' + process.execArgv.some(flag => flag.startsWith('--max-semi')))`

  test('because child processes are not permitted', async () => {
    const permitted = ['--permission', '--allow-fs-read=*']
    expect(await run(node, permitted, SAY)).toEqual({ code: 0, out: 'runs false\n' })
  })

  test('because Node was removed since', async () => {
    const copy = join(folder, 'node')
    await copyFile(node, copy)
    const removed = `import { rmSync } from 'node:fs'; rmSync(process.execPath); ${SAY}`
    expect(await run(copy, [], removed)).toEqual({ code: 0, out: 'runs false\n' })
  })

  test('because it is in a worker', async () => {
    const worker = `
      import { Worker } from 'node:worker_threads'
      const inside = 'import(' + ${JSON.stringify(JSON.stringify(FLAGS))} + ').then(({ applyMemoryFlags }) => {' + ${JSON.stringify(SAY)} + '})'
      new Worker(inside, { eval: true })`
    expect(await run(node, [], worker)).toEqual({ code: 0, out: 'runs false\n' })
  })
})
