import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmCommand, outsideEnv } from './npm.mjs'
import { lastLines, run } from './run.mjs'
import { say } from './say.mjs'

/**
 * Whether `node_modules` contains everything in `package-lock.json`: npm writes a list of what it installed as its last
 * step, so an interrupted install counts as missing. Packages for other systems can be absent.
 */
export function modulesAreFine(project) {
  const wanted = packagesOf(join(project, 'package-lock.json'))
  const installed = packagesOf(join(project, 'node_modules', '.package-lock.json'))
  if (!wanted || !installed) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true
    const found = installed[path]
    if (entry.optional || entry.devOptional) return !found || found.version === entry.version
    return found?.version === entry.version && existsSync(join(project, path))
  })
}

/**
 * Runs `npm ci` without install scripts: only the one of `node` is needed (see `runtime.mjs`), and some npm versions
 * and settings do not run any.
 */
export async function installModules(project) {
  const [command = 'npm', ...args] = npmCommand()
  const begun = performance.now()
  say('installing the npm packages (npm ci)…')
  const { code, output } = await run(
    command,
    [...args, 'ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'],
    { cwd: project, env: outsideEnv(), name: 'npm ci' },
  )
  if (code !== 0) throw new Error(`npm ci failed; run it by hand to see more:\n${lastLines(output)}`)
  say(`npm packages installed in ${Math.round((performance.now() - begun) / 1000)} s`)
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}
