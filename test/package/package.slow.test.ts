import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MEMORY_FLAGS } from '../../src/common/memory-flags.ts'
import { ENV as env, PACK_MS, type Packed, PROJECT, packed, run } from '../support/e2e/packed.ts'
import { until } from '../support/until.ts'
import { JAVASCRIPT_CONSUMER, TYPESCRIPT_CONSUMER, typedConsumers } from './typed-consumers.ts'

/** Time for packing, and installing about 90 packages, possibly without a cache, on a busy machine. */
const INSTALL_MS = PACK_MS + 140_000
/** Time for one of its programs, which is then ended. */
const PROGRAM_MS = 140_000

const { exports, bin, devDependencies, peerDependenciesMeta } = JSON.parse(
  await readFile(join(PROJECT, 'package.json'), 'utf8'),
) as {
  exports: Record<string, string | { types: string; default: string }>
  bin: Record<string, string>
  devDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional: boolean }>
}
const optional = Object.keys(peerDependenciesMeta)
const entries = Object.keys(exports).filter(entry => entry !== './package.json')

let folder: string
let about: Packed
const installed = () => join(folder, 'node_modules/dragoman')
const install = (...packages: string[]) =>
  run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    ...{ cwd: folder, env, timeout: PROGRAM_MS },
  })

beforeAll(async () => {
  about = await packed()
  folder = await mkdtemp(join(tmpdir(), 'dragoman-package-'))
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await install(about.tarball)
}, INSTALL_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package', () => {
  it('contains only documented files', () => {
    const allowed =
      /^(dist\/.+\.(js|d\.ts|json|html|css|svg|wasm)|recordings\/[^/]+\.(wav|json|md)|simulator\/README\.md|docs\/([^/]+\/)*[^/]+\.(md|svg|png)|docs\/collection\/[^/]+\.json|(deploy|examples)\/.+|scripts\/setup(\.mjs|\/[^/]+\.mjs)|package\.json|dragoman\.example\.yaml|(README|CHANGELOG|SECURITY|CONTRIBUTING)\.md|LICENSE)$/
    const paths = about.files.map(file => file.path)
    expect(paths.filter(path => !allowed.test(path))).toEqual([])
    expect(
      paths.filter(path => /\.test\.|fixture|(?<!cli\/)conformance|(^|\/)\.|^bench|^dist\/bench/.test(path)),
    ).toEqual([])
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'dragoman.example.yaml']))
  })

  it('has a reasonable size', () => {
    expect(about.size).toBeGreaterThan(500_000) // the recordings
    expect(about.size).toBeLessThan(3_000_000)
    expect(about.unpackedSize).toBeLessThan(12_000_000)
  })

  it('contains no secrets and no address of a registry', async () => {
    const suspicious =
      /-----BEGIN [A-Z ]*PRIVATE KEY|\bAC[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b|\bgh[pousr]_\w{30,}|_authToken=|registry\.npmjs|\/root\/|\/home\/\w+\//
    for (const { path } of about.files) {
      if (path.endsWith('.wav')) continue
      expect(suspicious.exec(await readFile(join(installed(), path), 'utf8'))?.[0], path).toBeUndefined()
    }
  })

  it('has a command that runs', async () => {
    const { stdout } = await run(join(folder, 'node_modules/.bin/dragoman'), ['--help'], { cwd: folder, env })
    for (const command of ['serve', 'service', 'demo', 'call']) expect(stdout).toContain(command)
    expect(Object.keys(bin)).toEqual(['dragoman'])
  })

  it('has a server with the memory flags, whose SIGTERM drains', async () => {
    const child = spawn(join(folder, 'node_modules/.bin/dragoman'), ['serve', '--port', '0'], {
      ...{ cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
      env: { ...env, DRAGOMAN_SERVICE_URL: 'http://127.0.0.1:9' },
    })
    let out = ''
    child.stdout.on('data', piece => (out += piece))
    const ended = once(child, 'close')
    try {
      await until(() => /Press Ctrl-C to stop/.test(out), PROGRAM_MS, 'the start')
      expect(await readFile(`/proc/${child.pid}/cmdline`, 'utf8')).toContain(MEMORY_FLAGS.join('\0'))
    } finally {
      child.kill('SIGTERM')
    }
    expect((await ended)[0], out).toBe(0)
  })

  it('names its source', async () => {
    const { repository, homepage, bugs } = JSON.parse(
      await readFile(join(installed(), 'package.json'), 'utf8'),
    )
    const [, address = ''] = /^git\+(https:.*)\.git$/.exec(repository.url) ?? []
    expect([homepage, bugs]).toEqual([`${address}#readme`, `${address}/issues`])
  })

  it('links only to files that it contains, in every document, and its examples import it', async () => {
    const paths = new Set(about.files.map(file => file.path))
    const isThere = (path: string) => paths.has(path) || [...paths].some(each => each.startsWith(`${path}/`))
    const wrong: string[] = []
    for (const path of paths) {
      if (!/\.md$|^examples\/.*\.(ts|mjs)$/.test(path)) continue
      const text = await readFile(join(installed(), path), 'utf8')
      if (path.endsWith('.md')) {
        const visible = text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, '')
        for (const [, link = ''] of visible.matchAll(/\]\(<?([^)#\s>]+)[^)]*\)/g))
          if (
            !/^(https?|mailto):/.test(link) &&
            !isThere(normalize(join(dirname(path), link)).replace(/\/$/, ''))
          )
            wrong.push(`${path}: ${link}`)
      } else
        for (const [, from = ''] of text.matchAll(/ from '([^']+)'/g))
          if (from.startsWith('.') && !isThere(normalize(join(dirname(path), from))))
            wrong.push(`${path}: ${from}`)
    }
    expect(wrong).toEqual([])
  })

  it('names the packages that models need, before it downloads anything', async () => {
    const program = join(folder, 'node_modules/.bin/dragoman')
    const adding = run(program, ['models', 'add', 'en', 'es', '--yes'], { cwd: folder, env })
    await expect(adding).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^models need packages that are not installed: run npm install tar@7 unbzip2-stream@1 /,
      ),
    })
  })

  it('names the lines of the sources in stack traces', async () => {
    for (const name of ['core/room/relay', 'app/settings/load']) {
      const source = (await readFile(join(PROJECT, 'src', `${name}.ts`), 'utf8')).split('\n')
      const code = (await readFile(join(installed(), 'dist', `${name}.js`), 'utf8')).split('\n')
      expect(code).toHaveLength(source.length)
      const calls = source.flatMap((line, at) => (/^ +(return|throw|await) /.test(line) ? [at] : []))
      expect(calls.filter(at => code[at]?.search(/\S/) !== source[at]?.search(/\S/))).toEqual([])
    }
  })

  it('sets up its engines where it is installed', async () => {
    const { stderr } = await run(join(folder, 'node_modules/.bin/dragoman'), ['setup'], { cwd: folder, env })
    expect(stderr).toContain('the engines of the embedded service are installed')
  })

  it('reports the required Node in one line, under an older one', async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.19.4' })"
    const options = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]
    const failed = await run(process.execPath, [...options, join(installed(), bin.dragoman!), 'serve'], {
      cwd: folder,
      env,
    }).catch(error => error)
    expect([failed.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toMatch(/^dragoman needs Node 24 or newer, but this is 20\.19\.4\. .*\n$/)
  })

  it('has few dependencies: those of a channel are optional', async () => {
    const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
    const names = Object.keys(lock.packages).map(path => path.replace(/^.*node_modules\//, ''))
    expect(names).toContain('fastify')
    // prom-client includes OpenTelemetry's interface, which is small.
    for (const name of optional.filter(each => each !== '@opentelemetry/api'))
      expect(names).not.toContain(name)
    expect(names.length).toBeLessThan(140)
  })

  it('names the packages to install for a channel if they are missing', async () => {
    const program = join(folder, 'node_modules/.bin/dragoman')
    const failed = await run(program, ['discord', 'invite', '--application-id', '123456789012345678'], {
      ...{ cwd: folder, env },
    }).catch(error => error)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('npm install discord.js@14 @discordjs/voice@0.19')
    expect(failed.stderr).not.toContain('    at ')
  })

  it('can be imported by each of its names', async () => {
    const names = entries
      .filter(entry => entry !== './discord')
      .map(entry => entry.replace(/^\./, 'dragoman'))
    const script = `for (const name of ${JSON.stringify(names)})
      console.log(name, Object.keys(await import(name)).length > 0)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
      env,
    })
    expect(stdout.trim().split('\n')).toEqual(names.map(name => `${name} true`))
  })

  it('is a client and a service to try it with, in plain JavaScript', async () => {
    await writeFile(join(folder, 'consumer.js'), JAVASCRIPT_CONSUMER)
    const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: folder, env })
    expect(JSON.parse(stdout)).toEqual({
      languages: ['en-us'],
      text: { text: 'Good morning.', translation: 'es-es 1' },
      speech: { text: 'en-us 1', translation: 'es-es 1', mp3: true },
      failure: ['ServiceClientError', 'unreachable', 'connection_failed'],
      misuse: 'RangeError',
    })
  })

  it(
    'has all channels once their packages are installed, with types for other programs, all checked',
    async () => {
      await install(...optional.map(name => `${name}@${devDependencies[name]}`))
      const script = "console.log(Object.keys(await import('dragoman/discord')).length)"
      const { stdout: count } = await run(process.execPath, ['--input-type=module', '--eval', script], {
        ...{ cwd: folder, env },
      })
      expect(Number(count)).toBeGreaterThan(0)
      await writeFile(join(folder, 'consumer.ts'), TYPESCRIPT_CONSUMER)
      const files = ['consumer.ts', ...(await typedConsumers(PROJECT, folder, exports))]
      const everything = await readFile(join(folder, 'everything.ts'), 'utf8')
      for (const entry of entries) expect(everything).toContain(`from '${entry.replace('.', 'dragoman')}'`)
      const compilerOptions = {
        module: 'nodenext',
        moduleResolution: 'nodenext',
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        typeRoots: [join(PROJECT, 'node_modules/@types')],
        types: ['node'],
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
      const tsc = join(PROJECT, 'node_modules/.bin/tsc')
      const { stdout } = await run(tsc, ['--project', folder, '--checkers', '1'], { cwd: folder, env }).catch(
        error => error,
      )
      expect(stdout).toBe('')
    },
    INSTALL_MS,
  )
})
