import { randomBytes } from 'node:crypto'
import { type App, buildApp } from '../app/app.ts'
import type { Config } from '../app/settings/load.ts'
import type { DiscordBridge } from '../bridges/discord/contract.ts'
import type { Logger } from '../common/log.ts'
import { ServiceClientError } from '../service/client/errors.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import { LiveView } from './call/live-view.ts'
import { embeddedEngines } from './engines.ts'
import { exampleRecording } from './help-examples.ts'
import { leaveLocalToken } from './local-token.ts'
import { labeledLine, startedAs, type Terminal, type TerminalText } from './terminal.ts'

/** The settings with the address of the translation service. */
interface ServicePlace {
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
}

/**
 * Returns why the configured service does not work, in one line with the fix. Returns undefined if it works or is
 * embedded. Never rejects.
 */
export async function serviceWarning({ url, apiKey = '' }: ServicePlace): Promise<string | undefined> {
  if (url === undefined) return undefined
  try {
    await new ServiceClient({ url, apiKey }).languages()
    return undefined
  } catch (error) {
    return `WARNING: ${mishap(url, apiKey, error)} Until then, calls hear the original voices.`
  }
}

function mishap(url: string, apiKey: string, error: unknown): string {
  const failure = error instanceof ServiceClientError ? error : undefined
  const message = failure?.message ?? String(error)
  if (failure?.code === 'unreachable' || failure?.code === 'timeout')
    return `nothing answers at service.url, ${url}: start the service, or fix the address.`
  if (failure?.by !== 'service')
    return `the server at service.url, ${url}, is not a translation service (${message}): fix the address.`
  if (!/unauthorized|forbidden|key|token/i.test(message))
    return `the service at ${url} rejects requests (${message}): see its log.`
  const fix = 'set service.apiKey (DRAGOMAN_SERVICE_API_KEY, or …_FILE) to a key of that service.'
  if (apiKey === '') return `the service at ${url} requires an API key, and none is set: ${fix}`
  return `the service at ${url} rejected the API key (${message}): ${fix}`
}

/** 144 bits, 24 characters: the required minimum, and short enough for a terminal line. */
const KEY_BYTES = 18

/** Name of the key created at startup, for the log. */
const START_KEY_NAME = 'start'

/** Returns `config` with an additional control API key that is valid for this run. */
function withStartKey(config: Config): { readonly config: Config; readonly key: string } {
  const key = randomBytes(KEY_BYTES).toString('base64url')
  const keys = [...config.control.keys, { name: START_KEY_NAME, key }]
  return { config: { ...config, control: { ...config.control, keys } }, key }
}

/** Addresses of a bridge server. Absent fields are not available. */
export interface Whereabouts {
  /** Address of the server. */
  readonly address: string
  /** The talk page. */
  readonly talk: string
  readonly dashboard?: string
  /** The caption page of a room, with `<room>` in it. */
  readonly captions: string
  /** Description of the control API for people. */
  readonly control: string
  readonly metrics?: string
  /** Webhook for phone numbers. */
  readonly twilio: string
  /** Present while the Discord login is in progress. */
  readonly discord?: true
  /** The translation service; `embedded` if this server runs it. */
  readonly service: { readonly url: string; readonly embedded: boolean }
  readonly languages: { readonly speaks: string; readonly hears: string }
  /** Control API key of this run; the dashboard’s address contains it too. */
  readonly key?: string
}

/** Returns the addresses of an app that listens at `listening`. `key` is visible to every reader. */
function startupSummary(app: App, config: Config, listening: string, key?: string): Whereabouts {
  // Browsers cannot connect to a wildcard address.
  const address = listening.replace('//[::]', '//localhost')
  const has = (url: string) => app.server.hasRoute({ method: 'GET', url })
  const { speaks, hears } = config.languages
  return {
    address,
    talk: `${address}/`,
    ...(has('/dashboard') ? { dashboard: `${address}/dashboard${key ? `#key=${key}` : ''}` } : {}),
    captions: `${address}/captions/<room>`,
    control: `${address}/v1/docs`,
    ...(has('/metrics') ? { metrics: `${address}/metrics` } : {}),
    twilio: `${config.publicUrl ?? address}/twilio/voice`,
    ...(app.discord ? { discord: true } : {}),
    service: {
      url: config.service.url ?? app.service?.url ?? '',
      embedded: config.service.url === undefined,
    },
    languages: { speaks, hears },
    ...(key === undefined ? {} : { key }),
  }
}

/** Formats the list. `closed`: no control API key exists. */
function whereaboutsLines(there: Whereabouts, closed: boolean): string[] {
  const { service, languages } = there
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['talk', there.talk],
    ['dashboard', there.dashboard],
    ['captions', there.captions],
    ['control', there.control],
    ['key', there.key && `${there.key} (for this run)`],
    ...(closed && there.key === undefined
      ? [['', 'they require a key: --print-key, or control.keys in the settings'] as const]
      : []),
    ['metrics', there.metrics],
    ['Twilio', there.twilio],
    ['Discord', there.discord && 'logging in'],
    ['service', service.embedded ? `embedded, ${service.url}` : service.url],
    ['languages', `${languages.speaks} → ${languages.hears}`],
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [labeledLine(name, value)]))
}

/** A running bridge server; closing it ends its calls. */
export interface Serving extends AsyncDisposable {
  readonly app: App
  readonly address: string
  /** Describes what shutdown is waiting for; empty if nothing. */
  goingOn(): string
}

/** Additional startup output, apart from the addresses. */
export interface ServeOptions {
  /** Print captions on the terminal. */
  readonly captions?: boolean | undefined
  /** Create a control API key for this run and print it. Default: on an interactive terminal. */
  readonly printKey?: boolean | undefined
  /** Prints the addresses as one line of JSON on this terminal; everything else goes to the other one. */
  readonly json?: Terminal | undefined
}

/** Starts the bridge server; resolves when it listens. Rejects with `BridgeError` `CONFIG` for unusable settings. */
export async function serve(
  settings: Config,
  terminal: Terminal,
  log: Logger,
  { captions, json, printKey = (json ?? terminal).interactive }: ServeOptions = {},
): Promise<Serving> {
  // Without an account, the bridge is still protected: requests are signed with a token of this run.
  const local =
    !settings.twilio.insecure && settings.twilio.authToken.length === 0 && settings.publicUrl === undefined
  // `dragoman call` reads its captions with the key.
  const { config, key } = printKey || local ? withStartKey(settings) : { config: settings }
  const token = randomBytes(16).toString('hex')
  const twilio = local ? { ...config.twilio, authToken: [token] } : config.twilio
  const app = await buildApp({ ...config, twilio }, { ownAuthTokens: local, log })
  let address: string
  try {
    address = await app.listen()
  } catch (error) {
    await app.close()
    throw error
  }
  const port = Number(new URL(address).port)
  // Other users of the machine can take the place of the file; only `dragoman call` then needs the token on its own.
  const left = local
    ? await leaveLocalToken(port, { token, key }).catch((error: Error) => {
        terminal.line(`  ${error.message}. Without it, dragoman call cannot use this server.`)
        return undefined
      })
    : undefined
  const there = startupSummary(app, config, address, printKey ? key : undefined)
  if (json) json.line(JSON.stringify(there))
  const engines = config.service.url === undefined ? await embeddedEngines(there.service.url) : []
  greet(there, engines, settings, local, terminal)
  if (app.discord) void tellDiscord(app.discord, terminal)
  // Not awaited: calls are already accepted, and the service can become available later.
  void serviceWarning(config.service).then(warning => warning && terminal.line(`  ${warning}`))
  const view = captions ? new LiveView(app.relay, terminal) : undefined
  view?.start()
  return {
    app,
    address,
    goingOn: () =>
      app.relay.legs === 0
        ? ''
        : `  (${app.relay.legs} in calls, up to ${app.drain.settings.seconds} s; press Ctrl-C again to end now)`,
    [Symbol.asyncDispose]: async () => {
      view?.[Symbol.dispose]()
      await left?.[Symbol.asyncDispose]()
      await app.close()
    },
  }
}

function greet(
  there: Whereabouts,
  engines: readonly TerminalText[],
  config: Config,
  local: boolean,
  terminal: Terminal,
): void {
  terminal.line(`Dragoman is on the line at ${there.address}`)
  for (const line of whereaboutsLines(there, config.control.keys.length === 0)) terminal.line(line)
  for (const line of engines) terminal.line(line)
  if (config.twilio.insecure) terminal.line('  INSECURE: requests are not verified; this machine only.')
  if (local) {
    const { port } = new URL(there.address)
    const server = port === '8080' ? '' : ` --server http://localhost:${port}`
    terminal.line(
      '  No Twilio account is configured: only this machine can call. Try from a second terminal:',
    )
    terminal.line(`    ${startedAs()} call ${exampleRecording()}${server}`)
  }
  terminal.line('Press Ctrl-C to stop.')
}

/** Prints the result of the login. */
async function tellDiscord(discord: DiscordBridge, terminal: Terminal): Promise<void> {
  const ready = await discord.settled
  const { state, guilds } = discord
  if (ready)
    terminal.line(labeledLine('Discord', `logged in; ${guilds} ${guilds === 1 ? 'server' : 'servers'}`))
  else if (state.kind === 'refused')
    terminal.line(labeledLine('Discord', `refused: ${state.why} (run \`${startedAs()} doctor\` for the fix)`))
}
