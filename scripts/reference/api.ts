import { readFileSync } from 'node:fs'
import type { Declaration, Declarations } from './declarations.ts'
import { fenced, head, table } from './markdown.ts'

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, string | { types: string }>
}

/** Description of each entry of the package. */
const ABOUT: Readonly<Record<string, string>> = {
  '.': 'The whole server, or its parts for your own program: the relay, rooms, participants, settings.',
  './transcode': 'Audio processing: no I/O, no timers, no logs.',
  './service':
    'A client for any server of the [translation-service interface](../../service/protocol.md), and the translator that the relay uses.',
  './service/server': 'The embedded translation service, alone or with your own engines.',
  './telephony':
    'The shared parts of phone carriers: ports, bridge and dialer for a [carrier of your own](../../design/add-a-carrier.md).',
  './twilio': 'Twilio as a Fastify plugin.',
  './discord': 'Discord: interpreting with your own discord.js client, or as a Fastify plugin.',
  './browser': 'Talking in a browser, as a Fastify plugin.',
  './simulator': 'Simulators: a phone, Twilio, Discord, a scripted translation service, and faults.',
}

const INDEX = `Every entry of the package with its exports, generated from its types. [Architecture](../design/architecture.md) explains how the parts
fit together, [examples](../../examples/README.md) show them in use.
`

/** The entries of the package: name, module in the sources, page. */
export function entries(): { name: string; module: string; page: string; about: string }[] {
  return Object.entries(exports)
    .filter(([entry]) => entry !== './package.json')
    .map(([entry, place]) => {
      const types = typeof place === 'string' ? place : place.types
      const plugin = types.startsWith('./dist/bridges/') ? 'A channel as a Fastify plugin.' : undefined
      const about = ABOUT[entry] ?? plugin
      if (about === undefined)
        throw new Error(`scripts/reference/api.ts has no description of the entry ${entry}`)
      return {
        name: entry.replace('.', 'dragoman'),
        module: types.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1'),
        page: `api/${entry === '.' ? 'dragoman' : entry.slice(2).replace('/', '-')}.md`,
        about,
      }
    })
}

/** `docs/reference/api.md` and a page for each entry, by their paths in `docs/reference/`. */
export function apiPages(declarations: Declarations): [string, string][] {
  const all = entries().map(entry => ({ ...entry, declared: declarations.exportsOf(entry.module) }))
  const index = all.map(({ name, page, about, declared }) => {
    const names = Array.from(new Set(declared.map(each => each.name)))
    const links = names.map(each => `[${each}](${page}#${each.toLowerCase()})`)
    return `\n## ${name}\n\n${about.replaceAll('../../', '../')}\n\n${links.join(' · ')}\n`
  })
  return [
    ['api.md', head('API', INDEX) + index.join('')],
    ...all.map(({ name, page, about, declared }): [string, string] => [
      page,
      head(name, `${about} All entries: [API](../api.md).\n`) + entryBody(declared),
    ]),
  ]
}

function entryBody(declared: readonly Declaration[]): string {
  const values = declared.filter(({ kind }) => kind === 'class' || kind === 'function' || kind === 'const')
  const types = declared.filter(each => !values.includes(each))
  const group = (title: string, of: readonly Declaration[]) =>
    of.length === 0 ? '' : `\n## ${title}\n${overview(of)}${Array.from(byName(of), section).join('')}`
  return group('Values', values) + group('Types', types)
}

/** Groups overloads. */
function byName(of: readonly Declaration[]): Map<string, Declaration[]> {
  return Map.groupBy(of, ({ name }) => name)
}

function overview(of: readonly Declaration[]): string {
  const rows = Array.from(byName(of), ([name, [first]]) => [
    `[${name}](#${name.toLowerCase()})`,
    (first?.doc ?? '').split(/(?<=\.)\s/)[0] ?? '',
  ])
  return `\n${table(['name', ''], rows)}`
}

function section([name, all]: [string, Declaration[]]): string {
  const docs = all.map(({ doc }) => doc).filter(doc => doc !== '')
  const text = all.map(each => each.text.replace(/^export (?!default)/, '')).join('\n')
  return `\n### ${name}\n\n${docs.map(prose).join('\n\n')}${docs.length > 0 ? '\n\n' : ''}${fenced('ts', text)}`
}

/** Converts a comment to Markdown: drawings stay unchanged, names in angle brackets are not HTML. */
function prose(doc: string): string {
  return doc
    .split(/\n\n+/)
    .map(part => (/^ {2,}\S/m.test(part) ? fenced('text', part).trimEnd() : part))
    .join('\n\n')
}
