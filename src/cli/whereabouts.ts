import type { App } from '../app/app.ts'
import type { Config } from '../config/load.ts'

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
export function whereabouts(app: App, config: Config, listening: string, key?: string): Whereabouts {
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

/** Width of the name column, so that a link with a key fits into 80 columns. */
const NAME_WIDTH = 9

/** Formats a line of the list. */
export function listed(name: string, value: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${value}`
}

/** Formats the list. `closed`: no control API key exists. */
export function whereaboutsLines(there: Whereabouts, closed: boolean): string[] {
  const { service, languages } = there
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['talk', there.talk],
    ['dashboard', there.dashboard],
    ['captions', there.captions],
    ['control', there.control],
    ['key', there.key && `${there.key} (for this run)`],
    ...(closed ? [['', 'they require a key: --print-key, or control.keys in the settings'] as const] : []),
    ['metrics', there.metrics],
    ['Twilio', there.twilio],
    ['Discord', there.discord && 'logging in'],
    ['service', service.embedded ? `embedded, ${service.url}` : service.url],
    ['languages', `${languages.speaks} → ${languages.hears}`],
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [listed(name, value)]))
}
