import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { languageProblem } from '../../../src/cli/demo/demo.ts'
import { serviceWarning } from '../../../src/cli/serve.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function anythingElse(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(404).end('<h1>nothing</h1>'))
  closing.push(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

test('does not warn about an available service that accepts the key, nor about the embedded one', async () => {
  const { url } = await fakeService()
  expect(await serviceWarning({ url, apiKey: KEY })).toBeUndefined()
  expect(await serviceWarning({ url: undefined })).toBeUndefined()
})

test('a wrong or missing key is reported with the setting, and never shown', async () => {
  const { url } = await fakeService()
  const wrong = await serviceWarning({ url, apiKey: 'not-the-key' })
  expect(wrong).toMatch(/^WARNING: the service at \S+ rejected the API key .*set service\.apiKey/)
  expect(wrong).not.toContain('not-the-key')
  expect(await serviceWarning({ url })).toMatch(/requires an API key, and none is set: set service\.apiKey/)
})

test('distinguishes an address without a server from one with a different server', async () => {
  const url = await anythingElse()
  expect(await serviceWarning({ url })).toMatch(
    /the server at service\.url, .*is not a translation service .*HTTP 404/,
  )
  expect(await serviceWarning({ url: 'http://127.0.0.1:9' })).toMatch(/nothing answers at service\.url/)
})

test('a language pair: no warning, or the service’s description with the available pairs', async () => {
  const { url } = await fakeService()
  const service = { url, apiKey: KEY }
  expect(await languageProblem(service, 'en-us', 'es-es')).toBeUndefined()
  expect(await languageProblem(service, 'en-us', 'fr-fr')).toBe(
    'the service says: en-us is translated into es-es, ca-es, not fr-fr\n' +
      '--from can be: en-us\n--to can be from en-us: es-es',
  )
  expect(await languageProblem(service, 'es-es', 'en-us')).toMatch(
    /recognized in en-us\n.*\n--to can be: es-es$/,
  )
  await expect(languageProblem({ url, apiKey: 'wrong' }, 'en-us', 'es-es')).rejects.toMatchObject({
    error: 'key_wrong',
  })
})
