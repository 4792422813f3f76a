import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Check } from '../../../src/cli/doctor/check.ts'
import type { DoctorEnvironment } from '../../../src/cli/doctor/environment.ts'
import { unwritable } from '../../../src/cli/doctor/machine.ts'
import { keepingChecks } from '../../../src/cli/doctor/machine-checks.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { soundMachine } from '../../support/cli/healthy-environment.ts'

const RECORDED = { recording: { mode: 'asked', folder: 'kept' } }
const TRACED = { tracing: { url: 'http://127.0.0.1:4318' } }

test.each<[object, Partial<DoctorEnvironment>, Partial<Check>[]]>([
  [{}, {}, []],
  [RECORDED, {}, [{ name: 'recordings', status: 'ok', found: `${resolve('kept')} is writable` }]],
  [
    RECORDED,
    { unwritable: async () => 'EACCES' },
    [{ status: 'fail', fix: 'grant write access to the user who runs the server, or set recording.folder' }],
  ],
  [{ transcripts: { store: 'memory' } }, { unwritable: async () => 'EACCES' }, []],
  [
    { transcripts: { store: 'disk' } },
    { unwritable: async () => 'EROFS' },
    [{ name: 'transcripts', status: 'fail' }],
  ],
  [
    {},
    { fileAccess: async () => ({ code: undefined, owner: 7, folderOwner: 7, mode: 0o600 }) },
    [{ name: 'key file', status: 'ok', found: 'dragoman.keys.json is readable (uid 7, mode 0600)' }],
  ],
  [
    {},
    { fileAccess: async () => ({ code: 'EACCES', owner: 0, folderOwner: 7, mode: 0o600 }) },
    [{ name: 'key file', status: 'fail', found: 'dragoman.keys.json cannot be read: EACCES' }],
  ],
  [
    {},
    { fileAccess: async () => ({ code: undefined, owner: 0, folderOwner: 7, mode: 0o600 }) },
    [{ name: 'key file', status: 'warn', fix: expect.stringContaining('chown 7 dragoman.keys.json') }],
  ],
  [TRACED, { statusOf: async () => 405 }, [{ name: 'traces', status: 'ok' }]],
  [
    TRACED,
    { statusOf: async () => undefined },
    [{ status: 'warn', found: 'no collector answers at 127.0.0.1:4318' }],
  ],
  [
    TRACED,
    { statusOf: async url => (url.endsWith('/v1/traces') ? 404 : 200) },
    [{ status: 'warn', found: '127.0.0.1:4318 does not accept traces at this path' }],
  ],
])('%j', async (settings, around, expected) => {
  const config = loadConfig({ env: {}, overrides: settings })
  const checks = await keepingChecks(config, soundMachine(around))
  expect(checks).toEqual(expected.map(each => expect.objectContaining(each)))
})

test('writes to a folder to test it, and leaves it unchanged', async () => {
  const place = await mkdtemp(join(tmpdir(), 'dragoman-keeping-'))
  onTestFinished(() => rm(place, { recursive: true }))
  await writeFile(join(place, 'file'), '')
  expect(await unwritable(place)).toBeUndefined()
  expect(await unwritable(join(place, 'to', 'be', 'made'))).toBeUndefined()
  expect(await unwritable(join(place, 'file', 'below'))).toBe('ENOTDIR')
  expect(await readdir(place)).toEqual(['file'])
})

test.runIf(existsSync('/proc/self'))(
  'fails promptly on a file system that cannot create folders',
  async () => {
    expect(await unwritable('/proc/nobody/made/this')).toMatch(/^E/)
  },
)
