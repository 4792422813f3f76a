import { onTestFinished } from 'vitest'
import { FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { type App, type AppConfig, type AppOptions, buildApp } from '../../../src/app/app.ts'
import type { BridgeLimits } from '../../../src/app/server.ts'
import { sign } from '../../../src/bridges/phone/twilio/index.ts'
import { limitSettingsSchema } from '../../../src/net/settings.ts'
import { divided } from '../limits.ts'
import { LogLines } from '../log-lines.ts'

export const PUBLIC = 'https://bridge.example.com'
export const TOKEN = '0123456789abcdef0123456789abcdef'
export const KEY = 'a-key-of-the-desk-that-nobody-would-guess'

export interface Guarded {
  readonly app: App
  readonly port: number
  readonly log: LogLines
  /** Sends a webhook like Twilio, from this machine. */
  webhook(name: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>
}

/** Settings; `limits` also has those that are constants. */
export type GuardedConfig = Partial<Omit<AppConfig, 'limits'>> & {
  readonly limits?: AppConfig['limits'] & Partial<BridgeLimits>
}

/** The whole bridge on loopback with a fake translator; closed after the test. */
export async function guarded(
  { limits = {}, ...config }: GuardedConfig = {},
  parts: AppOptions = {},
): Promise<Guarded> {
  const { settings, constants } = divided(limits, limitSettingsSchema)
  const log = new LogLines()
  const app = await buildApp(
    {
      host: '127.0.0.1',
      port: 0,
      publicUrl: PUBLIC,
      service: {},
      languages: { speaks: 'en-us', hears: 'es-es' },
      control: { keys: [{ name: 'desk', key: KEY }] },
      twilio: { authToken: [TOKEN] },
      ...config,
      // Tolerates a busy machine.
      limits: { maxEventLoopLagMs: 60_000, ...settings },
    },
    { translator: new FakeTranslator(), log, serverLimits: constants, ...parts },
  )
  onTestFinished(() => app.close())
  const port = Number(new URL(await app.listen()).port)
  return {
    app,
    port,
    log,
    webhook: (name, fields, headers = {}) =>
      fetch(`http://127.0.0.1:${port}/twilio/${name}`, {
        method: 'POST',
        headers: { 'x-twilio-signature': sign(TOKEN, `${PUBLIC}/twilio/${name}`, fields), ...headers },
        body: new URLSearchParams(fields),
      }),
  }
}

/** Twilio's webhook fields of an inbound call. */
export function ringing(callSid = 'CA00000000000000000000000000000001'): Record<string, string> {
  return {
    CallSid: callSid,
    AccountSid: `AC${'0'.repeat(32)}`,
    From: '+15005550006',
    To: '+15005550001',
    CallStatus: 'ringing',
    Direction: 'inbound',
  }
}

/** Method and path of every route, as the server itself lists them. */
export function routesOf({ app }: Guarded): string[] {
  const found: string[] = []
  const above: string[] = []
  for (const line of app.server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, name, methods] = /^([│ ]*)[├└]── (.*?) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (indent === undefined || name === undefined || methods === undefined) continue
    const depth = indent.length / 4
    above[depth] = name
    const path = above
      .slice(0, depth + 1)
      .join('')
      .replaceAll(/\/{2,}/g, '/')
    for (const method of methods.split(', ')) if (method !== 'HEAD') found.push(`${method} ${path}`)
  }
  return found
}
