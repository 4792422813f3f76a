import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUILDS, VERSION } from './node-build.mjs'
import { npmCommand, outsideEnv, outsideNode } from './npm.mjs'
import { lastLines, run } from './run.mjs'
import { say } from './say.mjs'

/**
 * The oldest Node that runs the TypeScript sources directly.
 * @type {[major: number, minor: number]}
 */
const OLDEST = [22, 18]
const EXECUTABLE = process.platform === 'win32' ? 'node.exe' : 'node'

/** Whether npm scripts of the project find the Node that it is developed with, or the system's own was recorded. */
export function runtimeIsFine(project) {
  const { binary, note } = places(project)
  const recorded = existsSync(note) ? readFileSync(note, 'utf8').trim() : ''
  return recorded === `${VERSION} own` || (recorded === VERSION && existsSync(binary))
}

/**
 * Puts the Node of this version into `node_modules/.bin`. Its package is only downloaded, compared with the digest in
 * the source, and unpacked: no script of it runs. Throws if the digest differs. Where no package exists, the Node that
 * runs this is used, if it is recent enough.
 */
export async function installRuntime(project) {
  const { bin, binary, note } = places(project)
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-node-'))
  try {
    const failure = await fetchBinary(folder)
    if (failure !== undefined) return await useOwn(note, failure)
    const fetched = join(folder, 'package', 'bin', EXECUTABLE)
    const started = await run(fetched, ['--version'], { timeoutMs: 20_000 })
    if (started.code !== 0) return await useOwn(note, started.output)
    mkdirSync(bin, { recursive: true })
    // A link of an earlier set-up must not be written through.
    rmSync(binary, { force: true })
    copyFileSync(fetched, binary)
    writeFileSync(note, `${VERSION}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Unpacks the binary into `folder`/package. Returns why it is not available, or undefined. */
async function fetchBinary(folder) {
  const build = BUILDS[`${process.platform}-${process.arch}`]
  if (!build) return 'no package is known for this system'
  say(`fetching Node ${VERSION} for this project…`)
  const [command = 'npm', ...args] = npmCommand()
  const packed = await run(
    command,
    [...args, 'pack', '--ignore-scripts', '--pack-destination', folder, `${build.name}@${VERSION}`],
    { cwd: folder, env: outsideEnv(), name: `Node ${VERSION}` },
  )
  const file = readdirSync(folder).find(name => name.endsWith('.tgz'))
  if (packed.code !== 0 || file === undefined) return packed.output
  const integrity = `sha512-${createHash('sha512')
    .update(readFileSync(join(folder, file)))
    .digest('base64')}`
  if (integrity !== build.integrity) {
    throw new Error(
      `${build.name}@${VERSION} is not the package that this project was tested with, so it was not installed:\n` +
        `  found    ${integrity}\n  expected ${build.integrity}\nCheck the npm registry and proxy of this machine.`,
    )
  }
  const unpacked = await run('tar', ['-xzf', file], { cwd: folder })
  return unpacked.code === 0 ? undefined : unpacked.output
}

async function useOwn(note, failure) {
  const own = (await run(outsideNode(), ['--version'], { timeoutMs: 20_000 })).output.trim().replace(/^v/, '')
  if (!recentEnough(own)) {
    throw new Error(
      `Node ${VERSION} is not available for ${process.platform}-${process.arch}; ` +
        `install Node ${OLDEST.join('.')} or newer and try again:\n${lastLines(failure)}`,
    )
  }
  say(`Node ${VERSION} is not available for this system; using ${own}:\n${lastLines(failure)}`)
  writeFileSync(note, `${VERSION} own\n`)
}

function recentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

function places(project) {
  const modules = join(project, 'node_modules')
  const bin = join(modules, '.bin')
  return {
    bin,
    binary: join(bin, EXECUTABLE),
    /** Records the version that was set up. Deleted with `node_modules`. */
    note: join(modules, '.dragoman-node'),
  }
}
