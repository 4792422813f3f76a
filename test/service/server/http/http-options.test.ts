import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { fakeService, KEY } from '../../../support/service/fake-service.ts'

/** The response to a request whose head is `lines`. */
async function answerTo(lines: readonly string[]): Promise<string> {
  const { url } = await fakeService()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [bytes] = (await new Promise(resolve => socket.once('data', (...data) => resolve(data)))) as [Buffer]
  socket.destroy()
  return bytes.toString()
}

test('rejects a request without Host with an error of the table', async () => {
  const answer = await answerTo(['GET /health HTTP/1.1'])
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"error":"request_malformed"')
})

test('accepts requests without Host before HTTP/1.1', async () => {
  expect(await answerTo(['GET /health HTTP/1.0'])).toMatch(/^HTTP\/1\.1 200 /)
})

test('ignores expectations other than 100-continue', async () => {
  const answer = await answerTo([
    'GET /api/languages HTTP/1.1',
    'Host: x',
    `x-api-key: ${KEY}`,
    'Expect: more',
  ])
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

test('answers a rejected upgrade as plain HTTP', async () => {
  const upgrade = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket']
  expect(await answerTo(['GET /health HTTP/1.1', ...upgrade])).toMatch(/^HTTP\/1\.1 200 /)
  expect(await answerTo(['GET /nothing HTTP/1.1', ...upgrade])).toContain('"error":"path_unknown"')
})
