import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const PROJECT = new URL('../..', import.meta.url).pathname
const SYSTEM = {
  recognizer: 'usr/lib/x86_64-linux-gnu/libpocketsphinx.so.3',
  model: 'usr/share/pocketsphinx/model/en-us/en-us/mdef',
  translator: 'usr/bin/apertium',
  pair: 'usr/share/apertium/modes/eng-spa.mode',
  voices: 'usr/bin/espeak-ng',
}

/** A project with its own set-up scripts, a simulated system, and programs that only record their calls. */
let folder: string
const path = (name: string) => join(folder, name)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-setup-test-'))
  cpSync(join(PROJECT, 'scripts'), path('scripts'), { recursive: true })
  write('package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }))
  for (const name of ['bin', 'system']) mkdirSync(path(name))
  symlinkSync(process.execPath, path('bin/node'))
  // A user who is not root gets the same with it.
  program('sudo', 'shift; exec "$@"')
  for (const tool of ['npm', 'apt-get'])
    program(tool, `echo "${tool} $*" >> "${path('calls')}"\n[ -z "$FAIL_${tool.replace('-', '_')}" ]`)
  publishNode('#!/bin/bash\necho v24.0.0\n')
  // The files that npm ci creates, and what npm pack downloads.
  program(
    'npm',
    `echo "npm $*" | sed 's/ --pack-destination [^ ]*//' >> "${path('calls')}"\n` +
      `[ -z "$FAIL_npm" ] || { echo "npm error broken"; exit 1; }\n` +
      `if [ "$1" = pack ]; then cp "${path('node.tgz')}" "$4"; exit; fi\n` +
      `mkdir -p node_modules/a\ncp package-lock.json node_modules/.package-lock.json`,
  )
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): void {
  mkdirSync(dirname(path(name)), { recursive: true })
  writeFileSync(path(name), text)
}

function program(name: string, script: string): void {
  write(`bin/${name}`, `#!/bin/bash\n${script}\n`)
  chmodSync(path(`bin/${name}`), 0o755)
}

/** Makes a package with this binary and script, whose digest the project expects. */
function publishNode(binary: string, installScript = ''): void {
  write('published/package/bin/node', binary)
  chmodSync(path('published/package/bin/node'), 0o755)
  write('published/package/package.json', JSON.stringify({ scripts: { preinstall: installScript } }))
  execFileSync('tar', ['-czf', path('node.tgz'), '-C', path('published'), 'package'])
  const integrity = `sha512-${createHash('sha512')
    .update(readFileSync(path('node.tgz')))
    .digest('base64')}`
  const builds = { [`${process.platform}-${process.arch}`]: { name: 'node-build', integrity } }
  write(
    'scripts/setup/node-build.mjs',
    `export const VERSION = '24.0.0'\nexport const BUILDS = ${JSON.stringify(builds)}\n`,
  )
}

function lock(packages: object): string {
  return JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'x' }, ...packages } })
}

function installModules(): void {
  write('node_modules/.package-lock.json', readFileSync(path('package-lock.json'), 'utf8'))
  write('node_modules/a/package.json', '{}')
  write('node_modules/.dragoman-node', '24.0.0\n')
  write('node_modules/.bin/node', '')
}

function installSystem(...without: string[]): void {
  write('system/etc/debian_version', '12')
  for (const [name, file] of Object.entries(SYSTEM)) if (!without.includes(name)) write(`system/${file}`, '')
}

interface Outcome {
  readonly code: number
  readonly said: string
  readonly calls: string[]
}

function setUp(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  const all = ['scripts/setup.mjs', '--project', folder, '--system-root', path('system'), ...args]
  const clean = { PATH: `${path('bin')}:/usr/bin:/bin`, HOME: folder, ...env }
  return new Promise(resolve =>
    execFile(process.execPath, all, { cwd: folder, env: clean }, (error, stdout, stderr) => {
      const calls = existsSync(path('calls')) ? readFileSync(path('calls'), 'utf8').trim().split('\n') : []
      expect(stdout).toBe('')
      resolve({ code: error ? Number(error.code ?? 1) : 0, said: stderr, calls })
    }),
  )
}

describe('set-up', () => {
  it('does nothing silently if nothing is missing', async () => {
    installModules()
    installSystem()
    expect(await setUp()).toEqual({ code: 0, said: '', calls: [] })
  })

  it('installs the packages, then Node itself, in a fresh clone', async () => {
    installSystem()
    const { code, said, calls } = await setUp()
    expect(calls).toEqual([
      'npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund',
      'npm pack --ignore-scripts node-build@24.0.0',
    ])
    expect(said).toMatch(/npm ci[\s\S]*fetching Node 24\.0\.0/)
    expect(code).toBe(0)
    expect(execFileSync(path('node_modules/.bin/node'), ['--version'], { encoding: 'utf8' })).toBe(
      'v24.0.0\n',
    )
    rmSync(path('calls'))
    expect(await setUp()).toEqual({ code: 0, said: '', calls: [] })
  })

  it.each([
    ['another binary', (run: string): [string, string] => [`#!/bin/bash\n${run}; echo v24.0.0\n`, '']],
    [
      'the same binary with an install script',
      (run: string): [string, string] => ['#!/bin/bash\necho v24.0.0\n', run],
    ],
    ['no archive', () => undefined],
  ])('neither runs nor installs Node if the registry has %s under its name', async (_what, changed) => {
    installSystem()
    const digests = readFileSync(path('scripts/setup/node-build.mjs'), 'utf8')
    const published = changed(`touch "${path('ran')}"`)
    if (published) publishNode(...published)
    else write('node.tgz', 'not an archive')
    write('scripts/setup/node-build.mjs', digests)
    const { code, said } = await setUp()
    expect(code).toBe(1)
    expect(said).toMatch(/node-build@24\.0\.0 is not the package .*\n *found +sha512-.*\n *expected sha512-/)
    expect(existsSync(path('ran'))).toBe(false)
    expect(existsSync(path('node_modules/.bin/node'))).toBe(false)
    // Nor is the unverified one used the next time.
    expect((await setUp()).code).toBe(1)
  })

  it('fetches Node again when the project moves to another version', async () => {
    installModules()
    installSystem()
    write('node_modules/.dragoman-node', '23.0.0\n')
    expect((await setUp()).calls).toEqual(['npm pack --ignore-scripts node-build@24.0.0'])
  })

  it.each([
    [
      'another version is wanted',
      () => write('package-lock.json', lock({ 'node_modules/a': { version: '2.0.0' } })),
    ],
    ['a package is gone', () => rmSync(path('node_modules/a'), { recursive: true })],
    ['npm was interrupted', () => rmSync(path('node_modules/.package-lock.json'))],
  ])('installs the packages again when %s', async (_why, spoil) => {
    installModules()
    installSystem()
    spoil()
    expect((await setUp()).calls[0]).toMatch(/^npm ci /)
  })

  it('sets up only the engines where the package is installed, and reports it', async () => {
    installSystem('voices')
    const { calls } = await setUp(['--engines'])
    expect(calls.filter(call => call.startsWith('npm'))).toEqual([])
    expect(calls.at(-1)).toMatch(/^apt-get .*install .*espeak-ng$/)
    rmSync(path('calls'))
    installSystem()
    const again = await setUp(['--engines'])
    expect(again).toMatchObject({ code: 0, calls: [] })
    expect(again.said).toContain('the engines of the embedded service are installed')
  })

  it('fails to set up only the engines while some are missing', async () => {
    installSystem('voices')
    const { code, said } = await setUp(['--engines'], { FAIL_apt_get: '1' })
    expect(code).toBe(1)
    expect(said).toContain('espeak-ng')
  })

  it('skips packages for other systems', async () => {
    const wanted = {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
    }
    write('package-lock.json', lock(wanted))
    installModules()
    write('node_modules/.package-lock.json', lock({ 'node_modules/a': { version: '1.0.0' } }))
    installSystem()
    expect((await setUp()).calls).toEqual([])
  })

  it('fails with the reason when npm fails', async () => {
    installSystem()
    const { code, said } = await setUp([], { FAIL_npm: '1' })
    expect(code).toBe(1)
    expect(said).toContain('npm error broken')
  })

  it('uses the Node it runs under if no other can be fetched', async () => {
    installSystem()
    write('scripts/setup/node-build.mjs', "export const VERSION = '24.0.0'\nexport const BUILDS = {}\n")
    const { code, said, calls } = await setUp()
    expect([code, calls.length]).toEqual([0, 1])
    expect(said).toContain(`using ${process.versions.node}`)
    expect((await setUp()).said).toBe('')
  })

  it('does not run twice at the same time', async () => {
    installSystem()
    program('npm', `${readFileSync(path('bin/npm'), 'utf8').replace('#!/bin/bash', 'sleep 0.5')}`)
    const [one, two] = await Promise.all([setUp(), setUp()])
    expect(one.code + two.code).toBe(0)
    expect(two.calls.length).toBe(2)
    expect(one.said + two.said).toContain('waiting for it')
  })

  it('works on systems other than Debian, and names missing packages', async () => {
    installModules()
    const { code, said, calls } = await setUp()
    expect([code, calls]).toEqual([0, []])
    expect(said).toContain(
      'speech recognition (libpocketsphinx3): without it, the embedded service transcribes nothing',
    )
    expect(said).toContain('neither Debian')
    expect(said).toContain('still works: the bridge with your own translation service')
  })

  it('installs exactly the Debian packages that are missing', async () => {
    installModules()
    installSystem('voices', 'pair')
    mkdirSync(path(`system/${dirname(SYSTEM.pair)}`), { recursive: true })
    write('system/var/lib/apt/lists/x_Packages', '')
    program(
      'apt-get',
      `echo "$*" >> "${path('calls')}"\ntouch "${path(`system/${SYSTEM.voices}`)}" "${path(`system/${SYSTEM.pair}`)}"`,
    )
    const { code, said, calls } = await setUp()
    expect(code).toBe(0)
    expect(said).toMatch(
      /installing 2 Debian packages: apertium-eng-spa espeak-ng…\n.*2 Debian packages installed in/,
    )
    expect(calls).toEqual([
      expect.stringMatching(/install --yes --no-install-recommends apertium-eng-spa espeak-ng$/),
    ])
  })

  it('updates empty package lists first, and stale ones if installing fails', async () => {
    installModules()
    installSystem('voices')
    const fresh = await setUp()
    expect(fresh.calls.map(call => / (update|install) ?/.exec(call)?.[1])).toEqual(['update', 'install'])
    rmSync(path('calls'))
    write('system/var/lib/apt/lists/x_Packages', '')
    const failing = await setUp([], { FAIL_apt_get: '1' })
    const order = failing.calls.map(call => / (update|install) ?/.exec(call)?.[1])
    expect(order).toEqual(['install', 'update', 'install', 'install'])
    expect(failing.code).toBe(0)
    expect(failing.said).toContain('sudo apt-get install --yes --no-install-recommends espeak-ng')
  })

  it('unpacks servers into the project, where they are not started automatically, without root', async () => {
    installModules()
    installSystem()
    write('system/var/lib/apt/lists/x_Packages', '')
    program(
      'apt-get',
      `echo "apt-get $*" >> "${path('calls')}"\n[ "$2" != download ] || touch nginx.deb caddy.deb`,
    )
    program('dpkg-deb', `mkdir -p "$3/usr/sbin"; touch "$3/usr/sbin/$(basename "$2" .deb)"`)
    const { code, said, calls } = await setUp(['--for-tests'])
    expect(code).toBe(0)
    expect(said).toMatch(/unpacking nginx caddy .*into /)
    expect(calls).toContainEqual(expect.stringMatching(/^apt-get -q download nginx caddy/))
    expect(calls.filter(call => / install /.test(call)).join()).not.toMatch(/nginx|caddy/)
    for (const name of ['nginx', 'caddy']) expect(existsSync(path(`.programs/usr/sbin/${name}`))).toBe(true)
    rmSync(path('calls'))
    expect((await setUp(['--for-tests'])).calls.join()).not.toMatch(/nginx|caddy/)
  })

  it('requests the programs that tests compare with only for tests', async () => {
    installModules()
    installSystem()
    rmSync(path('system/etc/debian_version'))
    expect((await setUp()).said).toBe('')
    const { said } = await setUp(['--for-tests'])
    expect(said).toContain('ps, for tests (procps): without it, some tests are skipped or fail')
    expect(said).toContain('flite, for tests (flite)')
    expect(said).toContain('(pocketsphinx-testdata): without it, its test is skipped')
    expect(said).not.toContain('still works')
  })
})

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object; resolved?: string }>
  }

  it('lists every package that another one names, also those for other systems, as npm ci requires', () => {
    const names = new Set(Object.keys(packages).map(name => name.replace(/^.*node_modules\//, '')))
    for (const [name, { dependencies, optionalDependencies }] of Object.entries(packages))
      for (const wanted of Object.keys({ ...dependencies, ...optionalDependencies }))
        expect(names, `wanted by ${name}`).toContain(wanted)
  })

  it('names no registry', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})
