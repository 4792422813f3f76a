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
  const { applyMemoryFlags, keepCompiledCode } = await import('./common/node-options.ts')
  if (SERVERS.includes(process.argv[2] ?? '')) applyMemoryFlags()
  keepCompiledCode()
  const { runProgram } = await import('./cli/program.ts')
  await runProgram()
}

export {}
