import { expect, test } from 'vitest'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'
import { fakeService } from './helpers/fake-service.ts'
import { query, TestClient } from './helpers/test-client.ts'

test.each(['/', '/admin', '/STS'])('%s is refused, after the key', async namespace => {
  const { connect } = await fakeService()
  const refused = connect(namespace)
  expect(await refused.until<ServiceErrorBody>('connect_error')).toMatchObject({
    code: 'bad_namespace',
    description: expect.stringContaining('/stt, /translator, /tts, /sts'),
  })
  const stranger = connect(namespace, {}, 'wrong')
  expect(await stranger.until<ServiceErrorBody>('connect_error')).toMatchObject({ code: 'unauthorized' })
})

test('names that were tried leave nothing behind', async () => {
  const { connect, service } = await fakeService()
  for (let n = 0; n < 20; n++) await connect(`/guess-${n}`).until('connect_error')
  expect(Array.from(service.io._nsps.keys()).toSorted()).toEqual(['/', '/sts', '/stt', '/translator', '/tts'])
})

test.each([undefined, '', 'wrong', 'x'.repeat(100_000)])(
  'without the key nobody gets in: %.10s',
  async token => {
    const { url } = await fakeService()
    const client = new TestClient(`${url}/sts`, token, query())
    const body = await client.until<ServiceErrorBody>('connect_error')
    expect(body).toMatchObject({ code: 'unauthorized', error: token ? 'key_wrong' : 'key_missing' })
    expect(client.names).toEqual(['connect_error'])
    client.close()
  },
)

test('a token that is no text is no key', async () => {
  const { url } = await fakeService()
  for (const token of [5, true, ['a'], { toString: 1 }]) {
    const client = new TestClient(`${url}/sts`, token as never, query())
    expect(await client.until('connect_error')).toMatchObject({ error: 'key_missing' })
    client.close()
  }
})

test('each of several keys is good', async () => {
  const apiKeys = ['first', { name: 'second', key: 'the second' }]
  const { connect } = await fakeService({ apiKeys })
  await connect('/stt', {}, 'first').until('start')
  await connect('/stt', {}, 'the second').until('start')
  await connect('/stt', {}, 'second').until('connect_error')
})

test('open: nobody needs a key', async () => {
  const { url, connect } = await fakeService({ apiKeys: [], open: true })
  await connect('/stt', {}, 'anything').until('start')
  expect((await fetch(`${url}/api/languages`)).status).toBe(200)
})
