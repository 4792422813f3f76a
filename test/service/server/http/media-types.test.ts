import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ERROR_TABLE, type ErrorName } from '../../../../src/service/server/errors.ts'
import { OPERATIONS } from '../../../../src/service/server/http/operations.ts'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'

const MEDIA_TYPES = [
  undefined,
  '',
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'text/xml; charset=utf-8',
  'multipart/mixed; boundary=x',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'audio/wav',
  'application/octet-stream',
  'garbage',
  '/',
  'a b/c',
  'application/json; charset',
]
const BODIES = ['', 'not json {', '{}', '--x\r\n']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Sends one request and returns the status and body of the response. */
function exchange(port: number, request: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no response to ${request}`)))
    socket.on('error', reject)
    socket.setEncoding('utf8').on('data', piece => {
      text += piece
    })
    socket.on('close', () =>
      resolve({ status: Number(text.slice(9, 12)), body: text.split('\r\n\r\n').slice(1).join('\r\n\r\n') }),
    )
    socket.write(request)
  })
}

function request(method: string, path: string, type: string | undefined, body: string, more = ''): string {
  const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nx-api-key: ${KEY}\r\n${contentType}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Requires an error of the table, as JSON. */
function expectDocumented({ status, body }: { status: number; body: string }, shown: string): ErrorName {
  const { code, error, description } = JSON.parse(body)
  const row = ERROR_TABLE[error as ErrorName]
  expect(row, shown).toBeDefined()
  expect({ code, status }, shown).toEqual({ code: row.code, status: row.status })
  expect(description, shown).not.toMatch(/FST_|unsupported media type/i)
  return error
}

test('every body that is not a form is refused as such', async () => {
  const { url } = await fakeService()
  const port = Number(new URL(url).port)
  for (const type of MEDIA_TYPES)
    for (const body of BODIES) {
      const sent = request('POST', '/api/batch/file', type, body)
      const error = expectDocumented(await exchange(port, sent), sent)
      const form = type?.startsWith('multipart/form-data')
      expect(form ? ['form_malformed', 'parameter_missing'] : ['not_multipart'], sent).toContain(error)
    }
})

test('every route gives an error of the table, whatever the method, media type and body', async () => {
  const { url } = await fakeService()
  const port = Number(new URL(url).port)
  const paths = [...OPERATIONS.map(({ path }) => path.replace('{name}', 'x')), '/nothing', '/api/nothing']
  for (const path of paths)
    for (const method of METHODS)
      for (const type of MEDIA_TYPES) {
        const sent = request(method, path, type, 'not json {')
        const answer = await exchange(port, sent)
        if (answer.status < 400 || method === 'HEAD') continue
        const error = expectDocumented(answer, sent)
        // A path that does not exist is the reason, not its body.
        if (path.endsWith('nothing')) expect(error, sent).toBe('path_unknown')
      }
}, 60_000)

test.each([
  ['a malformed address', request('GET', '/%', undefined, '')],
  ['a malformed part of an address', request('GET', '/stream/%E0%A4%A', undefined, '')],
  ['an unknown method', 'BREW /health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an expectation', request('POST', '/api/batch/file', 'audio/wav', '{}', 'Expect: the unexpected\r\n')],
  ['a long header', request('GET', '/health', undefined, '', `x-long: ${'x'.repeat(20_000)}\r\n`)],
])('%s gets an error of the table', async (_, sent) => {
  const { url } = await fakeService()
  expectDocumented(await exchange(Number(new URL(url).port), sent), sent)
})
