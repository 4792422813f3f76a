// `npm run coverage`: reports the branch coverage of the session, reconnection and access control code by its tests, by
// V8, in a copy in the system's temporary folder. The 20 packages that vitest needs for that are installed only there.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = [
  'src/core/{session,session-state,replay-ring,playout*,*-lane,lane-pace,token-bucket,rationed-dialler}.ts',
  'src/bridges/twilio/{signature,stream-tokens}.ts',
  'src/bridges/telephony/outbound/usage-limits.ts',
  'src/guard/*.ts',
  'src/service/server/{api-keys,key-digest,admission}.ts',
  'src/web/control/auth.ts',
  'src/app/{number-limits,guess-limit,drain}.ts',
]
const TESTS = [
  ...['test/core', 'test/bridges/twilio', 'test/guard', 'test/faults/schedules/schedules.test.ts'],
  ...['drain', 'guess-limit', 'number-limits'].map(name => `test/app/${name}.test.ts`),
  ...['api-keys', 'admission', 'key-limits', 'crowd'].map(name => `test/service/server/${name}.test.ts`),
  ...['door', 'service-door', 'ssrf', 'signature', 'overload'].map(
    name => `test/faults/security/${name}.test.ts`,
  ),
  'test/scenarios/web/control/access.test.ts',
]

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'dragoman-coverage-'))
const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: 'inherit' })
try {
  const parts = ['src', 'test', 'recordings', 'docs', 'examples', 'scripts', 'deploy', 'node_modules']
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
