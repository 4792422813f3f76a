import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export const run = promisify(execFile)
export const PROJECT = new URL('../../..', import.meta.url).pathname

/** Without npm's variables for the scripts of this project, but with its settings (registry, certificates, cache). */
const FOREIGN =
  /^(npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)|vitest|dragoman_|node_env$)/i
export const ENV = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)))

/** Building and packing on a busy machine. */
export const PACK_MS = 180_000
const KEPT_MS = 3_600_000
const PREFIX = 'dragoman-packed-'

export interface Packed {
  readonly tarball: string
  /** Its contents, with the packages of the project in reach: for those who only read it. */
  readonly unpacked: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly mode: number }[]
}

/**
 * The package as `npm pack` creates it, once for all tests, even in other processes: it is kept until one of its inputs
 * changes.
 */
export async function packed(): Promise<Packed> {
  const folder = join(tmpdir(), PREFIX + (await fingerprint()))
  const done = join(folder, 'packed.json')
  const read = async () => JSON.parse(await readFile(done, 'utf8')) as Packed
  const making = `${folder}.lock`
  for (const deadline = performance.now() + PACK_MS; performance.now() < deadline; await sleep(100)) {
    const there = await read().catch(() => undefined)
    if (there) return there
    if (await locked(making)) break
  }
  try {
    await removeOld()
    await mkdir(folder, { recursive: true })
    const args = ['pack', '--json', '--pack-destination', folder]
    const { stdout } = await run('npm', args, { cwd: PROJECT, env: ENV, timeout: PACK_MS })
    const [about] = JSON.parse(stdout.slice(stdout.indexOf('[')))
    const { size, unpackedSize, files, filename } = about
    const tarball = join(folder, filename)
    const unpacked = join(folder, 'package')
    await run('tar', ['-xzf', tarball, '-C', folder])
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
    const text = JSON.stringify({ tarball, unpacked, size, unpackedSize, files })
    await writeFile(`${done}.new`, text)
    await rename(`${done}.new`, done)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return read()
}

/** Tries to take the lock. An abandoned lock is ignored. */
async function locked(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > PACK_MS) await rm(path, { recursive: true, force: true })
    return false
  }
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX) || name.endsWith('.lock')) continue
    const { mtimeMs } = await stat(join(tmpdir(), name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > KEPT_MS) await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

/** Of all files that go into the package, or create it. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(PROJECT)
  const { files } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as { files: string[] }
  const patterns = [
    'src',
    'simulator',
    'scripts',
    ...files.filter(name => name !== 'dist' && !name.startsWith('!')),
  ]
  const paths = patterns.flatMap(name => globSync([name, `${name}/**`], { cwd: PROJECT }))
  for (const path of [...new Set([...paths, 'package.json', 'tsconfig.build.json'])].sort()) {
    const about = await stat(join(PROJECT, path))
    if (about.isFile()) hash.update(`${path} ${about.size} ${about.mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
