#!/usr/bin/env node
/**
 * Installs everything that `npm run demo`, `npm start`, `npm test` and similar commands need and is missing: the npm
 * packages, the Node that runs the project, and the engines' system packages. npm runs it before those commands, under
 * any Node from 20 on and before `node_modules` exists, so it uses only Node's built-ins. It is silent if nothing is
 * missing.
 *
 *   node scripts/setup.mjs [--for-tests] [--for-fleet] [--engines] [--project <dir>] [--system-root <dir>]
 *
 * `--for-tests` adds the programs that tests compare with, `--for-fleet` only nats-server. `--engines` sets up only
 * those of the embedded service, like `dragoman setup` in an installed package, and prints a line even if nothing is
 * missing. The other two are for tests of this script.
 */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installParts } from './setup/debian.mjs'
import { extractParts } from './setup/extracted.mjs'
import { alone } from './setup/lock.mjs'
import { installModules, modulesAreFine } from './setup/modules.mjs'
import { missingParts } from './setup/parts.mjs'
import { installRuntime, runtimeIsFine } from './setup/runtime.mjs'
import { say } from './setup/say.mjs'

const { values } = parseArgs({
  options: {
    'for-tests': { type: 'boolean', default: false },
    'for-fleet': { type: 'boolean', default: false },
    engines: { type: 'boolean', default: false },
    project: { type: 'string', default: resolve(dirname(fileURLToPath(import.meta.url)), '..') },
    'system-root': { type: 'string', default: '/' },
  },
})
const project = resolve(values.project)
const systemRoot = values['system-root']
const lacking = () =>
  missingParts({ systemRoot, forTests: values['for-tests'], forFleet: values['for-fleet'], project })

async function setUpProject() {
  if (!modulesAreFine(project)) await installModules(project)
  if (!runtimeIsFine(project)) await installRuntime(project)
}

async function setUpSystem() {
  const installed = () => lacking().filter(part => !part.extracted)
  if (installed().length > 0) await installParts(installed(), { systemRoot, lacking: installed })
  // After the others, because apt-get then has its lists.
  const extracted = lacking().filter(part => part.extracted)
  if (extracted.length > 0) await extractParts(extracted, { systemRoot, project })
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  say(`Node 20 or newer is needed to set up, this is ${process.versions.node}`)
  process.exit(1)
}

if (values.engines) {
  await setUpSystem()
  const left = lacking().filter(part => !part.optional)
  if (left.length === 0) say('the engines of the embedded service are installed')
  else process.exitCode = 1
} else if (!modulesAreFine(project) || !runtimeIsFine(project) || lacking().length > 0) {
  // npm and apt wait for the network at different times, so both run at once.
  const results = await alone(project, () => Promise.allSettled([setUpProject(), setUpSystem()]))
  for (const result of results) {
    if (result.status === 'fulfilled') continue
    say(result.reason instanceof Error ? result.reason.message : String(result.reason))
    process.exitCode = 1
  }
}
