#!/usr/bin/env -S node --max-semi-space-size=8
/** The oldest Node that runs this. */
const NEEDED = 24

// Before anything else is loaded: an older one would only complain about the first line it does not understand.
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `dragoman needs Node ${NEEDED} or newer, this is ${process.versions.node}: install it from https://nodejs.org, or with your version manager\n`,
  )
  process.exitCode = 1
} else {
  const { runProgram } = await import('./commands/program.ts')
  await runProgram()
}

export {}
