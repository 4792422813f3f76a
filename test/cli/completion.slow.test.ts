import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOf, commandTree } from '../../src/cli/completion.ts'
import { program } from '../../src/cli/program.ts'
import { programOf } from '../deploy/proxy.ts'
import { ZSH_PROBE } from '../support/cli/zsh-probe.ts'
import { Shell } from '../support/shell.ts'

const run = promisify(execFile)
const SHELLS = ['bash', 'zsh', 'fish'] as const
type Kind = (typeof SHELLS)[number]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-completion-'))
  await mkdir(join(folder, 'recordings of calls'))
  for (const name of ['speech.wav', 'settings.yaml']) await writeFile(join(folder, name), '')
  await using shell = await Shell.open()
  await Promise.all(
    SHELLS.map(async kind => {
      const { code, out, err } = await shell.run('completion', kind)
      expect([code, err]).toEqual([0, ''])
      await writeFile(join(folder, `completion.${kind}`), out)
    }),
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The completions that a shell offers for `words`, the last of which is incomplete. */
async function offers(kind: Kind, words: readonly string[]): Promise<string[]> {
  const line = ['dragoman', ...words]
  const script = join(folder, `completion.${kind}`)
  const options = {
    cwd: folder,
    timeout: 20_000,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
  }
  const lines = (text: string) =>
    text
      .split('\n')
      .map(each => each.split('\t')[0]?.trim() ?? '')
      .filter(Boolean)
  if (kind === 'bash') {
    const code = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dragoman; printf '%s\\n' "\${COMPREPLY[@]}"`
    return lines((await run('bash', ['--norc', '-c', code, 'bash', script, ...line], options)).stdout)
  }
  if (kind === 'fish') {
    const code = `source ${script}; complete -C '${line.join(' ')}'`
    return lines((await run('fish', ['--no-config', '-c', code], options)).stdout)
  }
  const probe = join(folder, 'probe.zsh')
  await writeFile(probe, ZSH_PROBE)
  return lines((await run('zsh', ['-f', probe, script, line.join(' ')], options)).stdout)
}

describe.each(SHELLS)('completion in %s', kind => {
  const there = test.skipIf(programOf(kind) === undefined)

  there('knows the commands, and the commands of commands', async () => {
    expect(await offers(kind, [''])).toEqual(
      expect.arrayContaining(['serve', 'doctor', 'completion', 'twilio']),
    )
    expect(await offers(kind, ['twilio', ''])).toEqual(expect.arrayContaining(['bind', 'unbind']))
    expect(await offers(kind, ['twilio', ''])).not.toContain('serve')
    expect(await offers(kind, ['do'])).toEqual(['doctor'])
  })

  there('knows the options of each command, and no others', async () => {
    expect(await offers(kind, ['twilio', 'bind', '--'])).toEqual(
      expect.arrayContaining(['--url', '--account-sid', '--help']),
    )
    const serve = await offers(kind, ['serve', '--'])
    expect(serve).toEqual(expect.arrayContaining(['--config', '--port', '--captions']))
    expect(serve).not.toContain('--url')
    expect(await offers(kind, ['doctor', '--connect'])).toEqual(['--connect-to'])
  })

  there('knows the words that an option or an argument takes', async () => {
    expect((await offers(kind, ['translate', '--mode', ''])).sort()).toEqual(
      ['stt', 'sts', 'translator', 'tts'].sort(),
    )
    expect((await offers(kind, ['completion', ''])).filter(word => !word.startsWith('-')).sort()).toEqual(
      [...SHELLS].sort(),
    )
  })

  there('offers files for file arguments, and nothing for free text', async () => {
    expect(await offers(kind, ['serve', '--config', 's'])).toEqual(['settings.yaml', 'speech.wav'])
    expect(await offers(kind, ['call', 'sp'])).toEqual(['speech.wav'])
    expect(await offers(kind, ['serve', '--port', ''])).toEqual([])
    // The value of an option is not a command.
    expect(await offers(kind, ['call', '--room', 'serve', '--li'])).toEqual(['--listen'])
  })
})

test('the scripts contain every command and option', async () => {
  const { readFile } = await import('node:fs/promises')
  for (const kind of SHELLS) {
    const script = await readFile(join(folder, `completion.${kind}`), 'utf8')
    for (const { name, options } of allOf(commandTree(program)))
      for (const word of [
        name,
        ...options.map(({ long }) => (kind === 'fish' ? `-l ${long.slice(2)}` : long)),
      ])
        expect(script).toContain(word)
  }
})
