import type { App } from '../app.ts'
import type { Config } from '../config.ts'

/** Where everything is that a bridge server has. What is absent it does not have. */
export interface Whereabouts {
  /** Of the server itself. */
  readonly address: string
  /** Page to talk into. */
  readonly talk: string
  readonly dashboard?: string
  /** The page of a room, with `<room>` in it. */
  readonly captions: string
  /** Description of the control API for people. */
  readonly control: string
  readonly metrics?: string
  /** What a telephone number points at. */
  readonly twilio: string
  /** Discord is being logged in to. */
  readonly discord?: true
  /** The translation service; `embedded` is one of our own. */
  readonly service: { readonly url: string; readonly embedded: boolean }
  readonly languages: { readonly speaks: string; readonly hears: string }
  /** A key of the control API for this run, in the address of the dashboard as well. */
  readonly key?: string
}

/** What is where, of an app that listens at `listening`. `key` is shown to whoever reads this. */
export function whereabouts(app: App, config: Config, listening: string, key?: string): Whereabouts {
  // No browser goes to all addresses at once.
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

/** Columns of the names, so that a link with a key fits into 80. */
const NAME_WIDTH = 9

/** One line of the list: what, and where. */
export function listed(name: string, value: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${value}`
}

/** The list as lines. `closed`: nobody has a key of the control API. */
export function whereaboutsLines(there: Whereabouts, closed: boolean): string[] {
  const { service, languages } = there
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['talk', there.talk],
    ['dashboard', there.dashboard],
    ['captions', there.captions],
    ['control', there.control],
    ['key', there.key && `${there.key} (for this run)`],
    ...(closed ? [['', 'they want a key: --print-key, or control.keys in the settings'] as const] : []),
    ['metrics', there.metrics],
    ['Twilio', there.twilio],
    ['Discord', there.discord && 'logging in'],
    ['service', service.embedded ? `embedded, ${service.url}` : service.url],
    ['languages', `${languages.speaks} → ${languages.hears}`],
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [listed(name, value)]))
}
