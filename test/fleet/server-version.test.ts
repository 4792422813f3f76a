import { expect, test } from 'vitest'
import { checkServerVersion } from '../../src/fleet/nats/server-version.ts'

test.each(['2.10.23', '2.10.23-RC.1', '2.10.27', '2.11.0', '2.12.1', '3.0.0'])(
  'nats-server %s is used',
  version => {
    checkServerVersion(version)
  },
)

test.each(['2.10.22', '2.10.0', '2.9.25', '1.99.99', '', 'dev', '2'])(
  'nats-server "%s", which can lose acknowledged writes, is rejected',
  version => {
    expect(() => checkServerVersion(version)).toThrow(
      `found nats-server ${version}, which can lose acknowledged writes; expected 2.10.23 or newer`,
    )
  },
)
