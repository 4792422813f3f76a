import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { childEnvironment } from './child-environment.ts'

/**
 * Keeps compiled code for the next start, which then takes half as long, in the user's own folder: code that others can
 * write must not be run. Nothing is kept without such a folder. Node's `NODE_COMPILE_CACHE` takes precedence. Only modules
 * that are loaded afterwards are kept: call it before the program is imported.
 */
export function keepCompiledCode(): void {
  const { XDG_CACHE_HOME = '' } = childEnvironment()
  try {
    const folder = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    enableCompileCache(join(folder, 'dragoman', 'compiled'))
  } catch {
    // A user without a home folder, as in some containers.
  }
}
