import { mkdir } from 'node:fs/promises'
import { DiscordSimulator, type Member, type Message, type VoiceChannel } from '../../../simulator/index.ts'
import { type App, buildApp } from '../../app/app.ts'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import { bundledSentences, wideAudio } from '../sample-audio.ts'
import type { Terminal } from '../terminal.ts'
import {
  ConversationLog,
  type DiscordDemoResult,
  latencyOf,
  reportDiscord,
  type Said,
  writeRecord,
} from './results.ts'
import { ScriptedRecognizer, type ScriptTurn, SPEAKERS, type SpeakerKey, TURNS } from './scripts.ts'
import { noticesOver, translationHeard } from './turn-taking.ts'

/** Interval of checking the chat (ms). */
const LOOK_MS = 50

/** Prints a channel's chat as it changes: each new message and each edit. */
class ChatView implements Disposable {
  readonly #channel: VoiceChannel
  readonly #terminal: Terminal
  #timer: NodeJS.Timeout | undefined
  /** Versions shown so far. */
  readonly #shown = new Map<Message, number>()
  #edits = 0

  constructor(channel: VoiceChannel, terminal: Terminal) {
    this.#channel = channel
    this.#terminal = terminal
  }

  /** Prints messages from now on. Call it once. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  /** Edits shown so far. */
  get edits(): number {
    return this.#edits
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#look()
  }

  #look(): void {
    for (const message of this.#channel.messages) {
      const shown = this.#shown.get(message) ?? 0
      const { length } = message.history
      if (message.loading || message.deleted || shown === length) continue
      this.#shown.set(message, length)
      if (shown > 0) this.#edits += length - shown
      this.#show(shown > 0 ? 'edited' : message.ephemeral ? 'for one' : 'chat', message.text)
    }
  }

  #show(what: string, text: string): void {
    // Mentions are shown by name, as in Discord.
    const named = text.replaceAll(`<#${this.#channel.id}>`, `#${this.#channel.name}`)
    const [first = '', ...others] = named.split('\n')
    this.#terminal.line(`  ${what.padEnd(8)}│ ${first}`)
    for (const line of others) this.#terminal.line(`          │ ${line}`)
  }
}

/** Maximum wait for the initial notices (ms). */
const NOTICES_MS = 20_000
/** Silence after which the initial notices are complete (ms). */
const QUIET_MS = 1_500
/** Time for the last edits of the chat after the last speech (ms). */
const CHAT_MS = 2_500
/** Sessions for three people with one target language each, and for notices: above the default of a small machine. */
const SESSIONS = 6
/** Silence that ends an utterance; longer than the pauses within a line (ms). */
const PAUSE_MS = 600

export interface DiscordDemoOptions {
  /** Output folder. */
  readonly output: string
  readonly json?: boolean | undefined
  /** Default: all turns of the script. */
  readonly turns?: readonly ScriptTurn[]
}

/**
 * Runs a conversation in a Discord voice channel on this machine: a simulator of Discord, the bot with the discord.js
 * client library, and simulated speakers. Returns the exit code.
 */
export async function discordDemo(
  { output, json, turns = TURNS }: DiscordDemoOptions,
  terminal: Terminal,
  log: Logger,
): Promise<number> {
  // Checked first, so that an unwritable folder fails before the engines start.
  await mkdir(output, { recursive: true })
  terminal.line('Starting the translation service, the bridge and a simulated Discord …')
  await using discord = await DiscordSimulator.listen()
  using _trust = discord.trust()
  const lounge = discord
    .addGuild({ name: 'Pemberley', botPermissions: ['ChangeNickname'] })
    .addVoiceChannel({ name: 'Lounge' })
  await using recognizer = await ScriptedRecognizer.listen(
    turns.flatMap(({ by, text }) => (SPEAKERS[by].language === 'es-es' ? text : [])),
  )
  await using app = await buildApp(settings(discord, recognizer), { log })
  const address = await app.listen()
  if (!(await app.discord?.settled)) throw new BridgeError('STATE', 'the bot could not log in')
  await app.discord?.registered
  introduce(address, discord, terminal)
  const speeches = await Promise.all(turns.map(turn => speechOf(app, turn)))
  const result = await converse({ app, lounge, speeches, output, terminal })
  if (json) process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
  else reportDiscord(result, terminal)
  return result.ok ? 0 : 1
}

function settings(discord: DiscordSimulator, recognizer: ScriptedRecognizer): Parameters<typeof buildApp>[0] {
  const scripted = { engine: 'openai', url: recognizer.url, model: 'script', languages: ['es-es'] } as const
  return {
    host: '127.0.0.1',
    port: 0,
    service: {},
    embedded: { maxSessions: SESSIONS, engines: { transcription: [{ ...scripted, pauseMs: PAUSE_MS }] } },
    languages: { speaks: 'en-us', hears: 'es-es' },
    twilio: { authToken: [], insecure: true },
    discord: { token: discord.token, apiUrl: discord.api },
  }
}

function introduce(address: string, discord: DiscordSimulator, terminal: Terminal): void {
  terminal.line(
    `Bridge on ${address}; Discord’s API on ${discord.api}, used by Discord’s own client library;`,
  )
  terminal.line('voice over UDP, encrypted end to end (DAVE).')
  terminal.line(
    'John and Mary speak en-us (real recordings, of one reader), Ana es-es (a synthesised voice).',
  )
  terminal.line(
    'NOTE: no engine here recognizes es-es. Ana’s speech is detected, but its words come from the',
  )
  terminal.line(
    'script when the utterance ends. The recognition of English, both translations and voices are real.',
  )
  terminal.line()
}

/** Speech to play, 16 kHz mono. */
interface Speech {
  readonly by: SpeakerKey
  readonly pcm: Int16Array
}

async function speechOf(app: App, { by, recording, text }: ScriptTurn): Promise<Speech> {
  if (recording !== undefined)
    return { by, pcm: await wideAudio((await bundledSentences())[recording - 1] ?? '') }
  const { language } = SPEAKERS[by]
  const { pcm } = await app.announcer.say(text, language, language)
  return { by, pcm }
}

interface Scene {
  readonly app: App
  readonly lounge: VoiceChannel
  readonly speeches: readonly Speech[]
  readonly output: string
  readonly terminal: Terminal
}

async function converse({ app, lounge, speeches, output, terminal }: Scene): Promise<DiscordDemoResult> {
  using minutes = new ConversationLog(app, ['es-es'])
  minutes.start()
  using view = new ChatView(lounge, terminal)
  view.start()
  const people = await gather(lounge)
  const welcome = noticesOver(app, QUIET_MS, NOTICES_MS)
  terminal.line('John types /interpret start')
  await people.john.command('interpret start')
  terminal.line('Ana types /interpret language es-es')
  await people.ana.command('interpret language', { language: SPEAKERS.ana.language })
  await welcome
  const channel = app.discord?.interpreters.of(lounge.guild.id)
  const encrypted = channel?.status().encrypted === true
  const said: Said[] = []
  for (const { by, pcm } of speeches) {
    said.push({ atMs: performance.now(), pcm })
    await translationHeard(app, people[by].say(pcm))
  }
  // The last edit of a caption can be delayed by Discord's rate limits.
  await new Promise(settle => setTimeout(settle, CHAT_MS))
  const captions = lounge.visible.filter(({ text }) => captionOf(text))
  terminal.line('John types /interpret stop')
  const heard = lounge.heard()
  const startedAt = performance.now() - (heard.length * 1_000) / SAMPLE_RATE
  await people.john.command('interpret stop')
  const chat = lounge.visible.map(({ text }) => text)
  const files = await writeRecord({ said, startedAt, heard, chat }, minutes, output)
  return {
    captions: minutes.said,
    latencyMs: latencyOf(minutes.latenciesMs),
    messages: captions.length,
    edits: captions.reduce((sum, { edits }) => sum + edits, 0),
    encrypted,
    scripted: ['es-es'],
    files,
    ok: encrypted && view.edits > 0 && captions.length >= speeches.length && minutes.heard >= speeches.length,
  }
}

async function gather(lounge: VoiceChannel): Promise<Record<SpeakerKey, Member>> {
  const member = ({ name, locale }: (typeof SPEAKERS)[SpeakerKey]) => lounge.guild.addMember({ name, locale })
  const { john, mary, ana } = SPEAKERS
  const people = { john: member(john), mary: member(mary), ana: member(ana) }
  for (const each of Object.values(people)) await each.join(lounge)
  return people
}

/** A caption names one of the speakers; other messages are the bot's own words. */
function captionOf(text: string): boolean {
  return Object.values(SPEAKERS).some(({ name }) => text.startsWith(name) || text.startsWith(`**${name}`))
}
