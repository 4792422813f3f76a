// `npm run mutation [group …]`: how many small faults in the code its tests notice, by Stryker, in a copy in the system's
// temporary folder. Stryker is installed there alone: 140 packages that nobody else needs.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const STRYKER = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']
const SCHEDULES = 'test/faults/schedules/schedules.test.ts'

/** What is changed, and the tests that are to notice: those that take a few seconds. */
const GROUPS = {
  ring: {
    mutate: ['src/core/replay-ring.ts'],
    tests: ['test/core/replay-ring.test.ts', SCHEDULES],
  },
  session: {
    mutate: ['src/core/session.ts', 'src/core/session-state.ts'],
    tests: [
      'test/core/session.test.ts',
      'test/core/session-counts.test.ts',
      'test/core/session-state.test.ts',
      'test/core/session-renewal.test.ts',
      SCHEDULES,
    ],
  },
  playout: {
    mutate: ['src/core/playout-marks.ts', 'src/core/playout-edge.ts'],
    tests: ['test/core/playout-marks.test.ts', 'test/core/playout-edge.test.ts', SCHEDULES],
  },
  auth: {
    mutate: [
      'src/service/server/api-keys.ts',
      'src/service/server/key-digest.ts',
      'src/web/control/bearer-keys.ts',
      'src/bridges/twilio/stream-tokens.ts',
      'src/guard/proof.ts',
    ],
    tests: [
      'test/service/server/api-keys.test.ts',
      'test/service/server/key-file.test.ts',
      'test/service/server/key-limits.test.ts',
      'test/bridges/twilio/stream-tokens.test.ts',
      'test/web/control/access.test.ts',
      'test/guard/proof.test.ts',
    ],
  },
  signature: {
    mutate: ['src/bridges/twilio/signature.ts'],
    tests: ['test/bridges/twilio/signature.test.ts', 'test/bridges/twilio/public-url.test.ts'],
  },
}

const asked = process.argv.slice(2)
const wrong = asked.filter(name => !(name in GROUPS))
if (wrong.length > 0) {
  console.error(`no such group: ${wrong.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`)
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'dragoman-mutation-'))
const run = (command, args, env = {}) =>
  execFileSync(command, args, { cwd: copy, stdio: 'inherit', env: { ...process.env, ...env } })
try {
  const parts = ['src', 'test', 'recordings', 'docs', 'examples', 'scripts', 'node_modules']
  for (const name of [...parts, 'package.json', 'package-lock.json', '.npmrc', 'dragoman.example.yaml'])
    cpSync(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  run('npm', ['install', '--no-save', ...STRYKER])
  writeFileSync(
    join(copy, 'vitest.mutation.config.ts'),
    "export default { test: { include: process.env.MUTATION_TESTS.split(','), maxWorkers: 1, testTimeout: 20_000 } }\n",
  )
  for (const name of asked.length > 0 ? asked : Object.keys(GROUPS)) {
    const { mutate, tests } = GROUPS[name]
    const settings = {
      // There is none: Stryker reads it by an interface that TypeScript 7 has not.
      tsconfigFile: 'none.json',
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'vitest.mutation.config.ts', related: false },
      coverageAnalysis: 'perTest',
      concurrency: 1,
      mutate,
      reporters: ['clear-text'],
      timeoutMS: 8_000,
    }
    writeFileSync(join(copy, 'stryker.config.json'), JSON.stringify(settings))
    run(process.execPath, ['node_modules/.bin/stryker', 'run'], {
      MUTATION_TESTS: tests.join(),
      DRAGOMAN_FUZZ_SEED: '1',
    })
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
