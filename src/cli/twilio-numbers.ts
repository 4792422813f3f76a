import type { VoiceSettings } from '../bridges/twilio/numbers.ts'
import { BindingFile, type Change, Numbers } from '../bridges/twilio/numbers.ts'
import { restClient } from '../bridges/twilio/rest-client.ts'
import type { RestSettings } from '../bridges/twilio/settings.ts'
import { BridgeError } from '../common/errors.ts'
import type { Config } from '../config/load.ts'
import type { Terminal } from './terminal.ts'

export interface NumberOptions {
  /** Account that owns the number, if `twilio.outbound` does not name it. */
  readonly accountSid?: string | undefined
  /** Other address of the REST API, for tests. Default: that of `twilio.outbound`. */
  readonly apiUrl?: string | undefined
  /** File with the previous state of numbers. */
  readonly file: string
  readonly json?: boolean | undefined
}

/** Routes the calls of `number` to this bridge. */
export async function bindNumber(
  config: Config,
  number: string,
  options: NumberOptions & { readonly url?: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const publicUrl = (options.url ?? config.publicUrl)?.replace(/\/+$/, '')
  if (publicUrl === undefined || !URL.parse(publicUrl)?.protocol.startsWith('http'))
    throw new BridgeError(
      'CONFIG',
      `the public address of this server is required: set publicUrl or --url; found ${publicUrl ?? 'neither'}`,
    )
  if (!publicUrl.startsWith('https:') && (options.apiUrl ?? config.twilio.outbound?.apiUrl) === undefined)
    throw new BridgeError('CONFIG', `Twilio only streams to https addresses; found ${publicUrl}`)
  const change = await (await numbersOf(config, options)).bind(written(number), publicUrl)
  report(number, change, options, terminal)
  if (!options.json) terminal.line(`To restore the previous target, run dragoman twilio unbind ${number}.`)
}

/** Restores the previous target of `number`. */
export async function unbindNumber(
  config: Config,
  number: string,
  options: NumberOptions & { readonly force?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  const change = await (await numbersOf(config, options)).unbind(written(number), {
    force: options.force ?? false,
  })
  report(number, change, options, terminal)
}

/** Validates a number in Twilio’s notation. */
function written(number: string): string {
  if (/^\+[1-9]\d{6,14}$/.test(number)) return number
  throw new BridgeError('CONFIG', `expected a number like +15551234567, found "${number}"`)
}

async function numbersOf(config: Config, { accountSid, apiUrl, file }: NumberOptions): Promise<Numbers> {
  if (apiUrl !== undefined && !URL.parse(apiUrl)?.protocol.startsWith('http'))
    throw new BridgeError('CONFIG', `--api-url is an http:// or https:// address, found "${apiUrl}"`)
  const client = await restClient({
    ...credentialsOf(config, accountSid),
    ...(apiUrl === undefined ? {} : { apiUrl }),
  })
  return new Numbers({ client, file: new BindingFile(file) })
}

function credentialsOf({ twilio }: Config, accountSid: string | undefined): RestSettings {
  const { outbound, authTokens } = twilio
  if (outbound && (accountSid === undefined || accountSid === outbound.accountSid))
    return { authToken: authTokens[0], ...defined(outbound) }
  if (accountSid !== undefined && authTokens[0] !== undefined) return { accountSid, authToken: authTokens[0] }
  throw new BridgeError(
    'CONFIG',
    'the account of the number is unknown: set twilio.outbound, or set twilio.authToken and --account-sid',
  )
}

/** Removes undefined values, which would hide the account’s token. */
function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T
}

function report(number: string, change: Change, { json }: NumberOptions, terminal: Terminal): void {
  if (json) {
    terminal.line(JSON.stringify({ number, ...change }))
    return
  }
  terminal.line(`${number} ${change.changed ? 'now calls' : 'calls already'} ${place(change.after)}`)
  if (change.changed) terminal.line(`  before: ${place(change.before)}`)
}

function place({ trunkSid, voiceApplicationSid, voiceUrl }: VoiceSettings): string {
  return trunkSid || voiceApplicationSid || voiceUrl || 'nothing'
}
