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
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(project, 'dist')

rmSync(target, { recursive: true, force: true })
compile('tsconfig.build.json')
for (const name of namesIn(target).filter(name => name.endsWith('.d.ts'))) place(name, movedImports)
rmSync(join(target, 'src'), { recursive: true })
for (const folder of ['src', 'simulator'])
  for (const name of namesIn(join(project, folder)))
    if (/\.ts$/.test(name) && !/(^|[\\/])(page|assembly)[\\/]/.test(name))
      place(join(folder, name), withoutTypes)
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

/** @param {string} folder */
function namesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
}

/**
 * Puts a file in its place: what is below `src/` lies directly in `dist/`, beside `simulator/`. Its relative imports follow.
 *
 * @param {string} name
 * @param {(text: string, name: string) => string} change
 */
function place(name, change) {
  const path = join(target, placed(name).replace(/(?<!\.d)\.ts$/, '.js'))
  const text = readFileSync(join(name.endsWith('.d.ts') ? target : project, name), 'utf8')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, change(text, name))
}

/** @param {string} name */
function placed(name) {
  return name.replace(/^src[\\/]/, '')
}

/**
 * The JavaScript of a source, each type replaced with spaces: a line of a stack trace is the line of the source, so no source
 * map is needed.
 *
 * @param {string} text @param {string} name
 */
function withoutTypes(text, name) {
  return movedImports(stripTypeScriptTypes(text), name)
}

/** @param {string} text @param {string} name */
function movedImports(text, name) {
  const folder = posix.dirname(name.replaceAll('\\', '/'))
  return text.replace(/((?:from|import|import\() ?["'])(\.[^"']*)(["'])/g, (_, before, specifier, after) => {
    const imported = placed(posix.join(folder, specifier.replace(/\.ts$/, '.js')))
    const from = posix.relative(placed(`${folder}/`), imported)
    return `${before}${from.startsWith('.') ? from : `./${from}`}${after}`
  })
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

// Types that no entry point leads to are left out.
const wanted = new Set()
const queue = Object.values(exports).flatMap(entry => (entry.types ? [join(project, entry.types)] : []))
for (const path of queue)
  if (!wanted.has(path)) {
    wanted.add(path)
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /(?:from|import|import\() ?["'](\.[^"']*)\.js["']/g,
    ))
      queue.push(join(dirname(path), `${name}.d.ts`))
  }
for (const name of namesIn(target))
  if (name.endsWith('.d.ts') && !wanted.has(join(target, name))) rmSync(join(target, name))
