#!/usr/bin/env node
/** Minimum version of Node. */
const NEEDED = 24
/** Commands that run for a long time, with many calls. */
const SERVERS = ['serve', 'service']

// Before other modules are loaded: an older version would fail at the first unknown syntax.
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `dragoman needs Node ${NEEDED} or newer, but this is ${process.versions.node}. Install it from https://nodejs.org, with your version manager, or in this folder with: npm install node@${NEEDED}\n`,
  )
  process.exitCode = 1
} else {
  if (SERVERS.includes(process.argv[2] ?? '')) {
    const { applyMemoryFlags } = await import('./common/memory-flags.ts')
    applyMemoryFlags()
  }
  await keepCompiledCode()
  const { runProgram } = await import('./cli/program.ts')
  await runProgram()
}

/**
 * Keeps compiled code for the next start, which then takes half as long, in the user's own folder: code that others can
 * write must not be run. Nothing is kept without such a folder. `NODE_COMPILE_CACHE` of Node takes precedence.
 */
async function keepCompiledCode(): Promise<void> {
  const [{ enableCompileCache }, { homedir }, { isAbsolute, join }] = await Promise.all([
    import('node:module'),
    import('node:os'),
    import('node:path'),
  ])
  const { XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = process.env
  try {
    const folder = [XDG_CACHE_HOME, LOCALAPPDATA].find(path => isAbsolute(path)) ?? join(homedir(), '.cache')
    enableCompileCache(join(folder, 'dragoman', 'compiled'))
  } catch {
    // A user without a home folder, as in some containers.
  }
}

export {}
