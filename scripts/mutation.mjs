// `npm run mutation [group …]`: reports how many small faults in the code its tests detect, by Stryker, in a copy in
// the system's temporary folder. Stryker's 140 packages are installed only there.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const STRYKER = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']
const SCHEDULES = 'test/faults/schedules/schedules.test.ts'

/** Mutated files, and the tests that have to detect the faults: those that take a few seconds. */
const GROUPS = {
  ring: {
    mutate: ['src/core/translation/replay-buffer.ts'],
    tests: ['test/core/replay-ring.test.ts', SCHEDULES],
  },
  session: {
    mutate: ['src/core/translation/session.ts', 'src/core/translation/session-state.ts'],
    tests: [
      'test/core/session.test.ts',
      'test/core/session-counts.test.ts',
      'test/core/session-state.test.ts',
      'test/core/session-renewal.test.ts',
      SCHEDULES,
    ],
  },
  playout: {
    mutate: ['src/core/playout/mark-tracker.ts', 'src/core/playout/mixer.ts'],
    tests: ['test/core/playout-marks.test.ts', 'test/core/playout-edge.test.ts', SCHEDULES],
  },
  // Their tests listen, but only for seconds.
  lanes: {
    mutate: [
      'src/core/playout/playout.ts',
      'src/core/playout/mixer.ts',
      'src/core/playout/listener-voice.ts',
      'src/core/playout/announcement.ts',
      'src/core/playout/translation-queue.ts',
      'src/core/playout/catch-up.ts',
    ],
    tests: [
      'test/core/playout.test.ts',
      'test/core/original-lane.test.ts',
      'test/core/announcement.test.ts',
      'test/core/translation-lane.test.ts',
      'test/core/lane-pieces.test.ts',
      'test/core/levels.test.ts',
      'test/core/interrupting.test.ts',
      'test/core/catch-up.test.ts',
      'test/core/returning.test.ts',
      'test/core/leaving.test.ts',
      'test/core/bad-leg.test.ts',
      'test/core/modes.test.ts',
      'test/core/relay.test.ts',
    ],
  },
  limits: {
    mutate: [
      'src/common/rate-limit.ts',
      'src/common/rate-limit.ts',
      'src/net/client-address.ts',
      'src/core/calls/dialer-policies.ts',
      'src/core/translation/circuit-breaker.ts',
      'src/core/room/lag-monitor.ts',
      'src/core/calls/room-code-limiter.ts',
      'src/common/rate-limit.ts',
      'src/net/overload.ts',
      'src/net/client-address.ts',
      'src/net/outbound-guard.ts',
      'src/net/outbound-guard.ts',
    ],
    tests: [
      'test/core/token-bucket.test.ts',
      'test/core/attempt-limit.test.ts',
      'test/core/address-group.test.ts',
      'test/core/rationed-dialler.test.ts',
      'test/core/circuit.test.ts',
      'test/core/service-gate.test.ts',
      'test/core/lag-watch.test.ts',
      'test/app/guess-limit.test.ts',
      'test/guard/address-rates.test.ts',
      'test/guard/overload.test.ts',
      'test/guard/trusted-proxies.test.ts',
      'test/guard/guarded-lookup.test.ts',
      'test/faults/security/ssrf.test.ts',
    ],
  },
  auth: {
    mutate: [
      'src/service/server/keys/api-keys.ts',
      'src/service/server/keys/key-store.ts',
      'src/web/control/auth.ts',
      'src/bridges/telephony/stream-tokens.ts',
      'src/net/request-guard.ts',
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
  console.error(`unknown group: ${wrong.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`)
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'dragoman-mutation-'))
const run = (command, args, env = {}) =>
  execFileSync(command, args, { cwd: copy, stdio: 'inherit', env: { ...process.env, ...env } })
try {
  const parts = ['src', 'test', 'recordings', 'docs', 'examples', 'scripts', 'node_modules']
  for (const name of [
    ...parts,
    'package.json',
    'package-lock.json',
    '.npmrc',
    'dragoman.example.yaml',
    'vitest.config.ts',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  run('npm', ['install', '--no-save', ...STRYKER])
  writeFileSync(
    join(copy, 'vitest.mutation.config.ts'),
    "import { chance } from './vitest.config.ts'\nexport default { ...chance, test: { include: process.env.MUTATION_TESTS.split(','), maxWorkers: 1, testTimeout: 20_000 } }\n",
  )
  for (const name of asked.length > 0 ? asked : Object.keys(GROUPS)) {
    const { mutate, tests } = GROUPS[name]
    const settings = {
      // Does not exist: Stryker reads it with an interface that TypeScript 7 does not have.
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
