import { posix } from 'node:path'
import { importsOf, withoutComments } from './source-text.ts'

/** The rule that a file breaks, in words. */
export type Fault = string

/** Layers from the bottom, each with the layers below that it can use. Its own layer is always allowed. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  transcode: [],
  files: [],
  core: ['transcode'],
  guard: ['core', 'transcode'],
  contract: ['core', 'transcode'],
  'service/client': ['contract', 'guard', 'core', 'transcode'],
  'service/server': ['contract', 'guard', 'core', 'files', 'transcode'],
  service: ['service/client', 'contract', 'guard', 'core', 'transcode'],
  pages: ['guard', 'core', 'transcode'],
  'bridges/*': ['pages', 'guard', 'core', 'files', 'transcode'],
  web: ['pages', 'guard', 'core', 'files', 'transcode'],
  sounds: ['core', 'transcode'],
  recording: ['core', 'files', 'transcode'],
  tracing: ['core', 'transcode'],
  simulator: ['contract', 'core', 'transcode'],
  app: [
    'bridges/*',
    'service/client',
    'service/server',
    'service',
    'web',
    'sounds',
    'recording',
    'tracing',
    'simulator',
    'contract',
    'pages',
    'guard',
    'core',
    'files',
    'transcode',
  ],
  commands: [
    'app',
    'bridges/*',
    'service/client',
    'service/server',
    'service',
    'web',
    'sounds',
    'recording',
    'tracing',
    'simulator',
    'contract',
    'pages',
    'guard',
    'core',
    'files',
    'transcode',
  ],
}

/** Files that compose the app: `src/app/app.ts` and the files next to it. */
const APP = /^src\/((app|index|config|invitations)\.ts$|(app|config)\/)/
const PLUGIN = /^src\/(bridges\/[^/]+\/index|web\/index|service\/server\/plugin)\.ts$/

/** Words that only some files can use, with the alternative for others. */
const RESERVED: readonly { word: RegExp; name: string; allowed: RegExp; instead: string }[] = [
  {
    word: /\bDate\.now\b/,
    name: 'Date.now',
    allowed: /^src\/(commands\/|core\/wall-clock\.ts$)/,
    instead: 'durations come from a Clock, dates from a WallClock',
  },
  {
    word: /\bsetInterval\b/,
    name: 'setInterval',
    allowed: /^src\/commands\//,
    instead: 'what repeats is a ticker on a Clock',
  },
  {
    word: /\bprocess\.env\b/,
    name: 'process.env',
    // Child processes get a part of the environment, selected in one place.
    allowed: /^src\/(config|core\/child-environment)\.ts$/,
    instead: 'settings come from src/config/load.ts',
  },
]

/** The layer of a file, as its key in the table above; undefined for `main.ts`, which can use every layer. */
export function layerOf(path: string): string | undefined {
  if (APP.test(path)) return 'app'
  if (/^src\/service\/contract[^/]*\.ts$/.test(path)) return 'contract'
  if (path.startsWith('src/bridges/')) return 'bridges/*'
  const [, layer = ''] = /^src\/(service\/(?:client|server)(?=\/)|[^/]+)\//.exec(path) ?? []
  if (layer in MAY_USE) return layer
  if (path === 'src/main.ts') return undefined
  throw new RangeError(`${path} belongs to no layer: give it a place in test/helpers/architecture.ts`)
}

/** Imports of `path` that do not point down. */
export function importFaults(path: string, source: string): Fault[] {
  const layer = layerOf(path)
  return importsOf(source).flatMap(specifier => {
    if (!specifier.startsWith('.')) return []
    const target = posix.join(posix.dirname(path), specifier)
    if (!target.startsWith('src/')) return [`${path} imports ${specifier}, which is outside src`]
    if (layer === undefined) return []
    const below = layerOf(target)
    if (below === undefined) return [`${path} imports ${target}: nothing imports main`]
    if (below === layer) return sameUnit(path, target) ? [] : [`${path} imports another bridge, ${target}`]
    return MAY_USE[layer]!.includes(below) ? [] : [`${path} (${layer}) imports ${target} (${below})`]
  })
}

/** Bridges are independent of each other. */
function sameUnit(path: string, target: string): boolean {
  const unit = (file: string) => /^src\/bridges\/[^/]+/.exec(file)?.[0]
  return unit(path) === unit(target)
}

/** Packages that `path` imports and that are not among `dependencies`; the bottom layers do not use the network. */
export function packageFaults(path: string, source: string, dependencies: readonly string[]): Fault[] {
  const quiet = ['core', 'transcode'].includes(layerOf(path) ?? '')
  const network =
    /^(node:(net|tls|http2?|https|dgram|child_process)|fastify|@fastify\/.*|ws|socket\.io.*|twilio)$/
  return importsOf(source).flatMap(specifier => {
    if (specifier.startsWith('.')) return []
    if (quiet && network.test(specifier)) return [`${path} imports ${specifier}: no network here`]
    if (specifier.startsWith('node:')) return []
    const [scope = '', name = ''] = specifier.split('/')
    const wanted = scope.startsWith('@') ? `${scope}/${name}` : scope
    return dependencies.includes(wanted) ? [] : [`${path} imports ${wanted}, which is not a dependency`]
  })
}

/** Faults in the text of a file in `src`. */
export function textFaults(path: string, source: string): Fault[] {
  const code = withoutComments(source, { strings: true })
  const faults = RESERVED.filter(({ word, allowed }) => word.test(code) && !allowed.test(path)).map(
    ({ name, instead }) => `${path} uses ${name}: ${instead}`,
  )
  if (/\bexport\s+default\b|\bas\s+default\b/.test(code) && !PLUGIN.test(path))
    faults.push(`${path} has a default export: only plugins do`)
  if (/(:|<|\bas|\||&|,|\bextends|=>)\s*any\b(?!\s*[:(.?])/.test(code)) faults.push(`${path} says any`)
  if (/\benum\s+\w+\s*\{/.test(code)) faults.push(`${path} has an enum`)
  return faults
}

export function lengthFaults(path: string, source: string, most = 400): Fault[] {
  const lines = linesOf(source)
  return lines > most ? [`${path} has ${lines} lines, more than ${most}`] : []
}

export function linesOf(source: string): number {
  return source.trimEnd().split('\n').length
}
