import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
  const packages = parts.flatMap(part => part.packages)
  const target = programsFolder(project)
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-packages-'))
  try {
    say(`unpacking ${packages.join(' ')} into ${target}…`)
    const fetched = await run('apt-get', ['-q', 'download', ...packages], {
      cwd: folder,
      name: 'apt-get download',
    })
    mkdirSync(target, { recursive: true })
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

/** Folder of the unpacked packages. */
export function programsFolder(project) {
  return join(project, '.programs')
}
