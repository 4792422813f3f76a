/**
 * `npm run build`: compiles the sources to JavaScript with types in `dist/`, and copies the other files next to them.
 * Requires everything that `scripts/setup.mjs` installs.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(project, 'dist')

rmSync(target, { recursive: true, force: true })
compile('tsconfig.build.json')
for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' }))
  if (/\.(js|d\.ts|map)$/.test(name)) place(name)
rmSync(join(target, 'src'), { recursive: true })
compile('tsconfig.pages.build.json')

/** @param {string} settings */
function compile(settings) {
  const { status, error } = spawnSync(join(project, 'node_modules/.bin/tsc'), ['--project', settings], {
    cwd: project,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Puts a compiled file in its place: what is below `src/` lies directly in `dist/`, beside `simulator/`. Its relative imports
 * follow. The compiler has rewritten their extensions in the JavaScript, but not in the types.
 *
 * @param {string} name
 */
function place(name) {
  const path = join(target, placed(name))
  const text = readFileSync(join(target, name), 'utf8')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, name.endsWith('.map') ? movedMap(text, name) : movedImports(text, name))
}

/** @param {string} name */
function placed(name) {
  return name.replace(/^src[\\/]/, '')
}

/** @param {string} text @param {string} name */
function movedImports(text, name) {
  return text.replace(/((?:from|import|import\() ?["'])(\.[^"']*)(["'])/g, (_, before, specifier, after) => {
    const imported = placed(posix.join(posix.dirname(name), specifier.replace(/\.ts$/, '.js')))
    const from = posix.relative(posix.dirname(placed(name)), imported)
    return `${before}${from.startsWith('.') ? from : `./${from}`}${after}`
  })
}

/** @param {string} text @param {string} name */
function movedMap(text, name) {
  const map = JSON.parse(text)
  if (placed(name) !== name)
    map.sources = map.sources.map((/** @type {string} */ each) => each.replace('../', ''))
  return JSON.stringify(map)
}

cpSync(join(project, 'src'), target, { recursive: true, filter: path => !/\.tsx?$|\/assembly$/.test(path) })

const { bin = {}, exports } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
for (const path of Object.values(bin)) chmodSync(join(project, path), 0o755)
const promised = [
  ...Object.values(bin),
  ...Object.values(exports).flatMap(entry =>
    typeof entry === 'string' ? [entry] : [entry.types, entry.default],
  ),
]
const missing = promised.filter(path => !existsSync(join(project, path)))
if (missing.length > 0) {
  process.stderr.write(`build: package.json names files that were not built: ${missing.join(', ')}\n`)
  process.exit(1)
}
