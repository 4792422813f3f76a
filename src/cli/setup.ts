import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CommandError } from './command-error.ts'

/** Shipped with the package; requires only Node. */
const SCRIPT = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))

/** The setup command, in a checkout or an installed package. */
export const SETUP = import.meta.url.endsWith('.ts') ? 'npm run dragoman -- setup' : 'dragoman setup'

/**
 * `dragoman setup`: installs the system packages of the engines. Throws `CommandError` if required ones are still
 * missing.
 */
export async function setUp(): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, '--engines'], { stdio: 'inherit' })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new CommandError('some engines are not installed; see the list above')
}
