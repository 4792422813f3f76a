/**
 * `npm run build`: compiles the sources to JavaScript with types in `dist/`, and copies the other files next to them.
 * Requires everything that `scripts/setup.mjs` installs.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(project, 'dist')

rmSync(target, { recursive: true, force: true })
for (const settings of ['tsconfig.build.json', 'tsconfig.pages.build.json']) {
  const { status, error } = spawnSync(join(project, 'node_modules/.bin/tsc'), ['--project', settings], {
    cwd: project,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

// The compiler rewrites imports in the JavaScript, but not in the types.
for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue
  const path = join(target, name)
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/((?:from|import|import\() ?["']\.[^"']*)\.ts(["'])/g, '$1.js$2'),
  )
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
