import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENV, PACK_MS, PROJECT, packed, run } from '../support/e2e/packed.ts'
import { DECORATED, HOST_TYPES } from './host-consumer.ts'

/** The oldest Fastify that the plugins support, and the one that they are developed with. */
const FASTIFY = { floor: 'fastify-floor', current: 'fastify' } as const
type Version = keyof typeof FASTIFY
const MODULES = join(PROJECT, 'node_modules')

let folder: string
const consumer = (version: string) => join(folder, version)

beforeAll(async () => {
  const { unpacked } = await packed()
  folder = mkdtempSync(join(tmpdir(), 'dragoman-consumers-'))
  for (const version of ['floor', 'current'] as const) install(unpacked, version, consumer(version), version)
  // npm does so if the host's version does not match, and for links.
  install(unpacked, 'floor', consumer('two-copies'), 'current')
}, PACK_MS)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * An empty folder in which the package was installed as by npm: without the optional peers, and without the network.
 * `nested`: the Fastify that the package itself finds.
 */
function install(unpacked: string, host: Version, at: string, nested: Version): void {
  const modules = join(at, 'node_modules')
  const target = join(modules, 'dragoman')
  mkdirSync(modules, { recursive: true })
  // A copy, not a link: modules are resolved from their real location.
  cpSync(unpacked, target, { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of [...Object.keys(dependencies), '@types/node', '@types/ws'])
    link(join(MODULES, name), join(modules, name))
  link(join(MODULES, FASTIFY[host]), join(modules, 'fastify'))
  if (nested !== host) link(join(MODULES, FASTIFY[nested]), join(target, 'node_modules/fastify'))
  writeFileSync(join(at, 'package.json'), '{ "name": "host", "private": true, "type": "module" }')
}

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  if (!existsSync(to)) symlinkSync(from, to)
}

interface Found {
  readonly version: string
  readonly results: readonly Record<string, unknown>[]
  readonly wrong: { code: string; message: string }
  readonly discord: { code: string; message: string }
}

describe('the packed tarball in another program', () => {
  it.each([
    ['floor', '5.0.0'],
    ['current', JSON.parse(readFileSync(join(MODULES, 'fastify/package.json'), 'utf8')).version as string],
  ] as const)(
    'runs in Fastify %s (%s): below prefixes, with its own sockets and pages',
    async (name, version) => {
      const at = consumer(name)
      cpSync(join(PROJECT, 'test/package/host.mjs'), join(at, 'host.mjs'))
      const { stdout, stderr } = await run(process.execPath, ['host.mjs'], {
        cwd: at,
        env: ENV,
        timeout: 60_000,
      })
      const found = JSON.parse(stdout) as Found
      expect(found.version).toBe(version)
      expect(found.results).toHaveLength(9)
      for (const each of found.results)
        expect(each, stderr).toMatchObject({ complaints: 0, heard: true, dead: [], root: 'mine' })
      expect(found.wrong).toMatchObject({ code: 'CONFIG' })
      expect(found.wrong.message).toMatch(/invite must be a function.*did you mean publicUrl\?/)
      // The optional peers are missing and are not required.
      expect(found.discord).toMatchObject({ code: 'NOT_INSTALLED' })
      expect(found.discord.message).toContain('npm install discord.js@14 @discordjs/voice@0.19')
    },
    60_000,
  )

  it.each([
    // Each version, and each kind of resolution, once.
    ['floor', 'bundler', 'esnext'],
    ['current', 'node16', 'node16'],
    ['two-copies', 'nodenext', 'nodenext'],
  ] as const)(
    'compiles strictly with Fastify %s and module resolution %s, its own types checked as well',
    async (name, moduleResolution, module) => {
      const at = consumer(name)
      writeFileSync(join(at, 'host.ts'), HOST_TYPES)
      writeFileSync(join(at, 'decorated.ts'), DECORATED)
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2024', lib: ['es2024', 'esnext.disposable'] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ noEmit: true, skipLibCheck: false, types: ['node'] },
      }
      // Decorations of one copy are not visible in the other.
      const files = name === 'two-copies' ? ['host.ts'] : ['host.ts', 'decorated.ts']
      const settings = `tsconfig.${moduleResolution}.json`
      writeFileSync(join(at, settings), JSON.stringify({ compilerOptions, files }))
      const tsc = join(MODULES, '.bin/tsc')
      const { stdout } = await run(tsc, ['--project', settings, '--checkers', '1'], {
        cwd: at,
        env: ENV,
      }).catch(error => error)
      expect(stdout).toBe('')
    },
    60_000,
  )
})
