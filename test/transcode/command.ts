import { execFileSync, spawnSync } from 'node:child_process'

/** Whether a command line tool is installed: oracles that are missing are passed over. */
export function which(tool: string): boolean {
  return spawnSync(tool, ['--version']).error === undefined
}

/** Runs `tool` with `input` on its standard input; returns its standard output. */
export function pipe(tool: string, args: readonly string[], input: Uint8Array): Uint8Array {
  return execFileSync(tool, args, { input, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] })
}
