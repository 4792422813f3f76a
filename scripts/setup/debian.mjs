import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lastLines, run } from './run.mjs'
import { say } from './say.mjs'

const OPTIONS = ['--yes', '--no-install-recommends']
const QUIET = [
  '-q',
  '-o',
  'DPkg::Lock::Timeout=180',
  '-o',
  'Acquire::Retries=2',
  '-o',
  'Acquire::http::Timeout=30',
]

/**
 * Installs the Debian packages of `parts`, or prints how to install them and what works without. Never fails: the
 * bridge works with any translation service, so nothing here is always required.
 */
export async function installParts(parts, { systemRoot, lacking }) {
  if (!existsSync(join(systemRoot, 'etc/debian_version'))) return tellOtherSystem(parts)
  const prefix = await asRoot()
  if (!prefix) return tellMissing(parts)

  const packages = packagesOf(parts)
  const begun = performance.now()
  say(`installing ${count(packages)}: ${packages.join(' ')}…`)
  let updated = false
  if (!hasLists(systemRoot)) updated = await update(prefix)
  let result = await install(prefix, packages)
  if (result.code !== 0 && !updated) {
    await update(prefix)
    result = await install(prefix, packages)
  }
  // A package that is missing in this release must not prevent the others.
  if (result.code !== 0) for (const one of packagesOf(lacking())) await install(prefix, [one])

  const left = lacking()
  if (left.length === 0) return say(`${count(packages)} installed in ${elapsed(begun)}`)
  if (result.code !== 0) say(`apt-get could not install everything:\n${lastLines(result.output)}`)
  tellMissing(left)
}

async function install(prefix, packages) {
  return await apt(prefix, 'install', ...OPTIONS, ...packages)
}

async function update(prefix) {
  say('updating the package lists (apt-get update)…')
  return (await apt(prefix, 'update')).code === 0
}

function apt(prefix, ...args) {
  const [command, ...rest] = [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    ...QUIET,
    ...args,
  ]
  return run(command, rest, { name: `apt-get ${args[0]}` })
}

/** The command prefix for running as root without a prompt: `[]` for root itself, undefined without a way. */
async function asRoot() {
  if (process.getuid?.() === 0) return []
  const { code } = await run('sudo', ['-n', 'true'], { timeoutMs: 10_000 })
  return code === 0 ? ['sudo', '-n'] : undefined
}

/** New images have no package lists. */
function hasLists(systemRoot) {
  try {
    return readdirSync(join(systemRoot, 'var/lib/apt/lists')).some(name => name.includes('_Packages'))
  } catch {
    return false
  }
}

function tellMissing(parts) {
  tellParts(parts)
  say(`to install them: sudo apt-get install ${OPTIONS.join(' ')} ${packagesOf(parts).join(' ')}`)
  tellWhatWorks(parts)
}

function tellOtherSystem(parts) {
  tellParts(parts)
  say('this is neither Debian nor derived from it, so install them its own way (names above are Debian’s)')
  tellWhatWorks(parts)
}

function tellParts(parts) {
  say(`missing on this system (${parts.length}):`)
  for (const { name, packages, without } of parts)
    say(`  ${name} (${packages.join(' ')}): without it, ${without}`)
}

function tellWhatWorks(parts) {
  if (parts.some(part => !part.optional))
    say(
      'still works: the bridge with your own translation service (service.url in dragoman.yaml) or with hosted engines (docs/guides/good-quality.md)',
    )
}

function packagesOf(parts) {
  return [...new Set(parts.flatMap(part => part.packages))]
}

function count(packages) {
  return `${packages.length} Debian package${packages.length === 1 ? '' : 's'}`
}

function elapsed(begun) {
  return `${Math.round((performance.now() - begun) / 1000)} s`
}
