import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'

const SENTENCE = new URL('../../recordings/sense-and-sensibility-4.wav', import.meta.url).pathname
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGHUP'] as const

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-refusals-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

class Exit extends Error {}

/** Runs `dragoman …` in this process, in the empty folder: a process for each would take a second. */
async function runHere(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let code: number | undefined
  const written = { out: '', err: '' }
  const write = (to: 'out' | 'err') => (chunk: string | Uint8Array) => {
    // Nothing runs after an exit.
    if (code === undefined) written[to] += chunk
    return true
  }
  const before = { cwd: process.cwd(), argv: process.argv, listeners: SIGNALS.map(listenersOf) }
  vi.spyOn(process.stdout, 'write').mockImplementation(write('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(write('err'))
  vi.spyOn(process, 'exit').mockImplementation(status => {
    code ??= Number(status ?? 0)
    throw new Exit()
  })
  try {
    process.chdir(folder)
    process.argv = [process.execPath, 'dragoman', ...args]
    process.exitCode = undefined
    await runProgram()
    return { ...written, code: code ?? Number(process.exitCode ?? 0) }
  } finally {
    vi.restoreAllMocks()
    process.exitCode = undefined
    process.argv = before.argv
    process.chdir(before.cwd)
    for (const [n, signal] of SIGNALS.entries())
      for (const listener of listenersOf(signal))
        if (!before.listeners[n]?.includes(listener)) process.off(signal, listener)
  }
}

const listenersOf = (signal: NodeJS.Signals) => process.listeners(signal)

describe('errors are reported in one line:', () => {
  test.each([
    ['a missing file', ['call', 'nope.wav'], /^ENOENT: .*nope\.wav/],
    ['a file that is not audio', ['call', 'notes.txt'], /^NOT_WAV: /],
    ['a missing file for the demo', ['demo', '--audio', 'nope.wav'], /^ENOENT: .*nope\.wav/],
    ['a missing settings file', ['serve', '--config', 'nope.yaml'], /^nope\.yaml: .*ENOENT/],
    ['a settings file with a wrong key', ['serve', '--config', 'wrong.yaml'], /^wrong\.yaml:1: prot/],
    [
      'an invalid address',
      ['call', SENTENCE, '--server', 'nowhere'],
      /^--server is "nowhere": .* like http:/,
    ],
    [
      'a number for an address',
      ['call', SENTENCE, '--server', '8080'],
      /did you mean http:\/\/localhost:8080\?/,
    ],
    [
      'an invalid public address',
      ['call', SENTENCE, '--public-url', 'x.example.com'],
      /^--public-url is "x\.example\.com": .*did you mean http/,
    ],
    [
      'a bridge that is not there',
      ['call', SENTENCE, '--server', 'http://127.0.0.1:9'],
      /^no bridge answers at .*serve/,
    ],
    ['a folder as output', ['call', SENTENCE, '--output', '/'], /^--output is "\/": it is a folder/],
    [
      'a folder that is not there',
      ['demo', '--output', 'no/x.wav'],
      /^--output is "no\/x\.wav": the folder "no" does not exist/,
    ],
    [
      'a missing output folder',
      ['translate', 'notes.txt', '--output', 'no/x.mp3'],
      /the folder "no" does not exist/,
    ],
  ])('%s', async (_what, args, line) => {
    await writeFile(join(folder, 'notes.txt'), 'hello, I am not audio at all')
    await writeFile(join(folder, 'wrong.yaml'), 'prot: 8080\n')
    const { code, out, err } = await runHere(...args)
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(line)])
  })

  test.each([
    ['an unknown option', ['serve', '--prot', '1'], "error: unknown option '--prot'"],
    [
      'a port that is too large',
      ['serve', '--port', '99999999'],
      "error: option '--port <port>' argument '99999999' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [
      'a port that is not a number',
      ['serve', '--port', 'abc'],
      "error: option '--port <port>' argument 'abc'",
    ],
    [
      'an invalid language',
      ['demo', '--to', 'Spanish'],
      "error: option '--to <language>' argument 'Spanish'",
    ],
    ['an unknown command', ['frobnicate'], "error: unknown command 'frobnicate'"],
    ['no file to speak', ['call'], "error: missing required argument 'audio'"],
  ])('%s, with a pointer to the help', async (_what, args, line) => {
    const { code, out, err } = await runHere(...args)
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err.startsWith(line), err).toBe(true)
    expect(err).toContain('Add --help')
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(4)
    expect(err).not.toMatch(/^\s+at /m)
  })
})
