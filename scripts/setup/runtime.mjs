import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outsideEnv, outsideNode } from './npm.mjs'
import { lastLines, run } from './run.mjs'
import { say } from './say.mjs'

/**
 * The oldest Node that runs the TypeScript sources directly.
 * @type {[major: number, minor: number]}
 */
const OLDEST = [22, 18]

/**
 * The dev dependency `node` provides the Node that npm scripts use. Its package contains only an install script that
 * fetches the binary for this system; whether npm runs it depends on npm's version and settings, so it is done here if
 * the binary is missing.
 */
export function runtimeIsFine(project) {
  const { link, note } = places(project)
  return existsSync(link) || existsSync(note) // existsSync follows the link: a dangling one counts as missing
}

export async function installRuntime(project) {
  const { packageDirectory, link, note } = places(project)
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'))
  say(`fetching Node ${version} for this project…`)
  const { code, output } = await run(outsideNode(), ['installArchSpecificPackage.js'], {
    cwd: packageDirectory,
    env: { ...outsideEnv(), npm_config_ignore_scripts: 'false' },
    name: `Node ${version}`,
  })
  const binary = join(packageDirectory, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const started = existsSync(binary) ? await run(binary, ['--version'], { timeoutMs: 20_000 }) : undefined
  if (started?.code === 0) return linkTo(link)
  rmSync(link, { force: true })
  const own = (await run(outsideNode(), ['--version'], { timeoutMs: 20_000 })).output.trim().replace(/^v/, '')
  if (!recentEnough(own)) {
    throw new Error(
      `Node ${version} is not available for ${process.platform}-${process.arch}; ` +
        `install Node ${OLDEST.join('.')} or newer and try again:\n${lastLines(started?.output ?? output)}`,
    )
  }
  say(`Node ${version} is not available for this system (npm ended with ${code}); using ${own}`)
  writeFileSync(note, `${own}\n`)
}

/** npm creates the link in `.bin` only if the binary already existed. */
function linkTo(link) {
  if (existsSync(link) || process.platform === 'win32') return
  mkdirSync(join(link, '..'), { recursive: true })
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link)
  symlinkSync('../node/bin/node', link)
}

function recentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

function places(project) {
  const modules = join(project, 'node_modules')
  return {
    packageDirectory: join(modules, 'node'),
    link: join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'),
    /** Records that this system's own Node is used instead. Deleted with `node_modules`. */
    note: join(modules, '.dragoman-own-node'),
  }
}
