import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { EndReason } from '../../../src/common/lifecycle.ts'
import { ServiceClient } from '../../../src/service/client/service-client.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/**
 * A proxy that passes requests below `/translate` to the service, without that path. `others`: the status of all other
 * requests, or undefined to pass them unchanged.
 */
async function proxied(others: number | undefined) {
  const { url } = await fakeService()
  const { port } = new URL(url)
  const proxy = createServer(socket => {
    const service = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    service.on('error', () => {})
    socket.on('close', () => service.destroy())
    service.pipe(socket)
    socket.on('data', data => {
      const text = data.toString('latin1')
      if (others !== undefined && /^(GET|POST) \/(?!translate\/)/.test(text))
        socket.end(`HTTP/1.1 ${others} Other\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      else service.write(Buffer.from(text.replace(/^(GET|POST) \/translate\//, '$1 /'), 'latin1'))
    })
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  closing.push(() => proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/translate`
}

const BOTH = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }

test.each(['/translate/socket.io/', '/translate/socket.io'])(
  'sessions work below a path with socketPath %s',
  async socketPath => {
    const url = await proxied(404)
    const client = new ServiceClient({ url, apiKey: KEY, socketPath })
    expect(await client.languages()).not.toEqual([])
    await using session = await client.openSession('/translator', BOTH)
    expect(session.start).toBe(true)
  },
)

test.each([404, 200, 502, undefined])(
  'without it, the failure says what to set: other paths give %s',
  async others => {
    const url = await proxied(others)
    const hint = 'set socketPath to /translate/socket.io/'
    const failure = await new ServiceClient({ url, apiKey: KEY })
      .openSession('/translator', BOTH)
      .catch((error: Error) => error)
    expect(failure).toMatchObject({ by: 'client', description: expect.stringContaining(hint) })
    const translator = new ServiceTranslator({ url, apiKey: KEY })
    const reason = await new Promise<EndReason>(ended => {
      const ignored = () => {}
      const sink = {
        ready: ignored,
        acked: ignored,
        result: ignored,
        endOfSpeech: ignored,
        fault: ignored,
        ended,
      }
      translator.open({ from: 'en-us', to: 'es-es', want: 'speech' }, sink)
    })
    // The log has this message.
    expect(reason).toMatchObject({ error: { message: expect.stringContaining(hint) } })
    await translator.close()
  },
)

test('a service that is away, or at the root, gets no such advice', async () => {
  const client = (url: string) => new ServiceClient({ url, apiKey: KEY }).openSession('/translator', BOTH)
  await expect(client('http://127.0.0.1:9/translate')).rejects.toMatchObject({
    description: expect.not.stringContaining('socketPath'),
  })
  const { url } = await fakeService()
  await expect(
    new ServiceClient({ url, apiKey: 'wrong' }).openSession('/translator', BOTH),
  ).rejects.toMatchObject({ error: 'key_wrong' })
})

test.each(['translate/socket.io', 'https://host/socket.io/', '/a?b', ''])('%j is no path', socketPath => {
  const url = 'https://host/translate'
  expect(() => new ServiceClient({ url, apiKey: KEY, socketPath })).toThrow(RangeError)
  expect(() => new ServiceTranslator({ url, apiKey: KEY, socketPath })).toThrow('/translate/socket.io/')
})
