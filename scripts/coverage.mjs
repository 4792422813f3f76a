// `npm run coverage`: reports the branch coverage of the session, reconnection and access control code by its tests, by
// V8, in a copy in the system's temporary folder. The 20 packages that vitest needs for that are installed only there.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = [
  'src/common/rate-limit.ts',
  'src/net/*.ts',
  'src/core/translation/*.ts',
  'src/core/playout/*.ts',
  'src/core/calls/{dialer-policies,room-code-limiter}.ts',
  'src/bridges/phone/{stream-tokens,call-policy}.ts',
  'src/bridges/phone/outbound/usage-limits.ts',
  'src/bridges/phone/markup/form-signature.ts',
  'src/service/server/keys/*.ts',
  'src/service/server/capacity.ts',
  'src/web/control/auth.ts',
  'src/app/drain.ts',
]
const TESTS = [
  ...['common', 'core', 'net', 'bridges/phone', 'service/server/keys', 'app'].map(folder => `test/${folder}`),
  ...['relay', 'room', 'app'].map(folder => `test/scenarios/${folder}`),
  ...['admission', 'key-limits', 'call-load'].map(name => `test/service/server/${name}.test.ts`),
  'test/web/control/access.test.ts',
  'test/core/schedules.test.ts',
  ...['request-guard', 'service-guard', 'ssrf', 'signature', 'overload'].map(
    name => `test/security/${name}.test.ts`,
  ),
]

for (const pattern of [...SOURCES, ...TESTS])
  if (globSync(pattern, { cwd: fileURLToPath(new URL('..', import.meta.url)) }).length === 0)
    throw new Error(`scripts/coverage.mjs: ${pattern} fits no file`)

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'dragoman-coverage-'))
const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: 'inherit' })
try {
  const parts = [
    'src',
    'simulator',
    'test',
    'recordings',
    'docs',
    'examples',
    'scripts',
    'deploy',
    'node_modules',
  ]
  const files = ['package.json', 'package-lock.json', '.npmrc', 'dragoman.example.yaml', 'vitest.config.ts']
  for (const name of [...parts, ...files])
    cpSync(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  const { vitest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies
  run('npm', 'install', '--no-save', '--ignore-scripts', `@vitest/coverage-v8@${vitest}`)
  const asked = process.argv.slice(2)
  run(
    process.execPath,
    ...['node_modules/.bin/vitest', 'run', ...(asked.length > 0 ? asked : TESTS)],
    ...['--coverage', '--coverage.provider=v8', '--coverage.reporter=text', '--coverage.reportOnFailure'],
    ...SOURCES.map(each => `--coverage.include=${each}`),
  )
} finally {
  rmSync(copy, { recursive: true, force: true })
}
