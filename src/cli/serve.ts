import { randomBytes } from 'node:crypto'
import { type App, buildApp } from '../app/app.ts'
import type { DiscordBridge } from '../bridges/discord/discord-bridge.ts'
import type { Log } from '../common/log.ts'
import type { Config } from '../config/load.ts'
import { LiveView } from './call/live-view.ts'
import { embeddedEngines } from './embedded-engines.ts'
import { leaveLocalToken } from './local-token.ts'
import { exampleRecording } from './sample-audio.ts'
import { serviceWarning } from './service-warning.ts'
import { withStartKey } from './start-key.ts'
import type { Terminal, Text } from './terminal.ts'
import { listed, type Whereabouts, whereabouts, whereaboutsLines } from './whereabouts.ts'

/** A running bridge server; closing it ends its calls. */
export interface Serving extends AsyncDisposable {
  readonly app: App
  readonly address: string
  /** Describes what shutdown is waiting for; empty if nothing. */
  goingOn(): string
}

/** What the start prints in addition to the addresses. */
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
  log: Log,
  { captions, json, printKey = (json ?? terminal).interactive }: ServeOptions = {},
): Promise<Serving> {
  // Without an account, the bridge is still protected: requests are signed with a token of this run.
  const local =
    !settings.twilio.insecure && settings.twilio.authTokens.length === 0 && settings.publicUrl === undefined
  // `dragoman call` reads its captions with the key.
  const { config, key } = printKey || local ? withStartKey(settings) : { config: settings }
  const token = randomBytes(16).toString('hex')
  const twilio = local ? { ...config.twilio, authTokens: [token], local } : config.twilio
  const app = await buildApp({ ...config, twilio }, { log })
  let address: string
  try {
    address = await app.listen()
  } catch (error) {
    await app.close()
    throw error
  }
  const port = Number(new URL(address).port)
  const left = local
    ? await leaveLocalToken(port, { token, ...(key === undefined ? {} : { key }) })
    : undefined
  const there = whereabouts(app, config, address, printKey ? key : undefined)
  if (json) json.line(JSON.stringify(there))
  const engines = config.service.url === undefined ? await embeddedEngines(there.service.url) : []
  greet(there, engines, settings, local, terminal)
  if (app.discord) void tellDiscord(app.discord, terminal)
  // Not awaited: calls are already accepted, and the service can become available later.
  void serviceWarning(config.service).then(warning => warning && terminal.line(`  ${warning}`))
  const view = captions ? new LiveView(app.relay, terminal) : undefined
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
  engines: readonly Text[],
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
    const command = import.meta.url.endsWith('.ts') ? 'npm run dragoman -- call' : 'dragoman call'
    terminal.line(`    ${command} ${exampleRecording()}${server}`)
  }
  terminal.line('Press Ctrl-C to stop.')
}

/** Prints the result of the login. */
async function tellDiscord(discord: DiscordBridge, terminal: Terminal): Promise<void> {
  const ready = await discord.settled
  const { state, guilds } = discord
  if (ready) terminal.line(listed('Discord', `logged in; ${guilds} ${guilds === 1 ? 'server' : 'servers'}`))
  else if (state.kind === 'refused')
    terminal.line(listed('Discord', `refused: ${state.why} (run \`dragoman doctor\` for the fix)`))
}
