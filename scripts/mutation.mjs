// `npm run mutation [group …]`: reports how many small faults in the code its tests detect, by Stryker, in a copy in
// the system's temporary folder. Stryker's 140 packages are installed only there.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const STRYKER = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']
const SCHEDULES = 'test/core/schedules.test.ts'

/** Mutated files, and the tests that have to detect the faults: those that take a few seconds. */
const GROUPS = {
  ring: {
    mutate: ['src/core/translation/replay-buffer.ts'],
    tests: [
      'test/core/translation/replay-buffer.test.ts',
      'test/core/translation/result-tracker.test.ts',
      SCHEDULES,
    ],
  },
  session: {
    mutate: ['src/core/translation/session.ts', 'src/core/translation/session-state.ts'],
    tests: [
      'test/core/translation/session.test.ts',
      'test/core/translation/session-counts.test.ts',
      'test/core/translation/session-errors.test.ts',
      'test/core/translation/session-refusals.test.ts',
      'test/core/translation/session-state.test.ts',
      'test/core/translation/session-renewal.test.ts',
      'test/core/translation/session-rest.test.ts',
      'test/core/translation/session-places.test.ts',
      'test/core/translation/failover-translator.test.ts',
      'test/core/room/receptions.test.ts',
      'test/core/room/speaking-sessions.test.ts',
      'test/core/room/refused.test.ts',
      SCHEDULES,
    ],
  },
  playout: {
    mutate: ['src/core/playout/mark-tracker.ts'],
    tests: ['test/core/playout/playout-marks.test.ts', SCHEDULES],
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
      'test/core/playout/playout.test.ts',
      'test/core/playout/mixed-source.test.ts',
      'test/core/playout/original-buffer.test.ts',
      'test/core/room/announcement.test.ts',
      'test/core/playout/translation-queue.test.ts',
      'test/core/playout/translation-queue-pieces.test.ts',
      'test/core/room/levels.test.ts',
      'test/core/room/barge-in.test.ts',
      'test/core/playout/catch-up.test.ts',
      'test/core/room/reconnecting.test.ts',
      'test/core/room/leaving.test.ts',
      'test/core/room/bad-leg.test.ts',
      'test/core/room/modes.test.ts',
      'test/core/room/relay.test.ts',
    ],
  },
  limits: {
    mutate: [
      'src/common/rate-limit.ts',
      'src/net/client-address.ts',
      'src/core/calls/dialer-policies.ts',
      'src/core/translation/circuit-breaker.ts',
      'src/core/room/lag-monitor.ts',
      'src/core/calls/room-code-limiter.ts',
      'src/net/overload.ts',
      'src/net/outbound-guard.ts',
    ],
    tests: [
      'test/common/token-bucket.test.ts',
      'test/common/failure-limiter.test.ts',
      'test/net/address-prefix.test.ts',
      'test/core/calls/rate-limited-dialer.test.ts',
      'test/core/translation/circuit-breaker.test.ts',
      'test/core/translation/failover-translator.test.ts',
      'test/core/room/lag-monitor.test.ts',
      'test/core/calls/room-code-limiter.test.ts',
      'test/core/calls/room-code-limiter-addresses.test.ts',
      'test/common/keyed-rate-limiter.test.ts',
      'test/net/overload.test.ts',
      'test/net/trusted-proxies.test.ts',
      'test/net/public-lookup.test.ts',
      'test/security/ssrf.test.ts',
    ],
  },
  keys: {
    mutate: ['src/service/server/keys/api-keys.ts', 'src/service/server/keys/key-store.ts'],
    tests: [
      'test/service/server/keys/api-keys.test.ts',
      'test/service/server/keys/key-file.slow.test.ts',
      'test/service/server/keys/key-watch.test.ts',
    ],
  },
  auth: {
    mutate: ['src/web/control/auth.ts', 'src/bridges/phone/stream-tokens.ts'],
    tests: [
      'test/bridges/phone/stream-tokens.test.ts',
      'test/web/control/auth.test.ts',
      'test/web/control/access.test.ts',
    ],
  },
  guard: {
    mutate: ['src/net/request-guard.ts'],
    tests: [
      'test/net/authentication.test.ts',
      'test/net/fair-places.test.ts',
      'test/security/request-guard.test.ts',
      'test/security/connection-limits.test.ts',
    ],
  },
  signature: {
    mutate: ['src/bridges/phone/markup/form-signature.ts'],
    tests: ['test/bridges/phone/markup/form-signature.test.ts', 'test/bridges/phone/public-url.test.ts'],
  },
}

for (const { mutate, tests } of Object.values(GROUPS))
  for (const path of [...mutate, ...tests])
    if (!existsSync(new URL(`../${path}`, import.meta.url)))
      throw new Error(`scripts/mutation.mjs: there is no ${path}`)

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
  const parts = ['src', 'simulator', 'test', 'recordings', 'docs', 'examples', 'scripts', 'node_modules']
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
    "import { shared } from './vitest.config.ts'\nexport default { test: { ...shared, include: process.env.MUTATION_TESTS.split(','), maxWorkers: 1, testTimeout: 20_000 } }\n",
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
