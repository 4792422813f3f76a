import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JAVASCRIPT_CONSUMER, TYPESCRIPT_CONSUMER, typedConsumers } from './helpers/package-consumers.ts'

const run = promisify(execFile)
const PROJECT = new URL('..', import.meta.url).pathname
/** Building, packing and installing some 150 packages, perhaps without a cache, on a busy machine. */
const INSTALL_MS = 300_000
/** One program of it; it is ended then, rather than left behind. */
const PROGRAM_MS = 140_000

const { exports, bin } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>
  bin: Record<string, string>
}
const entries = Object.keys(exports).filter(entry => entry !== './package.json')

/** Without what npm tells the scripts of this project, but with the settings it was given (registry, certificates, cache). */
const foreign =
  /^(npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)|vitest|dragoman_|node_env$)/i
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))

let folder: string
let packed: { size: number; unpackedSize: number; files: { path: string; mode: number }[] }
const installed = () => join(folder, 'node_modules/dragoman')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-package-'))
  const limits = { env, timeout: PROGRAM_MS }
  const pack = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: PROJECT, ...limits })
  packed = JSON.parse(stdout.slice(stdout.indexOf('[')))[0]
  const tarball = (await readdir(folder)).find(name => name.endsWith('.tgz')) ?? 'no tarball'
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`]
  await run('npm', install, { cwd: folder, ...limits })
}, INSTALL_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package', () => {
  it('holds what is promised and nothing else', () => {
    const allowed =
      /^(dist\/.+\.(js|d\.ts|json|html|css|svg)|recordings\/[^/]+\.(wav|json|md)|docs\/([^/]+\/)*[^/]+\.(md|svg|png)|docs\/collection\/[^/]+\.json|package\.json|dragoman\.example\.yaml|(README|CHANGELOG|SECURITY)\.md|LICENSE)$/
    const paths = packed.files.map(file => file.path)
    expect(paths.filter(path => !allowed.test(path))).toEqual([])
    expect(
      paths.filter(path => /\.test\.|fixture|conformance|(^|\/)\.|^bench|^dist\/bench/.test(path)),
    ).toEqual([])
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'dragoman.example.yaml']))
  })

  it('is of a sane size', () => {
    expect(packed.size).toBeGreaterThan(500_000) // the recordings
    expect(packed.size).toBeLessThan(2_500_000)
    expect(packed.unpackedSize).toBeLessThan(8_000_000)
  })

  it('holds no secrets and no address of a registry', async () => {
    const suspicious =
      /-----BEGIN [A-Z ]*PRIVATE KEY|\bAC[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b|\bgh[pousr]_\w{30,}|_authToken=|registry\.npmjs|\/root\/|\/home\/\w+\//
    for (const { path } of packed.files) {
      if (path.endsWith('.wav')) continue
      expect(suspicious.exec(await readFile(join(installed(), path), 'utf8'))?.[0], path).toBeUndefined()
    }
  })

  it('brings a command that runs', async () => {
    const { stdout } = await run(join(folder, 'node_modules/.bin/dragoman'), ['--help'], { cwd: folder, env })
    for (const command of ['serve', 'service', 'demo', 'call']) expect(stdout).toContain(command)
    expect(Object.keys(bin)).toEqual(['dragoman'])
  })

  it('says in one line which Node it needs, under an older one', async () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.19.4' })"
    const options = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]
    const failed = await run(process.execPath, [...options, join(installed(), bin.dragoman!), 'serve'], {
      cwd: folder,
      env,
    }).catch(error => error)
    expect([failed.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toMatch(/^dragoman needs Node 24 or newer, this is 20\.19\.4: .*\n$/)
  })

  it.each(entries)('can be imported as %s', async entry => {
    const name = entry.replace(/^\./, 'dragoman')
    const script = `const module = await import('${name}'); console.log(Object.keys(module).length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
      env,
    })
    expect(Number(stdout)).toBeGreaterThan(0)
  })

  it('is a client and a service to try it with, in plain JavaScript', async () => {
    await writeFile(join(folder, 'consumer.js'), JAVASCRIPT_CONSUMER)
    const { stdout } = await run(process.execPath, ['consumer.js'], { cwd: folder, env })
    expect(JSON.parse(stdout)).toEqual({
      languages: ['en-us'],
      text: { text: 'Good morning.', translation: 'es-es 1' },
      speech: { text: 'en-us 1', translation: 'es-es 1', mp3: true },
      failure: ['ServiceFailure', 'unreachable', 'connection_failed'],
      misuse: 'RangeError',
    })
  })

  it('brings types that a program of somebody else can use, all of them checked', async () => {
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
    const { stdout } = await run(tsc, ['--project', folder], { cwd: folder, env }).catch(error => error)
    expect(stdout).toBe('')
  }, 60_000)
})
