import { constants } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig } from '../app/settings/load.ts'
import { CARRIERS } from '../bridges/phone/carriers.ts'
import { languageId } from '../common/language.ts'
import { noopLogger } from '../common/log.ts'
import { version } from '../common/version.ts'
import { isLoopback } from '../net/client-address.ts'
import { failure } from './errors.ts'
import { addExamples } from './help-examples.ts'
import {
  addDiscordCommands,
  addEnginesCommands,
  addFleetCommand,
  addInitCommand,
  addModelsCommands,
  addNumberCommands,
  configFile,
  languageOption,
} from './subcommands.ts'
import { Terminal } from './terminal.ts'

// Each command is loaded on demand, so that its dependencies do not slow down the others.

const terminal = new Terminal(process.stdout)
export const program = new Command('dragoman')
  .description(
    'Live interpreter for calls: participants speak their own language and hear everyone else in it.',
  )
  .version(version)
  .showHelpAfterError('Add --help for options and examples.')

program
  .command('serve')
  .description('run the bridge server, with the embedded translation service unless service.url is set')
  .addOption(configFile())
  .option('--port <port>', 'port to listen on', port)
  .option('--host <host>', 'address to listen on')
  .option('--insecure', 'accept unsigned requests, from this machine only')
  .option('--captions', 'show captions on the terminal')
  .option('--print-key', 'create a control API key for this run and print it, even without a terminal')
  .option('--json', 'print all addresses as one line of JSON')
  .action(async options => {
    const stop = StopSignal.listen()
    const { config: file, port, host, insecure, captions, printKey, json } = options
    const config = loadConfig({
      file,
      overrides: { port, host, ...(insecure ? { twilio: { insecure } } : {}) },
      starts: 'bridge',
    })
    const [{ serve }, { leaveOnFailure, outliveReaders }, { errorAbove, openLog }] = await Promise.all([
      import('./serve.ts'),
      import('./errors.ts'),
      import('./log.ts'),
    ])
    const out = json ? new Terminal(process.stderr) : terminal
    const log = openLog(config, captions ? errorAbove(out) : undefined)
    const serving = await serve(config, out, log, { captions, printKey, json: json ? terminal : undefined })
    leaveOnFailure(serving.app, log)
    outliveReaders()
    void stop.hurried.then(() => serving.app.drain.hurry())
    await stop.started({ drains: true })
    out.line(`Ending calls …${serving.goingOn()}`)
    await serving.app.leave()
    await serving[Symbol.asyncDispose]()
  })

program
  .command('service')
  .description('run only the embedded translation service')
  .addOption(configFile())
  .option('--port <port>', 'port to listen on', port)
  .action(async ({ config: file, port }: { config?: string; port?: number }) => {
    const stop = StopSignal.listen()
    const config = loadConfig({ file, overrides: { embedded: { port } }, starts: 'service' })
    const [{ service }, { openLog }] = await Promise.all([import('./service.ts'), import('./log.ts')])
    const running = await service(config, terminal, openLog(config))
    await Promise.race([stop.started(), running.ended])
    await running.close()
  })

const keys = program
  .command('keys')
  .description('manage the API keys of the embedded service, also while it runs')

keys
  .command('add')
  .description('create a key and print it (shown only once)')
  .argument('<name>', 'name of the key')
  .option('--sessions <number>', 'maximum number of concurrent sessions', whole)
  .option('--minutes-per-day <number>', 'maximum minutes of audio in any 24 hours', whole)
  .option('--json', 'print the result as JSON')
  .addOption(configFile())
  .action(async (name: string, { config: file, ...options }) => {
    const { addKey } = await import('./keys.ts')
    await addKey(loadConfig({ file }), name, options, terminal)
  })

keys
  .command('list')
  .description('list the keys by name, with their limits')
  .option('--json', 'print the result as JSON')
  .addOption(configFile())
  .action(async ({ config: file, ...options }) => {
    const { listKeys } = await import('./keys.ts')
    await listKeys(loadConfig({ file }), options, terminal)
  })

keys
  .command('revoke')
  .description('revoke a key and end its sessions')
  .argument('<name>', 'name of the key')
  .addOption(configFile())
  .action(async (name: string, { config: file }) => {
    const { revokeKey } = await import('./keys.ts')
    await revokeKey(loadConfig({ file }), name, terminal)
  })

program
  .command('setup')
  .description('install the engines of the embedded service (Debian and Ubuntu; on other systems, list them)')
  .action(async () => (await import('./engines.ts')).setUp())
addInitCommand(program, terminal)
addEnginesCommands(program, terminal)
addModelsCommands(program, terminal)
addNumberCommands(program, terminal)
addDiscordCommands(program, terminal)

program
  .command('demo')
  .description('run a translated phone call on this machine and save what the listener heard')
  .option('--audio <file>', 'WAV or MP3 file to play instead of the bundled recording')
  .option('--from <language>', 'spoken language', languageOption, 'en-us')
  .option('--to <language>', 'target language', languageOption, 'es-es')
  .addOption(
    new Option(
      '--engines',
      'use the service or the engines of the settings, and play all bundled sentences; hosted engines cost money',
    ).conflicts(['twoPhones', 'discord']),
  )
  .addOption(configFile())
  .addOption(
    new Option('--carrier <name>', 'carrier of the phones')
      .choices(CARRIERS.map(({ name }) => name))
      .default('twilio')
      .conflicts(['twoPhones', 'discord']),
  )
  .option('--two-phones', 'run a call between two people who speak two languages')
  .addOption(
    new Option('--discord', 'run a Discord voice channel, with captions in its chat').conflicts('twoPhones'),
  )
  .addOption(
    new Option('--output <path>', 'output file or folder').default(
      undefined,
      'demo-heard.wav; with --two-phones or --discord, the folder demo-two-phones or demo-discord',
    ),
  )
  .option('--json', 'print the result as JSON')
  .action(async ({ output, twoPhones: two, discord, engines, config: file, ...options }) => {
    const { json } = options
    const out = json ? new Terminal(process.stderr) : terminal
    process.exitCode = await demonstrate()

    async function demonstrate(): Promise<number> {
      if (discord) {
        const { discordDemo } = await import('./demo/discord.ts')
        return await discordDemo({ output: output ?? 'demo-discord', json }, out, noopLogger)
      }
      if (two) {
        const { twoPhones } = await import('./demo/two-phones.ts')
        return await twoPhones({ output: output ?? 'demo-two-phones', json }, out, noopLogger)
      }
      const { demo } = await import('./demo/demo.ts')
      const configured = engines ? loadConfig({ file }) : undefined
      return await demo({ output: output ?? 'demo-heard.wav', ...options, configured }, out, noopLogger)
    }
  })

program
  .command('call')
  .description('call a running bridge with a simulated phone, play a file and save what it heard')
  .argument('<audio>', 'WAV or MP3 file to play')
  .option('--from <language>', 'spoken language', languageOption, 'en-us')
  .option('--to <language>', 'target language', languageOption, 'es-es')
  .option('--server <url>', 'address of the bridge', 'http://localhost:8080')
  .option('--room <name>', 'room to join; without a room, the caller hears their own translation')
  .addOption(
    new Option('--carrier <name>', 'carrier of the phone')
      .choices(CARRIERS.map(({ name }) => name))
      .default('twilio'),
  )
  .option('--number <number>', 'number to call')
  .option('--auth-token <token>', 'auth token of the bridge (default: as configured)')
  .option(
    '--public-url <url>',
    'public address of the bridge (default: publicUrl of the settings, for a bridge on this machine)',
  )
  .option('--output <file>', 'output file', 'call-heard.wav')
  .option('--listen <seconds>', 'stop after this many seconds of silence', whole, 3)
  .option('--json', 'print the result as JSON')
  .action(async (audio: string, { listen, ...options }) => {
    const out = options.json ? new Terminal(process.stderr) : terminal
    const config = loadConfig()
    const module = CARRIERS.find(({ name }) => name === options.carrier)
    const authToken = module?.signingSecret(config[module.name])
    const { call } = await import('./call/call.ts')
    const line = {
      sampleRate: options.carrier === 'asterisk' ? config.asterisk.sampleRate : config.jambonz.sampleRate,
      audioAddress: `127.0.0.1:${config.asterisk.audioSocket.port}`,
      stream: config.asterisk.stream,
    }
    // The bridge of these settings verifies signatures of its public address.
    const here = isLoopback(URL.parse(options.server)?.hostname ?? '')
    const publicUrl = here ? config.publicUrl : undefined
    const asked = { audio, authToken, publicUrl, listenMs: listen * 1000, ...line, ...options }
    process.exitCode = await call(asked, out, noopLogger)
  })

program
  .command('conformance')
  .description('check any service of the interface from outside and report which statements hold')
  .argument('<url>', 'address of the service')
  .option('--key <key>', 'API key (default: as configured)')
  .option('--socket-path <path>', 'path of Socket.IO, if it is below a path of the address')
  .option('--from <language>', 'source language', languageId, 'en-us')
  .option('--to <language>', 'target language', languageId, 'es-es')
  .option('--audio <file>', 'WAV file in the source language (default: a bundled English sentence)')
  .option('--text <text>', 'text in the source language', 'Good morning, how are you?')
  .option('--speech <text>', 'text in the target language', 'Buenos días, ¿cómo está?')
  .option('--patience <seconds>', 'maximum wait for one response', whole, 10)
  .option('--json', 'print the rows as JSON')
  .action(async (url: string, options) => {
    const key = options.key ?? loadConfig().service.apiKey ?? ''
    const { conform } = await import('./conformance/conform.ts')
    process.exitCode = await conform({ url, ...options, key }, terminal)
  })

program
  .command('translate')
  .description('translate a file: audio (WAV, MP3, Ogg, WebM) to text and voice, or text to text')
  .argument('<file>', 'audio or text file')
  .option('--from <language>', 'language of the file (default: as configured)', languageId)
  .option('--to <language>', 'target language (default: as configured)', languageId)
  .addOption(
    new Option('--mode <mode>', 'stt: transcript only; tts: text to voice')
      .choices(['stt', 'translator', 'tts', 'sts'])
      .default(undefined, 'sts for audio, translator for .txt and .md'),
  )
  .option('--output <file>', 'output file for the voice (default: <name>.<language>.mp3)')
  .addOption(configFile())
  .option('--json', 'print the result as JSON')
  .action(async (file: string, { config: settings, ...options }) => {
    const config = loadConfig({ file: settings })
    const { speaks: from, hears: to } = config.languages
    const out = options.json ? new Terminal(process.stderr) : terminal
    const { translate } = await import('./translate.ts')
    process.exitCode = await translate({ file, from, to, ...options }, config, out)
  })

program
  .command('doctor')
  .description('check the configuration, place a test call and suggest fixes')
  .addOption(configFile())
  .option('--no-call', 'do not place the test call')
  .option('--no-live', 'send no sentence to engines that are not on this machine')
  .option(
    '--audio <file>',
    'audio for the test call, in the language of callers (default: an English sentence)',
  )
  .option('--connect-to <url>', 'connect here instead of resolving publicUrl')
  .option('--json', 'print the result as JSON')
  .action(async ({ config: file, json, connectTo, ...options }) => {
    const out = new Terminal(json ? process.stderr : process.stdout)
    const [{ doctor, exitCode, renderChecks, settingsToExamine }, { httpAddress }] = await Promise.all([
      import('./doctor/doctor.ts'),
      import('./call/call.ts'),
    ])
    const place = connectTo === undefined ? undefined : httpAddress('--connect-to', connectTo)
    out.status('Checking everything and placing a call; this takes some seconds …')
    const checks = await doctor(settingsToExamine({ file }), { ...options, connectTo: place })
    out.status('')
    process.stdout.write(json ? `${JSON.stringify(checks, undefined, 2)}\n` : `${renderChecks(checks)}\n`)
    process.exitCode = exitCode(checks)
  })

addFleetCommand(program, terminal)
addExamples(program)

/** Runs the command line. Failures are printed and set the exit code. */
export async function runProgram(): Promise<void> {
  // Node would open its inspector, which exposes every secret of the process; `--inspect` exists for that.
  process.on('SIGUSR1', () => {})
  try {
    await program.parseAsync()
  } catch (error) {
    process.stderr.write(`${failure(error)}\n`)
    process.exitCode = 1
  }
}

function whole(text: string): number {
  return within(text, 99_999)
}

function port(text: string): number {
  return within(text, 65_535)
}

function within(text: string, largest: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= largest)) throw new InvalidArgumentError(`Expected a whole number from 0 to ${largest}.`)
  return number
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Requests to end this process. During startup, a request ends the process at once,
 * with everything that it started. Afterwards, the first request grants time, and the last one ends the process at
 * once:
 *
 * starting ──started──▶ patient ──SIGTERM──▶ asked ──any──▶ hurried ──any──▶ exit
 * └──SIGINT, or without patience──────▲
 */
class StopSignal {
  /** Settles when only the time for closing remains. */
  readonly hurried: Promise<void>
  readonly #asked = Promise.withResolvers<void>()
  readonly #hurried = Promise.withResolvers<void>()
  #state: 'starting' | 'patient' | 'asked' | 'hurried' = 'starting'
  #drains = false

  private constructor() {
    this.hurried = this.#hurried.promise
  }

  /** Handles the signals of this process from now on. */
  static listen(): StopSignal {
    const stop = new StopSignal()
    for (const signal of SIGNALS) process.on(signal, () => stop.#got(signal))
    return stop
  }

  /**
   * Startup is complete; settles at the first request from now on. With `drains`, SIGTERM grants time for calls in
   * progress.
   */
  started({ drains = false } = {}): Promise<void> {
    this.#state = 'patient'
    this.#drains = drains
    return this.#asked.promise
  }

  #got(signal: (typeof SIGNALS)[number]): void {
    if (this.#state === 'starting' || this.#state === 'hurried') process.exit(128 + constants.signals[signal])
    if (this.#state === 'patient' && signal === 'SIGTERM' && this.#drains) this.#state = 'asked'
    else {
      this.#state = 'hurried'
      this.#hurried.resolve()
    }
    this.#asked.resolve()
  }
}
