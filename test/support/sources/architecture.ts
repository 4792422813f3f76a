import { posix } from 'node:path'
import { importsOf, withoutComments } from './source-text.ts'

/** Description of the broken rule. */
export type Fault = string

/** Layers by path; the longest prefix counts. Each names what it may import, in addition to itself. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  transcode: [],
  common: [],
  net: ['common'],
  'core/model': ['common', 'transcode'],
  'core/translation': ['core/model', 'common', 'transcode'],
  'core/utterance': ['core/translation', 'core/model', 'common', 'transcode'],
  'core/playout': ['core/utterance', 'core/model', 'common', 'transcode'],
  'core/room': ['core/playout', 'core/utterance', 'core/translation', 'core/model', 'common', 'transcode'],
  'core/calls': ['core/room', 'core/playout', 'core/model', 'common', 'transcode'],
  fleet: ['net', 'core', 'common'],
  storage: ['core/model', 'common'],
  messages: ['core/model', 'common'],
  pages: ['messages', 'net', 'common'],
  'service/contract.ts': ['core/model', 'common', 'transcode'],
  'service/client': ['service/contract.ts', 'net', 'core', 'common', 'transcode'],
  'service/usage-ledger.ts': ['common'],
  'service/supervision.ts': ['common'],
  'service/engines': [
    ...['service/contract.ts', 'service/usage-ledger.ts', 'service/supervision.ts', 'common', 'transcode'],
  ],
  'service/server': [
    ...['service/engines', 'service/contract.ts', 'service/usage-ledger.ts', 'service/supervision.ts'],
    ...['net', 'storage', 'common', 'transcode'],
  ],
  'service/index.ts': ['service/client', 'service/contract.ts', 'core/model', 'common'],
  'bridges/websocket': ['net', 'core', 'common', 'transcode'],
  'bridges/phone': ['bridges/websocket', 'messages', 'storage', 'net', 'core', 'common', 'transcode'],
  'bridges/phone/carriers.ts': ['bridges/phone', 'common'],
  'bridges/browser': ['bridges/websocket', 'messages', 'pages', 'net', 'core', 'common', 'transcode'],
  'bridges/discord': ['messages', 'storage', 'net', 'core', 'common', 'transcode'],
  recording: ['storage', 'core', 'common', 'transcode'],
  web: ['messages', 'pages', 'storage', 'net', 'core', 'common', 'transcode'],
  simulator: ['service/contract.ts', 'core', 'common', 'transcode'],
  app: [
    ...['bridges', 'service', 'web', 'recording', 'simulator', 'messages', 'pages'],
    ...['fleet', 'storage', 'net', 'core', 'common', 'transcode'],
  ],
  cli: [
    ...['app', 'bridges', 'service', 'web', 'recording', 'simulator', 'messages'],
    ...['fleet', 'storage', 'net', 'core', 'common', 'transcode'],
  ],
  'index.ts': ['app', 'bridges', 'service', 'net', 'core', 'common'],
  'discord.ts': ['app', 'common'],
  'main.ts': ['cli', 'common'],
}

/** Every other folder of `bridges/phone` is a carrier: it knows what carriers share, and no other carrier. */
const CARRIER = /^bridges\/phone\/(?!(?:history|json-media|leg|markup|outbound|rest)\/)[\w-]+(?=\/)/
const BELOW_CARRIERS = [
  ...['bridges/phone', 'bridges/websocket', 'messages', 'pages'],
  ...['storage', 'net', 'core', 'common', 'transcode'],
]
/** Modules that know carriers: the composition, the schema, and their own commands. */
const KNOWS_CARRIERS =
  /^src\/(bridges\/phone\/carriers|app\/settings\/[\w-]+|cli\/carrier-numbers|cli\/doctor\/[\w-]+)\.ts$/

/** Words that only some files can use, with the alternative for others. */
const RESERVED: readonly { word: RegExp; name: string; allowed: RegExp; instead: string }[] = [
  {
    word: /\bDate\.now\b/,
    name: 'Date.now',
    allowed: /^src\/(cli\/|common\/wall-clock\.ts$)/,
    instead: 'durations come from a Clock, dates from a WallClock',
  },
  {
    word: /\bsetInterval\b/,
    name: 'setInterval',
    allowed: /^src\/cli\//,
    instead: 'what repeats is a ticker on a Clock',
  },
  {
    word: /\bprocess\.env\b/,
    name: 'process.env',
    // Child processes get a part of the environment, selected in one place.
    allowed: /^src\/(app\/settings\/load|common\/child-environment)\.ts$/,
    instead: 'settings come from src/app/settings/load.ts',
  },
]

/** The layer of a file, as its key in the table above. */
function layerOf(path: string): string {
  const inside = path.replace(/^src\//, '')
  const [longest] = Object.keys(LAYERS)
    .filter(prefix => isWithin(inside, prefix))
    .sort((a, b) => b.length - a.length)
  const layer = CARRIER.exec(inside)?.[0] ?? longest
  if (layer !== undefined && /^(src|simulator)\//.test(path)) return layer
  throw new RangeError(`${path} belongs to no layer: give it a place in test/support/sources/architecture.ts`)
}

function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

/** Imports of `path` that do not point down. */
export function importFaults(path: string, source: string): Fault[] {
  const layer = layerOf(path)
  return importsOf(source).flatMap(specifier => {
    if (!specifier.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), specifier)
    if (!/^(src|simulator)\//.test(target)) return [`${path} imports ${specifier}, which is outside src`]
    const below = layerOf(target)
    const allowed = below === layer || (LAYERS[layer] ?? BELOW_CARRIERS).some(each => isWithin(below, each))
    return allowed ? [] : [`${path} (${layer}) imports ${target} (${below})`]
  })
}

/** Imports of a carrier by a file that serves all carriers. */
export function carrierFaults(path: string, source: string): Fault[] {
  if (KNOWS_CARRIERS.test(path)) return []
  return importsOf(source).flatMap(specifier => {
    if (!specifier.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), specifier)
    const layer = target.startsWith('src/') ? layerOf(target) : ''
    const isCarrier = layer.startsWith('bridges/') && !(layer in LAYERS)
    return isCarrier && layer !== layerOf(path) ? [`${path} imports the carrier ${layer}`] : []
  })
}

/** Packages that `path` imports and that are not among `dependencies`; the bottom layers do not use the network. */
export function packageFaults(path: string, source: string, dependencies: readonly string[]): Fault[] {
  const quiet = /^(transcode|common|core\/\w+)$/.test(layerOf(path))
  const network =
    /^(node:(net|tls|http2?|https|dgram|child_process)|fastify|@fastify\/.*|ws|socket\.io.*|twilio)$/
  return importsOf(source).flatMap(specifier => {
    if (specifier.startsWith('.')) return []
    if (quiet && network.test(specifier)) return [`${path} imports ${specifier}: no network here`]
    if (specifier.startsWith('node:')) return []
    const [scope = '', name = ''] = specifier.split('/')
    const wanted = scope.startsWith('@') ? `${scope}/${name}` : scope
    return dependencies.includes(wanted) ? [] : [`${path} imports ${wanted}, which is no dependency`]
  })
}

/** Faults in the text of a file in `src`. */
export function textFaults(path: string, source: string): Fault[] {
  const code = withoutComments(source, { strings: true })
  return RESERVED.filter(({ word, allowed }) => word.test(code) && !allowed.test(path)).map(
    ({ name, instead }) => `${path} uses ${name}: ${instead}`,
  )
}

/** Imports of values that lead back to the file they start from; each circle once, as its files. */
export function circleFaults(files: readonly { readonly path: string; readonly source: string }[]): Fault[] {
  const edges = new Map(files.map(({ path, source }) => [path, valueImports(path, source)]))
  const state = new Map<string, 'open' | 'done'>()
  const faults: Fault[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'open') faults.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (state.has(path)) return
    state.set(path, 'open')
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    state.set(path, 'done')
  }
  for (const path of edges.keys()) visit(path, [])
  return faults
}

/** Files that are loaded with `entries`, and the entries: neither types nor `import()`. */
export function loadedWith(
  entries: readonly string[],
  files: readonly { readonly path: string; readonly source: string }[],
): string[] {
  const sources = new Map(files.map(({ path, source }) => [path, source]))
  const loaded = new Set(entries)
  for (const path of loaded) for (const next of valueImports(path, sources.get(path) ?? '')) loaded.add(next)
  return Array.from(loaded)
}

/** Files that `path` loads when it is loaded: neither types nor `import()`. */
function valueImports(path: string, source: string): string[] {
  const statement =
    /^(?:import|export)\s+(?!type\b)([\w*$\s{},]*?)\s*from\s*['"](\.[^'"]+)['"]|^import\s*['"](\.[^'"]+)['"]/gm
  return Array.from(withoutComments(source).matchAll(statement), ([, names = '', from, alone]) => {
    const listed = names.replaceAll(/[{}]/g, '').split(',')
    const onlyTypes =
      names.includes('{') && listed.every(name => name.trim() === '' || /^\s*type /.test(name))
    return onlyTypes ? [] : [posix.join(posix.dirname(path), from ?? alone ?? '')]
  }).flat()
}
