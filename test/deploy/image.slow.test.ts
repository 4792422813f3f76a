import { execFile, spawn } from 'node:child_process'
import {
  chmod,
  copyFile,
  cp,
  glob,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEMORY_FLAGS } from '../../src/common/memory-flags.ts'
import { until } from '../support/until.ts'
import { copyOf, type Instruction, isInContext, PROJECT, type Stage, stages } from './image.ts'

/** Packages that set-up installs; the scripts have no types. */
const { missingParts } = (await import(new URL('../../scripts/setup/parts.mjs', import.meta.url).href)) as {
  missingParts(about: { systemRoot: string; forTests: boolean; project: string }): { packages: string[] }[]
}

const run = promisify(execFile)
/** An unprivileged user, if the tests are run by root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 1_000, gid: 1_000 } : {}
const STEP_MS = 300_000

/** Matches of `pattern` below `folder`. */
async function found(pattern: string, folder: string): Promise<string[]> {
  const paths: string[] = []
  for await (const path of glob(pattern, { cwd: folder })) paths.push(path)
  return paths.sort()
}

const all = await stages()
const stage = (name: string): Stage => {
  const found = all.find(each => each.name === name)
  if (!found) throw new Error(`no stage ${name}`)
  return found
}
const of = (name: string, instruction: string): string[] =>
  stage(name)
    .instructions.filter(each => each.name === instruction)
    .map(({ text }) => text)

describe('the Dockerfile', () => {
  test('copies files that exist and are in the context', async () => {
    for (const { instructions } of all)
      for (const each of instructions.filter(({ name }) => name === 'COPY')) {
        const { from, sources } = copyOf(each)
        if (from !== undefined) {
          expect(all.map(({ name }) => name)).toContain(from)
          continue
        }
        for (const source of sources) {
          const matches = await found(source, PROJECT)
          expect(matches, source).not.toEqual([])
          for (const path of matches) {
            // Of a folder at least something: recordings are included by their types.
            const inside = [path, ...(await found(`${path}/*`, PROJECT))]
            expect((await Promise.all(inside.map(isInContext))).some(Boolean), path).toBe(true)
          }
        }
      }
  })

  test('excludes settings, keys, recordings and repositories from the context', async () => {
    for (const path of [
      'dragoman.yaml',
      'dragoman.keys.json',
      '.env',
      '.git',
      'node_modules',
      'recordings-made',
      'deploy/compose/secrets',
      'dist',
      'test',
    ])
      expect(await isInContext(path), path).toBe(false)
    expect(await isInContext('src/main.ts')).toBe(true)
  })

  test('runs as an unprivileged user, with a health check and the time to drain', () => {
    for (const name of ['bridge', 'engines']) expect(of(name, 'USER').at(-1)).toBe('1000:1000')
    expect(of('bridge', 'HEALTHCHECK')[0]).toContain('CMD ["node", "/app/healthy.mjs"]')
    expect(of('bridge', 'STOPSIGNAL')).toEqual(['SIGTERM'])
    // Not in a shell, which would not forward the signal.
    for (const name of ['ENTRYPOINT', 'CMD']) expect(of('bridge', name)[0]).toMatch(/^\[.*\]$/)
  })

  test('runs on a supported Node, from an image of the Debian that has the engines', async () => {
    const text = await readFile(join(PROJECT, 'deploy/docker/Dockerfile'), 'utf8')
    const { engines } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'))
    const [, major] = /^ARG NODE_IMAGE=node:(\d+)[\d.]*-bookworm-slim$/m.exec(text) ?? []
    expect(engines.node).toBe(`>=${major}`)
    expect(all.map(({ from }) => from)).toEqual([...Array(3).fill(`$\{NODE_IMAGE}`), 'bridge'])
  })

  test('installs the packages that set-up installs', () => {
    const wanted = missingParts({ systemRoot: '/nowhere', forTests: false, project: '/nowhere' })
    const packages = wanted.flatMap(part => part.packages)
    const [line = ''] = of('engines', 'RUN')
    const [, installed = ''] = /--no-install-recommends ([^&]*)&&/.exec(line) ?? []
    expect(installed.trim().split(/\s+/)).toEqual([...new Set(packages)].sort())
  })
})

/** No container engine is available here: the steps of the image run in folders, and their result is started. */
describe('the result of the image’s steps', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'dragoman-image-'))
    await chmod(root, 0o755)
    for (const name of ['build', 'modules', 'bridge']) await perform(stage(name))
  }, STEP_MS)
  afterAll(() => rm(root, { recursive: true, force: true }))

  /** `WORKDIR`, `COPY` and the steps of npm and node, below the stage's own folder. */
  async function perform({ name, instructions }: Stage): Promise<void> {
    let at = join(root, name)
    for (const each of instructions) {
      if (each.name === 'WORKDIR') {
        at = join(root, name, each.text)
        await mkdir(at, { recursive: true })
      } else if (each.name === 'COPY') await copy(each, at)
      else if (each.name === 'RUN') await step(name, each.text, at)
    }
  }

  async function copy(instruction: Instruction, at: string): Promise<void> {
    const { from, sources, to } = copyOf(instruction)
    const base = from === undefined ? PROJECT : join(root, from)
    for (const source of sources)
      for await (const path of glob(source.replace(/^\//, ''), { cwd: base })) {
        const many = sources.length > 1 || source.includes('*') || to.endsWith('/')
        const target = many ? join(at, to, path.slice(path.lastIndexOf('/') + 1)) : join(at, to)
        await mkdir(dirname(target), { recursive: true })
        // No other stage uses it, and it can be large.
        if (from !== undefined) await rename(join(base, path), target)
        const filter = (file: string) => file === join(base, path) || isInContext(file.slice(base.length))
        if (from === undefined) await cp(join(base, path), target, { recursive: true, filter })
      }
  }

  async function step(stage: string, command: string, at: string): Promise<void> {
    // Set-up has installed what this would install: packages for the compiler alone.
    if (stage === 'build' && command.startsWith('npm ci'))
      return symlink(join(PROJECT, 'node_modules'), join(at, 'node_modules'))
    if (command.startsWith('node ')) await run('sh', ['-c', command], { cwd: at, timeout: STEP_MS })
    if (!command.startsWith('npm ci')) return
    const [install = ''] = command.split('&&')
    const env = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^npm_(config_local_prefix|package|lifecycle)/.test(name),
      ),
    )
    await run('sh', ['-c', `${install} --prefer-offline`], { cwd: at, env, timeout: STEP_MS })
  }

  test('has the libraries of all channels, and no development packages', async () => {
    const { devDependencies, peerDependencies } = JSON.parse(
      await readFile(join(PROJECT, 'package.json'), 'utf8'),
    ) as Record<string, Record<string, string>>
    const there = new Set(await found('{@*/*,[!.@]*}', join(root, 'bridge/app/node_modules')))
    expect(Object.keys(peerDependencies ?? {}).filter(name => !there.has(name))).toEqual([])
    const own = Object.keys(devDependencies ?? {}).filter(name => !(name in (peerDependencies ?? {})))
    // Dependencies of runtime packages.
    const runs = ['@types/node', '@types/ws', 'ajv']
    expect(own.filter(name => there.has(name) && !runs.includes(name))).toEqual([])
  })

  test('starts in an empty folder as an unprivileged user, is healthy, and ends on request', async () => {
    const data = await mkdtemp(join(tmpdir(), 'dragoman-data-'))
    await chmod(data, 0o777)
    const app = join(root, 'bridge/app')
    // The project's folder can be closed to others.
    const ownNode = join(root, 'node')
    await copyFile(process.execPath, ownNode)
    await chmod(ownNode, 0o755)
    const inImage = (text: string) => text.replaceAll('/app/', `${app}/`)
    const [node = '', ...args] = JSON.parse(inImage(of('bridge', 'ENTRYPOINT')[0] ?? '[]')) as string[]
    const env = {
      ...{ PATH: process.env.PATH, HOME: data, NODE_ENV: 'production', DRAGOMAN_HOST: '0.0.0.0' },
      // No engines in this one: the service is elsewhere.
      ...{
        DRAGOMAN_SERVICE_URL: 'http://127.0.0.1:9',
        DRAGOMAN_SERVICE_API_KEY: 'a-key',
        DRAGOMAN_PORT: '0',
      },
    }
    const child = spawn(
      node === 'node' ? ownNode : node,
      [...args, ...(JSON.parse(of('bridge', 'CMD')[0] ?? '[]') as string[])],
      {
        ...NOBODY,
        ...{ cwd: data, env, stdio: ['ignore', 'pipe', 'pipe'] },
      },
    )
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += chunk))
    const ended = new Promise(resolve => child.once('exit', resolve))
    try {
      const port = await until(
        () => {
          if (child.exitCode !== null) throw new Error(said)
          return /on the line at http:\/\/\S+:(\d+)/.exec(said)?.[1]
        },
        30_000,
        'the start',
      )
      const healthy = (settings: Record<string, string>, cwd = '/') =>
        run(process.execPath, [join(app, 'healthy.mjs')], { env: settings, cwd }).then(
          () => true,
          () => false,
        )
      const file = join(data, 'dragoman.yaml')
      await writeFile(file, `host: 0.0.0.0\nport: ${port}\n`)
      expect(await healthy({ DRAGOMAN_PORT: port })).toBe(true)
      expect(await healthy({ DRAGOMAN_CONFIG: file })).toBe(true)
      // What Kubernetes sets for a Service named dragoman.
      expect(await healthy({ DRAGOMAN_PORT: 'tcp://10.0.0.1:80' }, data)).toBe(true)
      expect(await healthy({ DRAGOMAN_PORT: '9' }, data)).toBe(false)
      expect(await healthy({ HEALTH_URL: `http://127.0.0.1:${port}/live`, DRAGOMAN_PORT: '9' })).toBe(true)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended, said).toBe(0)
    expect(said).not.toContain('EACCES')
    expect(args).toEqual(expect.arrayContaining([...MEMORY_FLAGS]))
    await rm(data, { recursive: true, force: true })
  })

  test('contains no compiler, no tests and no secrets', async () => {
    const files = await found('*', join(root, 'bridge/app'))
    expect(files.sort()).toEqual([
      'LICENSE',
      'dist',
      'dragoman.example.yaml',
      'healthy.mjs',
      'node_modules',
      'package.json',
      'recordings',
    ])
    const modules = await found('*', join(root, 'bridge/app/node_modules'))
    expect(modules).toEqual(expect.arrayContaining(['fastify', 'pino']))
    for (const name of ['typescript', 'vitest', 'node', 'ajv-draft-04']) expect(modules).not.toContain(name)
  })
})
