import { spawn } from 'node:child_process'
import { say } from './say.mjs'

const PROGRESS_MS = 15_000

/**
 * Runs a program without input and quietly; prints a line from time to time to show progress.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, name?: string, timeoutMs?: number }} [options]
 * @returns {Promise<{ code: number | null, output: string }>} `code` null: it could not be started or was ended.
 */
export function run(command, args, { cwd, env = process.env, name = command, timeoutMs = 15 * 60_000 } = {}) {
  return new Promise(resolve => {
    const begun = performance.now()
    const seconds = () => Math.round((performance.now() - begun) / 1000)
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    let output = ''
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (output += chunk))
    const progress = setInterval(() => say(`${name}: still working, ${seconds()} s`), PROGRESS_MS)
    const deadline = setTimeout(() => child.kill(), timeoutMs)
    const end = (code, more = '') => {
      clearInterval(progress)
      clearTimeout(deadline)
      resolve({ code, output: output + more })
    }
    child.on('error', error => end(null, String(error)))
    child.on('close', (code, signal) => end(code, signal ? `\nended by ${signal} after ${seconds()} s` : ''))
  })
}

/** The end of `output`, indented: enough to see why a program failed. */
export function lastLines(output, count = 12) {
  return output
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map(line => `  ${line}`)
    .join('\n')
}
