import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'
import { type InitOptions, init } from '../../src/cli/init/init.ts'
import { startedAs, Terminal } from '../../src/cli/terminal.ts'

let folder: string
let file: string
let printed = ''
const terminal = new Terminal({
  write: (text: string) => {
    printed += text
    return true
  },
} as never)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-init-'))
  file = join(folder, 'dragoman.yaml')
  printed = ''
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = (options: Partial<InitOptions>, answers?: readonly string[]) => {
  const left = [...(answers ?? [])]
  const asked: string[] = []
  const done = init(
    { config: file, doctor: false, program: 'dragoman', ...options },
    terminal,
    answers &&
      (async question => {
        asked.push(question)
        return left.shift()
      }),
  )
  return { done, asked }
}
const written = (env = {}) => loadConfig({ file, env })

describe('dragoman init', () => {
  it.each([
    ['npm run dragoman --', '/clone/src/main.ts'],
    ['npx dragoman', '/app/node_modules/.bin/dragoman'],
    ['dragoman', '/usr/bin/dragoman'],
  ])('names commands to be started by %s', async (program, path) => {
    expect(startedAs(path)).toBe(program)
    await run({ yes: true, program, number: '+15550001111', publicUrl: 'https://a.example' }).done
    expect(printed).toContain(
      `Next:\n  ${program} serve --config ${file}\n  ${program} twilio bind +15550001111 `,
    )
  })

  it('writes settings for the talk page from the defaults, readable by their owner only', async () => {
    await run({ yes: true }).done
    expect(written()).toMatchObject({ languages: { speaks: 'en-us', hears: 'es-es' } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(printed).toContain(`Next:\n  dragoman serve --config ${file}\n`)
  })

  it('asks for everything, again after an invalid answer, and names the secrets and the next commands', async () => {
    const { done, asked } = run({}, [
      'german',
      '',
      'de-de',
      'en-gb',
      'openai',
      'y',
      '0049123',
      '',
      '+4915112345678',
      'https://bridge.example.com',
      'yes',
    ])
    await done
    expect(asked[0]).toBe('Your language [en-us]: ')
    expect(asked[1]).toBe('It must be a language like en-us: <language>-<region>. Press Enter to try again. ')
    const config = written({ OPENAI_API_KEY: 'sk-test', DRAGOMAN_TWILIO_AUTH_TOKEN: 'token' })
    expect(config).toMatchObject({
      publicUrl: 'https://bridge.example.com',
      languages: { speaks: 'de-de', hears: 'en-gb' },
      twilio: { numbers: { '+4915112345678': { speaks: 'de-de', hears: 'en-gb' } } },
      discord: { language: 'de-de' },
      embedded: {
        engines: { interpretation: [{ engine: 'openai', apiKey: 'sk-test', languages: ['de-de', 'en-gb'] }] },
      },
    })
    for (const name of ['OPENAI_API_KEY', 'DRAGOMAN_TWILIO_AUTH_TOKEN_FILE', 'DRAGOMAN_DISCORD_TOKEN_FILE'])
      expect(printed).toContain(name)
    expect(printed).toContain('twilio bind +4915112345678')
    expect(printed).toContain('discord invite')
  })

  it('skips the questions that the command line answers', async () => {
    const { done, asked } = run(
      { speaks: 'en-us', hears: 'fr-fr', serviceUrl: 'https://translate.example.com', discord: false },
      ['n'],
    )
    await done
    expect(asked).toEqual(['Connect a Twilio number? (y/n) [n]: '])
    expect(written()).toMatchObject({ service: { url: 'https://translate.example.com' } })
  })

  it('overwrites nothing unless asked to, and writes nothing when canceled or wrong', async () => {
    await writeFile(file, 'port: 9000\n')
    await expect(run({ yes: true }).done).rejects.toThrow(`${file} exists: pass --force to overwrite it`)
    await expect(run({ force: true }, ['en-us']).done).rejects.toThrow('canceled: nothing was written')
    await expect(run({ yes: true, force: true, number: '112' }).done).rejects.toThrow(
      '--number must be a number like +15551234567, got "112"',
    )
    await expect(run({ yes: true, force: true, number: '+15551234567' }).done).rejects.toThrow(
      '"Public https:// address of this server" has no default: it must be an https:// address',
    )
    expect(await readFile(file, 'utf8')).toBe('port: 9000\n')
    await run({ yes: true, force: true }).done
    expect(written().port).toBe(8080)
  })
})
