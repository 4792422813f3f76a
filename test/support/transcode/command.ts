import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns true if a command line tool is installed: missing oracles are skipped. */
export function which(tool: string): boolean {
  return spawnSync(tool, ['--version']).error === undefined
}

/** Runs `tool` with `input` on its standard input; returns its standard output. */
export function pipe(tool: string, args: readonly string[], input: Uint8Array): Uint8Array {
  return execFileSync(tool, args, { input, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] })
}

/** The same for a tool that needs a seekable output: `args` receives the path of the file. */
export function pipeToFile(
  tool: string,
  args: (path: string) => readonly string[],
  input: Uint8Array,
): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'transcode-'))
  try {
    const path = join(folder, 'out')
    execFileSync(tool, args(path), { input, stdio: ['pipe', 'ignore', 'ignore'] })
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
