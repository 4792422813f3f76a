import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  DiscordSimulator,
  ScriptedService,
  tone,
  tones,
  type VoiceChannel,
} from '../../../src/simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { narrow } from '../../harness/e2e/discord-call-harness.ts'
import { longest, soundings } from '../../harness/e2e/phone-listener.ts'
import { until } from '../../harness/until.ts'

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

test.each([
  ['the example', 'It is in.', [join(PROJECT, 'examples/discord-bot.ts')]],
  ['the example with an own client', 'Ready.', [join(PROJECT, 'examples/own-discord-bot.ts')]],
  ['dragoman serve', 'logged in; 1 server', [join(PROJECT, 'src/main.ts'), 'serve', '--port', '0']],
])(
  '%s interprets in a separate process; asked to end while it translates, it says goodbye and exits cleanly',
  {
    timeout: 90_000,
  },
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
    await until(() => service.sessions.length >= 2, 15_000, 'both directions')
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
