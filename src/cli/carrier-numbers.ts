import type { Config } from '../app/settings/load.ts'
import { BindingFile, type NumberChange, Numbers, type VoiceSettings } from '../bridges/phone/rest/numbers.ts'
import { signalwireNumbers } from '../bridges/phone/signalwire/rest.ts'
import { twilioNumbers } from '../bridges/phone/twilio/rest.ts'
import { restClient } from '../bridges/phone/twilio/rest-client.ts'
import type { RestSettings } from '../bridges/phone/twilio/settings.ts'
import { BridgeError } from '../common/errors.ts'
import { startedAs, type Terminal } from './terminal.ts'

/** Carriers whose numbers have webhooks of their own. */
export type NumberCarrier = 'twilio' | 'signalwire'

/** Default of `--file`. */
export const NUMBERS_FILE = 'dragoman.numbers.json'

export interface NumberOptions {
  readonly carrier: NumberCarrier
  /** Account that owns the number, if `twilio.outbound` does not name it. */
  readonly accountSid?: string | undefined
  /** Other address of the REST API, for tests. Default: that of `outbound`. */
  readonly apiUrl?: string | undefined
  /** File with the previous state of numbers. */
  readonly file: string
  /** Settings file, if one was named on the command line. */
  readonly config?: string | undefined
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
  if (
    !publicUrl.startsWith('https:') &&
    (options.apiUrl ?? config[options.carrier].outbound?.apiUrl) === undefined
  )
    throw new BridgeError('CONFIG', `${titleOf(options)} only streams to https addresses; found ${publicUrl}`)
  const change = await (await numbersOf(config, options)).bind(written(number), publicUrl)
  report(number, change, options, terminal)
  if (!options.json)
    terminal.line(`To restore the previous target, run: ${startedAs()} ${unbindCommand(number, options)}`)
}

/** The `unbind` that finds the same account, file and settings as this `bind`. */
function unbindCommand(number: string, { carrier, accountSid, apiUrl, file, config }: NumberOptions): string {
  const given = {
    'account-sid': accountSid,
    'api-url': apiUrl,
    file: file === NUMBERS_FILE ? undefined : file,
    config,
  }
  const options = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : `--${name} ${value}`,
  )
  return [carrier, 'unbind', number, ...options].join(' ')
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

async function numbersOf(config: Config, options: NumberOptions): Promise<Numbers> {
  const { carrier, accountSid, apiUrl, file } = options
  if (apiUrl !== undefined && !URL.parse(apiUrl)?.protocol.startsWith('http'))
    throw new BridgeError('CONFIG', `--api-url is an http:// or https:// address, found "${apiUrl}"`)
  const own = apiUrl === undefined ? {} : { apiUrl }
  const api =
    carrier === 'twilio'
      ? twilioNumbers(await restClient({ ...credentialsOf(config, accountSid), ...own }))
      : signalwireNumbers({ ...projectOf(config), ...own })
  return new Numbers({ api, file: new BindingFile(file) })
}

function titleOf({ carrier }: NumberOptions): string {
  return carrier === 'twilio' ? 'Twilio' : 'SignalWire'
}

function projectOf({ signalwire: { outbound } }: Config) {
  if (outbound) return outbound
  throw new BridgeError('CONFIG', 'the project of the number is unknown: set signalwire.outbound')
}

function credentialsOf({ twilio }: Config, accountSid: string | undefined): RestSettings {
  const { outbound, authToken } = twilio
  if (outbound && (accountSid === undefined || accountSid === outbound.accountSid))
    return { ...outbound, authToken: authToken[0] }
  if (accountSid !== undefined && authToken[0] !== undefined) return { accountSid, authToken: authToken[0] }
  throw new BridgeError(
    'CONFIG',
    'the account of the number is unknown: set twilio.outbound, or set twilio.authToken and --account-sid',
  )
}

function report(number: string, change: NumberChange, { json }: NumberOptions, terminal: Terminal): void {
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
