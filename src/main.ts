#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=30
/** Minimum version of Node. */
const NEEDED = 24

// Before other modules are loaded: an older version would fail at the first unknown syntax.
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `dragoman needs Node ${NEEDED} or newer, but this is ${process.versions.node}. Install it from https://nodejs.org, with your version manager, or in this folder with: npm install node@${NEEDED}\n`,
  )
  process.exitCode = 1
} else {
  const { keepCompiledCode } = await import('./common/compiled-code.ts')
  keepCompiledCode()
  const { markInSteps } = await import('./common/memory-flags.ts')
  markInSteps()
  const { runProgram } = await import('./cli/program.ts')
  await runProgram()
}

export {}
