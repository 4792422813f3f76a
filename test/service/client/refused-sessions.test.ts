import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { afterEach, expect, test } from 'vitest'
import { BridgeError } from '../../../src/common/errors.ts'
import { ServiceClientError, toBridgeError } from '../../../src/service/client/errors.ts'
import { ServiceClient } from '../../../src/service/client/service-client.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Returns how a session fails at a service whose middleware refuses every connection with this error. */
async function refusal(error: Error & { data?: unknown }): Promise<ServiceClientError> {
  const http = createServer()
  const io = new Server(http)
  io.of('/stt').use((_socket, next) => next(error))
  open.push(() => io.close())
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const client = new ServiceClient({ url, apiKey: 'a-key' })
  const failure = await client
    .openSession('/stt', { languageIdSource: 'en-us' })
    .catch((caught: unknown) => caught)
  if (failure instanceof ServiceClientError) return failure
  throw new Error('the session opened')
}

const because = (message: string, data?: unknown) =>
  Object.assign(new Error(message), data === undefined ? {} : { data })

test.each([
  ['a sentence', because('something is wrong'), 'refused/without_code', 'slow'],
  ['nothing', because(''), 'refused/without_code', 'slow'],
  ['data that is a sentence', because('x', 'please come back later'), 'refused/without_code', 'slow'],
  ['data that is a number', because('x', 42), 'refused/without_code', 'slow'],
  ['data that is a list', because('x', ['a']), 'refused/without_code', 'slow'],
  ['data that is empty', because('x', {}), 'refused/without_code', 'slow'],
  ['data with another message', because('x', { message: 'no' }), 'refused/without_code', 'slow'],
  ['a word', because('busy'), 'busy', 'slow'],
  ['an unknown code', because('x', { code: 'maintenance' }), 'maintenance', 'slow'],
  ['only a specific code', because('x', { error: 'maintenance' }), 'refused/maintenance', 'slow'],
  ['a limit', because('x', { code: 'limit', error: 'too_many_sessions' }), 'limit/too_many_sessions', 'fast'],
])('a refusal with %s has a code, and is retried', async (_, error, codes, backOff) => {
  const bridge = toBridgeError(await refusal(error))
  expect(bridge).toBeInstanceOf(BridgeError)
  expect(bridge).toMatchObject({
    code: 'SERVICE_REFUSED',
    message: `the service reports ${codes}`,
    retryable: true,
    backOff,
  })
})

test.each([
  because('Authentication error'),
  because('not authorized'),
  because('unauthorized'),
  because('x', 'invalid API key'),
  because('Invalid token', {}),
  because('x', { code: 'unauthorized', error: 'key_wrong' }),
])('a refused key is one, however it is said: %s', async error => {
  const failure = await refusal(error)
  expect(failure).toMatchObject({ code: 'unauthorized', retryable: false, keyRefused: true })
  expect(toBridgeError(failure)).toMatchObject({ retryable: false, backOff: 'slow' })
})
