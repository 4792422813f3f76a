import { existsSync } from 'node:fs'
import { allowedBy, KEYS, propertiesOf, type Shape, variableOf } from '../../src/app/settings/keys.ts'
import { CARRIERS } from '../../src/bridges/phone/carriers.ts'
import { ENGINE_KINDS } from '../../src/service/engines/settings.ts'
import { code, head, table } from './markdown.ts'

/** A setting's shape with its description from `.meta({ about })`. */
interface ToldShape extends Shape {
  readonly about?: string
}

/** One row of the page. */
export interface SettingRow {
  /** `twilio.numbers.*.speaks`: keys below a star are your own names, or entries of a list. */
  readonly path: string
  readonly variable: string
  readonly about: string | undefined
  readonly type: string
  readonly allowed: string
  readonly default: string
  readonly secret: boolean
}

/** Pages with more about a section. */
const PAGES: Readonly<Record<string, string>> = {
  trustProxy: 'operations/limits.md',
  limits: 'operations/limits.md',
  drain: 'guides/update-without-cutting-calls.md',
  service: 'service/protocol.md',
  embedded: 'service/engines.md',
  sounds: 'guides/during-a-call.md#sounds-and-notices',
  keypad: 'guides/during-a-call.md',
  recording: 'guides/record-with-consent.md',
  control: 'guides/control-from-a-program.md',
  webhooks: 'guides/control-from-a-program.md#webhooks',
  transcripts: 'guides/control-from-a-program.md#transcripts',
  calls: 'channels/twilio.md',
  ...Object.fromEntries(CARRIERS.map(({ name }) => [name, pageOfCarrier(name)])),
  discord: 'channels/discord.md',
  browser: 'channels/browser.md',
  dashboard: 'operations/dashboard.md',
  captions: 'guides/captions-for-an-event.md#the-captions-page',
  metrics: 'operations/metrics.md',
  tracing: 'operations/metrics.md',
  traces: 'operations/metrics.md',
}

/** A carrier has a page of its own, or a section of the page of carriers. */
function pageOfCarrier(name: string): string {
  const own = `channels/${name}.md`
  return existsSync(new URL(`../../docs/${own}`, import.meta.url)) ? own : `channels/carriers.md#${name}`
}

/** Defaults that depend on the machine. */
const VARYING: Readonly<Record<string, string>> = { 'embedded.maxSessions': 'two per core' }

/** Every setting, including those inside lists and tables with your own names, in the schema's order. */
export function settingRows(): SettingRow[] {
  return KEYS.flatMap(({ path, variable, secret, shape }) => [
    row(path, variable, shape, secret),
    ...below(path, shape),
  ])
}

function row(path: string, variable: string, shape: ToldShape, secret: boolean): SettingRow {
  return {
    path,
    variable,
    about: shape.about,
    type: typeOf(shape),
    allowed: allowedBy(shape),
    default: VARYING[path] ?? defaultOf(shape),
    secret,
  }
}

/** The settings of one entry of a list or table. */
function below(path: string, shape: Shape): SettingRow[] {
  const entry =
    shape.items ?? (typeof shape.additionalProperties === 'object' ? shape.additionalProperties : {})
  return inside(`${path}.*`, entry)
}

function inside(path: string, shape: Shape): SettingRow[] {
  return Object.entries(propertiesOf(shape)).flatMap(([name, each]) => {
    const at = `${path}.${name}`
    const rows = inside(at, each)
    return rows.length > 0 ? rows : [row(at, '', each, false), ...below(at, each)]
  })
}

function typeOf({ type, enum: choices, anyOf, oneOf, const: constant }: Shape): string {
  if (choices || constant !== undefined) return 'choice'
  switch (type) {
    case 'integer':
      return 'whole number'
    case 'number':
      return 'number'
    case 'boolean':
      return 'true, false'
    case 'array':
      return 'list'
    case 'object':
      return 'table'
    default:
      return anyOf?.some(each => each.type === 'boolean') || oneOf ? 'several' : 'text'
  }
}

function defaultOf(shape: Shape): string {
  if (shape.default === undefined) return 'none'
  const text = typeof shape.default === 'string' ? shape.default : JSON.stringify(shape.default)
  return code(text)
}

/** Tables with common settings: each stands in the page once, below a name for all of them. */
const ALIKE = [
  { of: CARRIERS.map(({ name }) => name), as: '<carrier>' },
  { of: ENGINE_KINDS.map(kind => `embedded.engines.${kind}`), as: 'embedded.engines.<kind>' },
]

/** The rows of the page: those that all tables of a kind have are there once, with the first of these tables. */
function pageRows(): SettingRow[] {
  return ALIKE.reduce<SettingRow[]>((rows, { of, as }) => {
    const common = ({ path, variable, ...rest }: SettingRow) => {
      const table = of.find(name => path.startsWith(`${name}.`))
      if (table === undefined) return undefined
      const place = path.replace(table, as)
      return { table, place, key: JSON.stringify([place, rest]) }
    }
    const tables = Map.groupBy(rows, each => common(each)?.key)
    return rows.flatMap(each => {
      const found = common(each)
      if (!found || tables.get(found.key)?.length !== of.length) return [each]
      if (found.table !== of[0]) return []
      const variable = each.variable.replace(variableOf(found.table), variableOf(as).toUpperCase())
      return [{ ...each, path: found.place, variable }]
    })
  }, settingRows())
}

/** `docs/reference/settings.md`. */
export function settingsPage(): string {
  const rows = pageRows()
  const tables = new Set(rows.flatMap(({ path }) => (path.includes('.') ? path.split('.')[0]! : [])))
  const nameOf = (path: string) => path.split('.')[0] ?? ''
  const sections = Map.groupBy(rows, ({ path }) => (tables.has(nameOf(path)) ? nameOf(path) : ''))
  const parts = Array.from(sections, ([section, members]) => {
    const page = PAGES[section]
    const there = page !== undefined && existsSync(new URL(`../../docs/${page}`, import.meta.url))
    const title = section === '' ? 'The server' : section === '<carrier>' ? 'Every carrier' : section
    const more = there ? `\nMore: [${title}](../${page}).\n` : ''
    return `\n## ${title}\n${more}\n${table(HEADS, members.map(cells))}`
  })
  return head('Settings', ABOUT) + parts.join('')
}

const HEADS = ['key', 'description', 'type', 'allowed', 'default', 'environment']

const ABOUT = `Settings come from \`dragoman.yaml\`, the environment and the command line; later sources take precedence. A variable's name is the key's path:
\`${variableOf('twilio.authToken')}\` is \`twilio.authToken\`. Variables contain lists separated by commas, and tables as JSON; an empty variable is
ignored. A **secret** can also be read from a file: \`…_FILE\` names it. \`DRAGOMAN_CONFIG\` names the settings file itself. An unknown or
invalid key is an error that names its place, the value found and the allowed values. A star represents a name of your own, or each
entry of a list; \`<carrier>\` is each of ${CARRIERS.map(({ name }) => code(name)).join(', ')}, \`<kind>\` each of
${ENGINE_KINDS.map(code).join(', ')}. [\`dragoman.example.yaml\`](../../dragoman.example.yaml) is a template with every setting.
`

function cells({ path, variable, about = '', type, allowed, default: usual, secret }: SettingRow): string[] {
  const environment = variable === '' ? '' : code(variable) + (secret ? ' (`_FILE`)' : '')
  const plain = allowed === 'true or false' || allowed === 'a text' ? '' : allowed
  return [code(path), about, type + (secret ? ', secret' : ''), plain, usual, environment]
}
