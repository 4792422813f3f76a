import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { probeReceiver } from '../../../src/cli/doctor/machine.ts'

async function receiver(status: number) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.method)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { asked, port: typeof address === 'object' && address ? address.port : 0 }
}

test.each([200, 308, 404, 405, 500])(
  'a receiver that responds with %i is available; no event is sent',
  async status => {
    const { asked, port } = await receiver(status)
    expect(await probeReceiver(`http://127.0.0.1:${port}/hook`, false, 5_000)).toBe(status)
    expect(asked).toEqual(['HEAD'])
  },
)

test('reports that no receiver listens, or that it does not respond', async () => {
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  expect(await probeReceiver(`http://127.0.0.1:${port}`, false, 200)).toBeUndefined()
  silent.closeAllConnections()
  await new Promise(resolve => silent.close(resolve))
  expect(await probeReceiver(`http://127.0.0.1:${port}`, false, 5_000)).toBeUndefined()
})
