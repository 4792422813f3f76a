import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CommandError } from './command-error.ts'

/** Shipped with the package; it needs nothing but Node. */
const SCRIPT = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))

/** What to type for that, in a checkout and where the package is installed. */
export const SETUP = import.meta.url.endsWith('.ts') ? 'npm run dragoman -- setup' : 'dragoman setup'

/** `dragoman setup`: the system's packages of the engines. Throws `CommandError` when some that are needed are still missing. */
export async function setUp(): Promise<void> {
  const child = spawn(process.execPath, [SCRIPT, '--engines'], { stdio: 'inherit' })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new CommandError('some engines are not installed: what is missing stands above')
}
