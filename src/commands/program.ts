import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig } from '../config.ts'
import { languageId } from '../core/languages.ts'
import { silentLog } from '../core/log.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addDiscordCommands } from './discord-commands.ts'
import { failure } from './failure.ts'
import { addExamples } from './help-examples.ts'
import { StopSignal } from './stop-signal.ts'
import { Terminal } from './terminal.ts'
import { addTwilioCommands } from './twilio-commands.ts'

// Each command is loaded when it is asked for: what one of them needs would make all others slow.

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const terminal = new Terminal(process.stdout)
export const program = new Command('dragoman')
  .description(
    'An interpreter on the line: everybody on a call speaks their own language and hears everybody else in theirs.',
  )
  .version(version)
  .showHelpAfterError('Add --help to see its options and examples.')

const configFile = () =>
  new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if there is one')

program
  .command('serve')
  .description('the bridge server, with the embedded translation service unless service.url is set')
  .addOption(configFile())
  .option('--port <port>', 'port to listen on', port)
  .option('--host <host>', 'address to listen on')
  .option('--insecure', 'take unsigned requests, from this machine only')
  .option('--captions', 'show what is said, here on the terminal')
  .option('--print-key', 'make a key of the control API for this run and show it, also without a terminal')
  .option('--json', 'print where everything is as one line of JSON')
  .action(async options => {
    const stop = new StopSignal()
    const { config: file, port, host, insecure, captions, printKey, json } = options
    const config = loadConfig({
      file,
      overrides: { port, host, ...(insecure ? { twilio: { insecure } } : {}) },
      starts: 'bridge',
    })
    const [{ serve }, { leaveOnFailure, outliveReaders }, { errorAbove, openLog }] = await Promise.all([
      import('./serve.ts'),
      import('./unexpected.ts'),
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
  .description('the embedded translation service alone')
  .addOption(configFile())
  .option('--port <port>', 'port to listen on', port)
  .action(async ({ config: file, port }: { config?: string; port?: number }) => {
    const stop = new StopSignal()
    const config = loadConfig({ file, overrides: { embedded: { port } }, starts: 'service' })
    const [{ service }, { openLog }] = await Promise.all([import('./service.ts'), import('./log.ts')])
    const running = await service(config, terminal, openLog(config))
    await Promise.race([stop.started(), running.ended])
    await running.close()
  })

const keys = program.command('keys').description('the API keys of the embedded service, also while it runs')

keys
  .command('add')
  .description('makes a key and shows it, this once')
  .argument('<name>', 'whose key it is')
  .option('--sessions <number>', 'most sessions at a time', whole)
  .option('--minutes-per-day <number>', 'most minutes of audio in any 24 hours', whole)
  .option('--json', 'print the result as JSON')
  .addOption(configFile())
  .action(async (name: string, { config: file, ...options }) => {
    const { addKey } = await import('./keys.ts')
    await addKey(loadConfig({ file }), name, options, terminal)
  })

keys
  .command('list')
  .description('shows the keys by name, with their limits')
  .option('--json', 'print the result as JSON')
  .addOption(configFile())
  .action(async ({ config: file, ...options }) => {
    const { listKeys } = await import('./keys.ts')
    await listKeys(loadConfig({ file }), options, terminal)
  })

keys
  .command('revoke')
  .description('takes a key back; its sessions end')
  .argument('<name>', 'whose key it is')
  .addOption(configFile())
  .action(async (name: string, { config: file }) => {
    const { revokeKey } = await import('./keys.ts')
    await revokeKey(loadConfig({ file }), name, terminal)
  })

program
  .command('setup')
  .description(
    'installs the engines of the embedded service, or says how (Debian and Ubuntu; elsewhere it names them)',
  )
  .action(async () => (await import('./setup.ts')).setUp())
addTwilioCommands(program, terminal, file => loadConfig({ file }))
addDiscordCommands(program, terminal, file => loadConfig({ file }))

program
  .command('demo')
  .description(
    'a translated telephone call on this machine: a real recording in, what the other side heard out',
  )
  .option('--audio <file>', 'WAV or mp3 to speak instead of the bundled recording')
  .option('--from <language>', 'language spoken', language, 'en-us')
  .option('--to <language>', 'language heard', language, 'es-es')
  .option('--two-phones', 'a call between two people instead, who answer each other in two languages')
  .addOption(
    new Option('--discord', 'a voice channel of Discord instead, with captions in its chat').conflicts(
      'twoPhones',
    ),
  )
  .addOption(
    new Option('--output <path>', 'where to write what was heard').default(
      undefined,
      'demo-heard.wav; with --two-phones or --discord the folder demo-two-phones or demo-discord',
    ),
  )
  .option('--json', 'print the result as JSON')
  .action(async ({ output, twoPhones: two, discord, ...options }) => {
    const { json } = options
    const out = json ? new Terminal(process.stderr) : terminal
    process.exitCode = await demonstrate()

    async function demonstrate(): Promise<number> {
      if (discord) {
        const { discordDemo } = await import('./demo/discord.ts')
        return await discordDemo({ output: output ?? 'demo-discord', json }, out, silentLog)
      }
      if (two) {
        const { twoPhones } = await import('./demo/two-phones.ts')
        return await twoPhones({ output: output ?? 'demo-two-phones', json }, out, silentLog)
      }
      const { demo } = await import('./demo.ts')
      return await demo({ output: output ?? 'demo-heard.wav', ...options }, out, silentLog)
    }
  })

program
  .command('call')
  .description('a simulated phone calls a running bridge, speaks a file and writes what it heard')
  .argument('<audio>', 'WAV or mp3 to speak')
  .option('--from <language>', 'language spoken', language, 'en-us')
  .option('--to <language>', 'language heard', language, 'es-es')
  .option('--server <url>', 'address of the bridge', 'http://localhost:8080')
  .option('--room <name>', 'room to join; without one the caller hears their own translation')
  .option('--number <number>', 'number called')
  .option('--auth-token <token>', 'auth token of a bridge that has one (default: as configured)')
  .option('--public-url <url>', 'public address of the bridge, when it is configured with another')
  .option('--output <file>', 'where to write what was heard', 'call-heard.wav')
  .option('--listen <seconds>', 'go on until nothing was heard for so long', whole, 3)
  .option('--json', 'print the result as JSON')
  .action(async (audio: string, { listen, ...options }) => {
    const out = options.json ? new Terminal(process.stderr) : terminal
    const [authToken] = loadConfig().twilio.authTokens
    const { call } = await import('./call.ts')
    process.exitCode = await call({ audio, authToken, listenMs: listen * 1000, ...options }, out, silentLog)
  })

program
  .command('conform')
  .description(
    'checks any service of the interface from outside and says which statements of the document hold',
  )
  .argument('<url>', 'address of the service')
  .option('--key <key>', 'API key (default: as configured)')
  .option('--from <language>', 'language spoken and written', languageId, 'en-us')
  .option('--to <language>', 'language translated into', languageId, 'es-es')
  .option('--audio <file>', 'WAV in the language spoken (default: a bundled sentence in English)')
  .option('--text <text>', 'text in the language spoken', 'Good morning, how are you?')
  .option('--speech <text>', 'text in the language translated into', 'Buenos días, ¿cómo está?')
  .option('--patience <seconds>', 'longest wait for one answer', whole, 10)
  .option('--json', 'print the rows as JSON')
  .action(async (url: string, options) => {
    const key = options.key ?? loadConfig().service.apiKey ?? ''
    const { conform } = await import('./conform.ts')
    process.exitCode = await conform({ url, ...options, key }, terminal)
  })

program
  .command('translate')
  .description('translates a file: audio (wav, mp3, ogg, WebM) into text and voice, text into text')
  .argument('<file>', 'audio or text')
  .option('--from <language>', 'language of the file (default: as configured)', languageId)
  .option('--to <language>', 'language to translate into (default: as configured)', languageId)
  .addOption(
    new Option('--mode <mode>', 'stt: only what is said; tts: text as voice')
      .choices(['stt', 'translator', 'tts', 'sts'])
      .default(undefined, 'sts for audio, translator for .txt and .md'),
  )
  .option('--output <file>', 'where to write the voice (default: <name>.<language>.mp3)')
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
  .description(
    'checks settings, credentials, addresses, languages, voices and engines, and places a call; each with its mend',
  )
  .addOption(configFile())
  .option('--no-call', 'places no call by the public address')
  .option('--audio <file>', 'what the call says, in the language of callers (default: a sentence in English)')
  .option('--connect-to <url>', 'where the host of publicUrl is, when its name does not lead there from here')
  .option('--json', 'print the result as JSON')
  .action(async ({ config: file, json, connectTo, ...options }) => {
    const out = new Terminal(json ? process.stderr : process.stdout)
    const [{ doctor, exitCode, renderChecks, settingsToExamine }, { httpAddress }] = await Promise.all([
      import('./doctor.ts'),
      import('./address.ts'),
    ])
    const place = connectTo === undefined ? undefined : httpAddress('--connect-to', connectTo)
    out.status('Looking at everything, and placing a call; this takes some seconds …')
    const checks = await doctor(settingsToExamine({ file }), undefined, { ...options, connectTo: place })
    out.status('')
    process.stdout.write(json ? `${JSON.stringify(checks, undefined, 2)}\n` : `${renderChecks(checks)}\n`)
    process.exitCode = exitCode(checks)
  })

addCompletionCommand(program)
addExamples(program)

/** Does what the command line says; a failure is told, and is the exit code. */
export async function runProgram(): Promise<void> {
  // Node would open its inspector, in which every secret of the process can be read; `--inspect` is for that.
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

/** `text` as a language, or commander's complaint that names the option. */
function language(text: string): string {
  try {
    return languageId(text)
  } catch {
    throw new InvalidArgumentError('A language is <language>-<region> like en-us.')
  }
}
