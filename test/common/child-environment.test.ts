import { expect, test } from 'vitest'
import { childEnvironment } from '../../src/common/child-environment.ts'

test('passes the variables that programs need, but no secrets', () => {
  const needed = {
    PATH: '/usr/bin',
    HOME: '/home/a',
    LC_ALL: 'C.UTF-8',
    TMPDIR: '/tmp',
    LD_LIBRARY_PATH: '/opt/lib',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'localhost',
  }
  const secrets = {
    DRAGOMAN_TWILIO_AUTH_TOKEN: 'secret',
    DRAGOMAN_DISCORD_TOKEN: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    OPENAI_API_KEY: 'secret',
    DATABASE_URL: 'postgres://secret',
    MY_PATH: 'secret',
    PATH_SECRET: 'secret',
  }
  expect(childEnvironment({ ...needed, ...secrets })).toEqual(needed)
})
