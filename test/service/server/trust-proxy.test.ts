import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

/** Results of a request, and of a connection, that a proxy on this machine has forwarded for `client`. */
async function proxied(trustProxy: string[]) {
  const { url } = await fakeService({ apiKeys: [KEY], maxAttemptsPerMinute: 2, trustProxy })
  const http = async (client: string, key: string) => {
    const headers = { 'x-api-key': key, 'x-forwarded-for': client }
    return (await fetch(`${url}/api/languages`, { headers })).status
  }
  const connection = (client: string, token: string) =>
    new Promise<string>(resolve => {
      const extraHeaders = { 'x-forwarded-for': client }
      const options = { transports: ['websocket'], reconnection: false, forceNew: true, extraHeaders }
      const socket = io(`${url}/stt`, { ...options, auth: { token } })
      const said = (word: string) => {
        resolve(word)
        socket.disconnect()
      }
      socket.on('connect', () => said('connect'))
      socket.on('connect_error', (error: Error & { data?: { error: string } }) =>
        said(error.data?.error ?? error.message),
      )
    })
  return { http, connection }
}

test('limits attempts per client behind a trusted proxy', async () => {
  const { http, connection } = await proxied(['loopback'])
  expect(await connection('203.0.113.1', 'wrong')).toBe('key_wrong')
  expect(await http('203.0.113.1', 'wrong')).toBe(401)
  expect(await http('203.0.113.1', KEY)).toBe(429)
  expect(await connection('203.0.113.1', KEY)).toBe('too_many_attempts')
  expect(await connection('198.51.100.7, 203.0.113.1', KEY)).toBe('too_many_attempts')
  expect(await http('203.0.113.2', KEY)).toBe(200)
  expect(await connection('203.0.113.2', KEY)).toBe('connect')
})

test('trusts no proxy by default, so clients cannot choose their address', async () => {
  const { http, connection } = await proxied([])
  expect(await connection('203.0.113.1', 'wrong')).toBe('key_wrong')
  expect(await http('203.0.113.2', 'wrong')).toBe(401)
  expect(await http('203.0.113.3', KEY)).toBe(429)
  expect(await connection('203.0.113.4', KEY)).toBe('too_many_attempts')
})
