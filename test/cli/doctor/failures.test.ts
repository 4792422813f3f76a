import { expect, it } from 'vitest'
import { failure } from '../../../src/cli/doctor/service-checks.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'

it.each([
  [ServiceClientError.found('unreachable/connection_failed', 'cannot reach it'), 'check that it is running'],
  [ServiceClientError.found('timeout/no_reply', 'no response'), 'check that it is running'],
  [ServiceClientError.found('protocol/not_json', 'a page'), 'check that service.url'],
  [
    ServiceClientError.told({ code: 'unauthorized', error: 'key_wrong', description: 'no' }),
    'service.apiKey',
  ],
  [ServiceClientError.told({ description: 'forbidden' }, { status: 403 }), 'service.apiKey'],
  [ServiceClientError.told({ code: 'limit', error: 'sessions_taken', description: 'full' }), 'see the log'],
  [new BridgeError('CONFIG', 'port is wrong'), 'below embedded'],
  [new BridgeError('SERVICE_UNREACHABLE', 'it died'), 'see the log'],
  [new Error('whatever'), 'see the log'],
])('suggests a fix for %s', (error, mend) => {
  const check = failure('service', error, 'https://s.example.com')
  expect(check).toMatchObject({ status: 'fail', fix: expect.stringContaining(mend) })
  const words =
    error instanceof ServiceClientError && error.by === 'client' ? error.description : error.message
  const shown = mend === 'service.apiKey' ? `the key was refused \\(${words}\\)` : `(Error: )?${words}`
  expect(check.found).toMatch(new RegExp(`^https://s.example.com: ${shown}$`))
})
