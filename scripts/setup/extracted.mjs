import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastLines, run } from './run.mjs'
import { say } from './say.mjs'

/**
 * Unpacks Debian packages into a folder of the project instead of installing them: servers that would be started
 * automatically on the machine of a user who only wants to run the tests. Requires no root. Never fails: their tests
 * are skipped without.
 */
export async function extractParts(parts, { systemRoot, project }) {
  if (!existsSync(join(systemRoot, 'etc/debian_version'))) return
  const target = programsFolder(project)
  mkdirSync(target, { recursive: true })
  for (const suite of new Set(parts.map(part => part.suite))) {
    const packages = parts.filter(part => part.suite === suite).flatMap(part => part.packages)
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-packages-'))
    try {
      say(`unpacking ${packages.join(' ')} into ${target}…`)
      const options = await optionsFor(suite, systemRoot, folder)
      const fetched = await run('apt-get', ['-q', ...options, 'download', ...packages], {
        cwd: folder,
        name: 'apt-get download',
      })
      for (const name of readdirSync(folder)) {
        if (!name.endsWith('.deb')) continue
        const { code, output } = await run('dpkg-deb', ['--extract', join(folder, name), target])
        if (code !== 0) say(`dpkg-deb could not unpack ${name}:\n${lastLines(output)}`)
      }
      if (fetched.code !== 0) say(`apt-get could not fetch everything:\n${lastLines(fetched.output)}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * Options of apt-get for the packages of another release of Debian, from the archive of this system, with lists of their
 * own. None for its own release.
 */
async function optionsFor(suite, systemRoot, folder) {
  const release = readOr(join(systemRoot, 'etc/os-release'))
  const archive = archiveOf(systemRoot)
  if (suite === undefined || release.includes(`VERSION_CODENAME=${suite}`) || !archive) return []
  const sources = join(folder, 'sources.list')
  writeFileSync(sources, `deb [signed-by=${archive.keyring}] ${archive.uri} ${suite} main\n`)
  for (const name of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true })
  const options = Object.entries({
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/nonexistent',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    // Without root, the folder is not accessible to apt's own user.
    'APT::Sandbox::User': 'root',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await run('apt-get', ['-q', ...options, 'update'], { name: 'apt-get update' })
  return options
}

/** Address and keyring of the Debian archive that this system uses. */
function archiveOf(systemRoot) {
  const folder = join(systemRoot, 'etc/apt/sources.list.d')
  const files = existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : []
  const text = [join(systemRoot, 'etc/apt/sources.list'), ...files].map(readOr).join('\n\n')
  const [, uri] = /(?:^URIs:\s*|^deb\s+(?:\[[^\]]*\]\s+)?)(https?:\/\/\S+\/debian)\/?\s/m.exec(text) ?? []
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
  return uri === undefined || !existsSync(keyring) ? undefined : { uri, keyring }
}

function readOr(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Folder of the unpacked packages. */
export function programsFolder(project) {
  return join(project, '.programs')
}
