import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { isLanguageId, type LanguageId, languageId } from '../../common/language.ts'
import { DIALED_NUMBER } from '../../common/setting-fields.ts'
import { writeFileAtomic } from '../../storage/atomic-file.ts'
import { doctor, exitCode, renderChecks, settingsToExamine } from '../doctor/doctor.ts'
import { CommandError } from '../errors.ts'
import { startedAs, type Terminal } from '../terminal.ts'
import {
  type EngineChoice,
  type InitAnswers,
  neededSecrets,
  nextSteps,
  settingsFile,
} from './settings-file.ts'

/** Answers given on the command line; their questions are skipped. */
export interface InitOptions {
  readonly config: string
  readonly speaks?: LanguageId
  readonly hears?: LanguageId
  readonly engines?: EngineChoice['kind']
  readonly serviceUrl?: string
  readonly number?: string
  readonly publicUrl?: string
  readonly discord?: boolean
  /** Accept the defaults instead of asking. */
  readonly yes?: boolean
  /** Overwrite an existing file. */
  readonly force?: boolean
  /** False: do not check the settings. */
  readonly doctor: boolean
  /** Start of the commands that follow. Default: as this one was started. */
  readonly program?: string
}

/** Asks one question and returns the answer; undefined at the end of the input. */
export type Ask = (question: string) => Promise<string | undefined>

/**
 * Asks for the channels, languages and engines, writes a settings file, and checks it. Throws `CommandError` for an
 * existing file, invalid answers on the command line, and without a terminal. A failed check is not a failure of this
 * command: right after it, secrets are usually missing.
 */
export async function init(options: InitOptions, terminal: Terminal, ask?: Ask): Promise<void> {
  const { config: file, force = false, yes = false } = options
  const { program = startedAs() } = options
  if (existsSync(file) && !force) throw new CommandError(`${file} exists: pass --force to overwrite it`)
  if (!yes && !ask && !process.stdin.isTTY)
    throw new CommandError(
      'this is not a terminal: pass --yes to accept the defaults, with options for the rest',
    )
  const answers = await answersFrom(options, yes ? undefined : (ask ?? terminalQuestions()))
  await writeFileAtomic(file, settingsFile(answers))
  terminal.line(`Wrote ${file}. It contains no secrets.`)
  const secrets = neededSecrets(answers)
  if (secrets.length > 0) {
    terminal.line()
    terminal.line('Set these variables; a name that ends in _FILE takes the path of a file with the secret:')
    for (const { what, variable, from } of secrets) terminal.line(`  ${variable}  ${what}, from ${from}`)
  }
  if (options.doctor) {
    const checks = await doctor(settingsToExamine({ file }), { call: false, live: false })
    terminal.line()
    for (const line of renderChecks(checks).split('\n')) terminal.line(line)
    if (exitCode(checks) !== 0) {
      terminal.line()
      terminal.line(`Fix what failed, then check again: ${program} doctor --config ${file}`)
    }
  }
  terminal.line()
  terminal.line('Next:')
  for (const command of nextSteps(answers, file, program)) terminal.line(`  ${command}`)
}

/** Questions on the terminal. */
function terminalQuestions(): Ask {
  return async question => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    const ended = Promise.withResolvers<undefined>()
    lines.once('close', () => ended.resolve(undefined))
    try {
      return await Promise.race([lines.question(question), ended.promise])
    } finally {
      lines.close()
    }
  }
}

async function answersFrom(options: InitOptions, ask: Ask | undefined): Promise<InitAnswers> {
  const text = (question: string, standard: string, check: (answer: string) => string | undefined) =>
    answered(ask, question, standard, check)
  const { number, publicUrl } = options
  checkGiven('--number', number, phoneNumber)
  checkGiven('--public-url', publicUrl, httpsUrl)
  checkGiven('--service-url', options.serviceUrl, httpUrl)
  const speaks = options.speaks ?? languageId(await text('Your language', 'en-us', language))
  const hears =
    options.hears ?? languageId(await text('Language of the people you talk to', 'es-es', language))
  const engines = await enginesFrom(options, text)
  const wantsPhone =
    number !== undefined || publicUrl !== undefined || (await confirmed(ask, 'Connect a Twilio number?'))
  const phone = wantsPhone
    ? {
        number: number ?? (await text('Number, like +15551234567', '', phoneNumber)),
        publicUrl: publicUrl ?? (await text('Public https:// address of this server', '', httpsUrl)),
      }
    : undefined
  const discord = options.discord ?? (await confirmed(ask, 'Start a Discord bot?'))
  return { speaks, hears, engines, phone, discord }
}

type TextQuestion = (
  question: string,
  standard: string,
  check: (answer: string) => string | undefined,
) => Promise<string>

const ENGINES: readonly EngineChoice['kind'][] = ['offline', 'openai', 'service']

async function enginesFrom({ engines, serviceUrl }: InitOptions, text: TextQuestion): Promise<EngineChoice> {
  const kind =
    engines ??
    (serviceUrl === undefined
      ? await text(
          'Translation: offline (no account, English speech only), openai (one key), or service (your own URL)',
          'offline',
          answer => (ENGINES.some(each => each === answer) ? undefined : `one of ${ENGINES.join(', ')}`),
        )
      : 'service')
  if (kind === 'openai') return { kind }
  if (kind !== 'service') return { kind: 'offline' }
  return { kind, url: serviceUrl ?? (await text('Address of the translation service', '', httpUrl)) }
}

/** Asks until the answer is valid. Without questions, the default must be valid. */
async function answered(
  ask: Ask | undefined,
  question: string,
  standard: string,
  check: (answer: string) => string | undefined,
): Promise<string> {
  if (!ask) {
    const fault = check(standard)
    if (fault !== undefined) throw new CommandError(`"${question}" has no default: it must be ${fault}`)
    return standard
  }
  for (;;) {
    const answer = await ask(`${question}${standard === '' ? '' : ` [${standard}]`}: `)
    if (answer === undefined) throw new CommandError('canceled: nothing was written')
    const given = answer.trim() || standard
    const fault = check(given)
    if (fault === undefined) return given
    await ask(`It must be ${fault}. Press Enter to try again. `)
  }
}

async function confirmed(ask: Ask | undefined, question: string): Promise<boolean> {
  const answer = await answered(ask, `${question} (y/n)`, 'n', given =>
    /^(y|yes|n|no)$/i.test(given) ? undefined : 'y or n',
  )
  return /^y/i.test(answer)
}

function checkGiven(
  option: string,
  given: string | undefined,
  check: (answer: string) => string | undefined,
): void {
  const fault = given === undefined ? undefined : check(given)
  if (fault !== undefined) throw new CommandError(`${option} must be ${fault}, got "${given}"`)
}

function language(answer: string): string | undefined {
  return isLanguageId(answer.toLowerCase()) ? undefined : 'a language like en-us: <language>-<region>'
}

function phoneNumber(answer: string): string | undefined {
  return DIALED_NUMBER.test(answer) ? undefined : 'a number like +15551234567'
}

function httpsUrl(answer: string): string | undefined {
  return URL.parse(answer)?.protocol === 'https:' ? undefined : 'an https:// address'
}

function httpUrl(answer: string): string | undefined {
  return /^https?:$/.test(URL.parse(answer)?.protocol ?? '') ? undefined : 'an http:// or https:// address'
}
