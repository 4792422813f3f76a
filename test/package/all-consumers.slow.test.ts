import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENV, PACK_MS, type Packed, PROJECT, packed, run } from '../support/e2e/packed.ts'
import { DECORATED, HOST_TYPES } from './host-consumer.ts'

const INSTALL_MS = 300_000

let about: Packed
const folders: string[] = []

beforeAll(async () => {
  about = await packed()
}, PACK_MS)

afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

/** The same as `consumers.test.ts`, with npm's own installation of the tarball and each of these hosts. */
it.each([
  ['5.0.0', '11.0.0'],
  ['5.3.0', '11.0.0'],
  ['5', '11'],
])(
  'installs with fastify@%s and @fastify/websocket@%s, runs, and compiles',
  async (fastify, websocket) => {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-host-'))
    folders.push(folder)
    await writeFile(join(folder, 'package.json'), '{ "name": "host", "private": true, "type": "module" }')
    const packages = [
      about.tarball,
      `fastify@${fastify}`,
      `@fastify/websocket@${websocket}`,
      '@types/node@24',
      '@types/ws@8',
    ]
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
      ...{ cwd: folder, env: ENV, timeout: INSTALL_MS },
    })
    const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
    const copies = Object.keys(lock.packages).filter(path => path.endsWith('node_modules/fastify'))
    expect(copies).toEqual(['node_modules/fastify'])

    await copyFile(join(PROJECT, 'test/package/host.mjs'), join(folder, 'host.mjs'))
    const { stdout } = await run(process.execPath, ['host.mjs'], { cwd: folder, env: ENV, timeout: 60_000 })
    const { results } = JSON.parse(stdout) as { results: object[] }
    expect(results).toHaveLength(9)
    for (const each of results)
      expect(each).toMatchObject({ complaints: 0, heard: true, dead: [], root: 'mine' })

    await writeFile(join(folder, 'host.ts'), HOST_TYPES)
    await writeFile(join(folder, 'decorated.ts'), DECORATED)
    for (const [moduleResolution, module] of [
      ['node16', 'node16'],
      ['nodenext', 'nodenext'],
      ['bundler', 'esnext'],
    ]) {
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2024', lib: ['es2024', 'esnext.disposable'] },
        ...{ strict: true, noEmit: true, skipLibCheck: false, types: ['node'] },
      }
      const files = ['host.ts', 'decorated.ts']
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
      const tsc = join(PROJECT, 'node_modules/.bin/tsc')
      const { stdout: faults } = await run(tsc, ['--project', '.'], { cwd: folder, env: ENV }).catch(
        error => error,
      )
      expect(faults).toBe('')
    }
  },
  INSTALL_MS * 2,
)
