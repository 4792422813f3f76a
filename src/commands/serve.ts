import { randomBytes } from 'node:crypto'
import { type App, buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import type { Log } from '../core/log.ts'
import { LiveView } from './live-view.ts'
import { leaveLocalToken } from './local-token.ts'
import { serviceWarning } from './service-warning.ts'
import type { Terminal } from './terminal.ts'

/** A running bridge server; closing it ends its calls. */
export interface Serving extends AsyncDisposable {
  readonly app: App
  readonly address: string
  /** What is waited for before the end, in words; empty if for nothing. */
  goingOn(): string
}

/** Starts the bridge server and returns when it listens; `captions` shows what is said on the terminal. Rejects with `BridgeError` `CONFIG` for settings that cannot work. */
export async function serve(
  config: Config,
  terminal: Terminal,
  log: Log,
  captions = false,
): Promise<Serving> {
  // Without an account the door is not open all the same: requests are signed with a token of this run.
  const local =
    !config.twilio.insecure && config.twilio.authTokens.length === 0 && config.publicUrl === undefined
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
  const left = local ? await leaveLocalToken(port, token) : undefined
  greet(config, address, local, app, terminal)
  // It may take its time: calls are taken already, and the service may come (back) any time.
  void serviceWarning(config.service).then(warning => warning && terminal.line(`  ${warning}`))
  const view = captions ? new LiveView(app.relay, terminal) : undefined
  return {
    app,
    address,
    goingOn: () =>
      app.relay.legs === 0
        ? ''
        : ` (${app.relay.legs} on the line, ${app.drain.settings.seconds} s at most; once more ends it now)`,
    [Symbol.asyncDispose]: async () => {
      view?.[Symbol.dispose]()
      await left?.[Symbol.asyncDispose]()
      await app.close()
    },
  }
}

function greet(config: Config, address: string, local: boolean, app: App, terminal: Terminal): void {
  terminal.line(`Dragoman is on the line at ${address}`)
  terminal.line(`  translation service  ${config.service.url ?? `embedded, ${app.service?.url}`}`)
  terminal.line(`  languages            ${config.languages.speaks} → ${config.languages.hears}`)
  if (config.twilio.insecure) terminal.line('  INSECURE: requests are not verified; this machine only.')
  if (local) {
    const { port } = new URL(address)
    const server = port === '8080' ? '' : ` --server http://localhost:${port}`
    terminal.line('  No Twilio account is configured: this machine only. Try from a second terminal:')
    const command = import.meta.url.endsWith('.ts') ? 'npm run dragoman -- call' : 'dragoman call'
    terminal.line(`    ${command} recordings/sense-and-sensibility-4.wav${server}`)
  } else terminal.line(`  Twilio               ${config.publicUrl ?? address}/twilio/voice`)
  if (app.discord) {
    terminal.line('  Discord              logging in')
    const { discord } = app
    void discord.settled.then(ready => {
      const { state, guilds } = discord
      if (ready)
        terminal.line(`  Discord              logged in; ${guilds} ${guilds === 1 ? 'server' : 'servers'}`)
      else if (state.kind === 'refused')
        terminal.line(
          `  Discord              refused: ${state.why} (\`dragoman doctor\` says how to mend it)`,
        )
    })
  }
  terminal.line('Ctrl-C ends it.')
}
