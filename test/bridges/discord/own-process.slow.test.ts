import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  DiscordSimulator,
  ScriptedService,
  tone,
  tones,
  type VoiceChannel,
} from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { narrow } from '../../support/e2e/discord-call-harness.ts'
import { longest, soundings } from '../../support/e2e/phone-listener.ts'
import { until } from '../../support/until.ts'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const SAID_HZ = 700
const TRANSLATED_HZ = 1_234

const LANGUAGES = ['en-us', 'es-es'].map((languageId, _at, all) => ({
  languageId,
  name: languageId,
  transcription: true,
  translation: all.filter(each => each !== languageId),
  synthesis: true,
}))

let folder: string
let discord: DiscordSimulator
let service: ScriptedService
let sala: VoiceChannel
const children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-process-'))
  discord = await DiscordSimulator.listen()
  service = await ScriptedService.listen({
    answer: tones({ hz: () => TRANSLATED_HZ, silenceMs: 200 }),
    http: (_request, response) => response.end(JSON.stringify(LANGUAGES)),
  })
  sala = discord.addGuild({ name: 'Casa' }).addVoiceChannel({ name: 'Sala' })
  await writeFile(join(folder, 'discord.pem'), discord.certificate)
  await writeFile(join(folder, 'token'), `${discord.token}\n`)
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await discord.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** A program that knows the simulator only by its settings. */
function started(...given: string[]) {
  const child = spawn(process.execPath, given, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_EXTRA_CA_CERTS: join(folder, 'discord.pem'),
      SERVICE_URL: service.url,
      SERVICE_KEY: service.apiKey,
      DISCORD_TOKEN: discord.token,
      DISCORD_API: discord.api,
      DRAGOMAN_DISCORD_TOKEN_FILE: join(folder, 'token'),
      DRAGOMAN_DISCORD_API_URL: discord.api,
      DRAGOMAN_SERVICE_URL: service.url,
      DRAGOMAN_SERVICE_API_KEY: service.apiKey,
    },
  })
  children.push(child)
  const run = { child, out: '', err: '', code: undefined as number | null | undefined }
  child.stdout.on('data', piece => {
    run.out += piece
  })
  child.stderr.on('data', piece => {
    run.err += piece
  })
  child.once('close', code => {
    run.code = code
  })
  return run
}

/** For the examples: the package's entries from its sources. */
const SOURCE = '--conditions=dragoman-source'

test.each([
  ['the example', 'It is in.', [SOURCE, join(PROJECT, 'examples/discord-bot.ts')]],
  ['the example with an own client', 'Ready.', [SOURCE, join(PROJECT, 'examples/own-discord-bot.ts')]],
  ['dragoman serve', 'logged in; 1 server', [join(PROJECT, 'src/main.ts'), 'serve', '--port', '0']],
])(
  '%s interprets in a separate process; asked to end while it translates, it says goodbye and exits cleanly',
  async (_name, ready, given) => {
    const bot = started(...given)
    await until(() => (bot.out + bot.err).includes(ready), 30_000, `"${ready}"`).catch(error => {
      throw new Error(`${error}\n${bot.out}${bot.err}`)
    })
    const ana = sala.guild.addMember({ name: 'Ana', locale: 'es-ES' })
    const ben = sala.guild.addMember({ name: 'Ben', locale: 'en-US' })
    for (const each of [ana, ben]) await each.join(sala)
    await until(
      () => discord.requests.some(({ route, status }) => route?.includes('/commands') && status === 201),
      10_000,
      'the command',
    )
    await ana.command('interpret language', { language: 'es-es' })
    await ben.command('interpret language', { language: 'en-us' })
    await ben.command('interpret start')
    await until(() => sala.visible.some(({ text }) => text.startsWith('🔴')), 15_000, 'the notice')
    const heardMs = () => {
      const { fromMs, toMs } = longest(soundings(narrow(sala.heard()), TRANSLATED_HZ))
      return toMs - fromMs
    }
    await ben.say(tone(SAID_HZ, 3_000, SAMPLE_RATE))
    await until(() => heardMs() > 600, 20_000, 'the translation')
    bot.child.kill('SIGTERM')
    await until(() => bot.code !== undefined, 20_000, 'the end')
    expect(bot.code).toBe(0)
    expect(bot.err).not.toMatch(/^\w*Error\b|"level":[56]0/m)
    expect(sala.guild.bot.voice).toBeUndefined()
    expect(sala.visible.some(({ text }) => text.startsWith('⚪'))).toBe(true)
  },
)

test('killed in the middle of a sentence, it continues in the same channel when it starts again', async () => {
  const given = [join(PROJECT, 'src/main.ts'), 'serve', '--port', '0']
  const ready = async (bot: ReturnType<typeof started>) =>
    until(() => (bot.out + bot.err).includes('logged in; 1 server'), 30_000, 'the login').catch(error => {
      throw new Error(`${error}\n${bot.out}${bot.err}`)
    })
  const heardMs = (fromSample: number) => {
    const { fromMs, toMs } = longest(soundings(narrow(sala.heard().subarray(fromSample)), TRANSLATED_HZ))
    return toMs - fromMs
  }
  const first = started(...given)
  await ready(first)
  const ana = sala.guild.addMember({ name: 'Ana', locale: 'es-ES' })
  const ben = sala.guild.addMember({ name: 'Ben', locale: 'en-US' })
  for (const each of [ana, ben]) await each.join(sala)
  await until(
    () => discord.requests.some(({ route, status }) => route?.includes('/commands') && status === 201),
    10_000,
    'the command',
  )
  await ana.command('interpret language', { language: 'es-es', remember: true })
  await ben.command('interpret language', { language: 'en-us', remember: true })
  await ben.command('interpret start')
  await ben.command('interpret output', { first: 'es-es' })
  const saying = ben.say(tone(SAID_HZ, 3_000, SAMPLE_RATE))
  await until(() => heardMs(0) > 300, 20_000, 'the translation')
  // The settings of the channel are stored at intervals.
  const database = new DatabaseSync(join(folder, 'dragoman.db'), { readOnly: true })
  const stored = database.prepare('SELECT value FROM entries')
  const isStored = () => stored.all().some(({ value }) => `${value}`.includes('"output":["es-es"]'))
  await until(isStored, 20_000, 'the stored channel')
  database.close()
  first.child.kill('SIGKILL')
  await until(() => first.code !== undefined, 10_000, 'the end')
  await saying
  const [notices, before] = [sala.visible.length, sala.heard().length]

  await ready(started(...given))
  const notice = () => sala.visible.slice(notices).some(({ text }) => text.startsWith('🔴'))
  await until(notice, 30_000, 'the notice')
  await ben.say(tone(SAID_HZ, 3_000, SAMPLE_RATE))
  await until(() => heardMs(before) > 600, 30_000, 'the translation after the restart')
  expect((await ben.command('interpret status')).text).toContain('Spanish')
})
