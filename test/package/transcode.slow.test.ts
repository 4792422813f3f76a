import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as transcode from '../../src/transcode/index.ts'
import { ENV, PACK_MS, PROJECT, run } from '../support/e2e/packed.ts'
import { encodeMp3 } from '../support/transcode/mp3-fixtures.ts'
import { sine } from '../support/transcode/tone.ts'

/** What `dragoman/transcode` may take in an empty folder, all packages included. */
const MOST_BYTES = 5_000_000
const { encodeMulaw, readWav, rms, SAMPLE_RATE } = transcode
const PACKAGE = join(PROJECT, 'packages/transcode')

/** One second of a tone as on the phone and as in a file. */
const PHONE = sine(440, 1_000, 8_000, 8_000)
const VOICE = sine(440, 1_000, 8_000, SAMPLE_RATE)

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly engines: object
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}
const manifestIn = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

let folder: string
let consumer: string
let tarball: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-transcode-'))
  consumer = join(folder, 'consumer')
  await mkdir(consumer)
  tarball = await pack(PACKAGE)
  // The tarballs of all packages it needs, as the registry has them: nothing is left to the network or to npm's cache.
  const needed = await Promise.all((await closure(await manifestIn(PACKAGE))).map(at => pack(at, 'as is')))
  await writeFile(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await npm(consumer, 'install', '--offline', ...needed, tarball)
}, PACK_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--no-audit', '--no-fund'], {
    ...{ cwd, env: ENV, timeout: PACK_MS },
  })
  return stdout
}

async function pack(at: string, how?: 'as is'): Promise<string> {
  const options = how ? ['--ignore-scripts'] : []
  const stdout = await npm(at, 'pack', '--json', '--pack-destination', folder, ...options)
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  return join(folder, filename)
}

/** Folders of the packages that a package needs, and of those that they need. */
async function closure({ dependencies = {} }: Manifest): Promise<string[]> {
  const direct = Object.keys(dependencies).map(name => join(PROJECT, 'node_modules', name))
  const others = await Promise.all(direct.map(async at => closure(await manifestIn(at))))
  return [...new Set([...direct, ...others.flat()])]
}

async function bytesBelow(at: string): Promise<number> {
  const files = globSync('**/*', { cwd: at, withFileTypes: true }).filter(entry => entry.isFile())
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

it('takes at most 5 MB in an empty folder', async () => {
  const lock = JSON.parse(await readFile(join(consumer, 'node_modules/.package-lock.json'), 'utf8'))
  expect(Object.keys(lock.packages)).toHaveLength(6)
  const bytes = await bytesBelow(join(consumer, 'node_modules'))
  expect(bytes).toBeGreaterThan((await stat(tarball)).size)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

it('decodes µ-law and MP3 with the program of its README', async () => {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8')
  const program = /```js\n([\s\S]*?)```/.exec(readme)?.[1]
  const mulaw = new Uint8Array(8_000)
  encodeMulaw(PHONE, mulaw)
  await writeFile(join(consumer, 'tone.ulaw'), mulaw)
  await writeFile(join(consumer, 'tone.mp3'), encodeMp3(VOICE, SAMPLE_RATE))
  await writeFile(
    join(consumer, 'program.js'),
    `import { readFileSync, writeFileSync } from 'node:fs'
const [bytes, mp3, heard] = [readFileSync('tone.ulaw'), readFileSync('tone.mp3'), []]
${program}
writeFileSync('decoded.ulaw.wav', encodeWav(samples, 8_000))
writeFileSync('decoded.mp3.wav', encodeWav(Int16Array.from(heard.flatMap(pcm => [...pcm])), 16_000))`,
  )
  await run(process.execPath, ['program.js'], { cwd: consumer, env: ENV })

  const pcmOf = async (name: string) => readWav(await readFile(join(consumer, name))).pcm
  const phone = await pcmOf('decoded.ulaw.wav')
  expect(phone).toHaveLength(8_000)
  expect(rms(phone) / rms(PHONE)).toBeCloseTo(1, 1)
  const voice = await pcmOf('decoded.mp3.wav')
  expect(voice.length / SAMPLE_RATE).toBeCloseTo(1, 0)
  // Without the padding at the end; LAME attenuates by 5 %.
  const level = rms(voice.subarray(4_000, 12_000)) / rms(VOICE)
  expect(level).toBeGreaterThan(0.9)
  expect(level).toBeLessThan(1)
})

it('serves programs that import dragoman/transcode, with the same exports', async () => {
  const alias = join(folder, 'alias')
  await mkdir(alias)
  await writeFile(
    join(alias, 'package.json'),
    await readFile(join(consumer, 'package.json'), 'utf8').then(text =>
      text.replace('"dragoman-transcode":', '"dragoman":'),
    ),
  )
  await npm(alias, 'install', '--offline')
  const script = "console.log(JSON.stringify(Object.keys(await import('dragoman/transcode')).sort()))"
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    ...{ cwd: alias, env: ENV },
  })
  expect(JSON.parse(stdout)).toEqual(Object.keys(transcode).sort())
})

it('has types that compile without others', async () => {
  await writeFile(
    join(consumer, 'types.ts'),
    `import { FRAME_SAMPLES, SpeechDecoder } from 'dragoman-transcode'
export const decoder = (heard: Int16Array[]) => new SpeechDecoder(pcm => heard.push(pcm.slice()))
// @ts-expect-error: a number, not any
export const wrong: string = FRAME_SAMPLES`,
  )
  const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--noEmit', '--types', '']
  const tsc = join(PROJECT, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, [...options, 'types.ts'], { cwd: consumer, env: ENV }).catch(
    error => error,
  )
  expect(stdout).toBe('')
})

it('keeps in step with the whole package, and names exactly the packages that it imports', async () => {
  const [whole, part] = await Promise.all([PROJECT, PACKAGE].map(manifestIn))
  const { version, license, engines } = whole!
  expect(part).toMatchObject({ version, license, engines })
  expect(await readFile(join(PACKAGE, 'LICENSE'), 'utf8')).toBe(
    await readFile(join(PROJECT, 'LICENSE'), 'utf8'),
  )
  const named = { ...part!.dependencies, ...part!.peerDependencies }
  for (const [name, range] of Object.entries(named)) expect(whole!.dependencies[name], name).toBe(range)

  const built = join(consumer, 'node_modules/dragoman-transcode/dist')
  const imported = new Set<string>()
  for (const file of globSync('**/*.js', { cwd: built }))
    for (const [, name = ''] of (await readFile(join(built, file), 'utf8')).matchAll(
      /(?:^import .*from |import\()'([^.'][^']*)'/gm,
    ))
      imported.add(name)
  expect([...imported].filter(name => !name.startsWith('node:')).sort()).toEqual(Object.keys(named).sort())
})
