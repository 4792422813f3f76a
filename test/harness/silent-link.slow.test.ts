import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { SilentLink } from '../support/fleet/silent-link.ts'
import { pause, until } from '../support/until.ts'

test('a cut link swallows data and connections, resets no one, and delivers late once restored', async () => {
  const server = createServer(socket => socket.pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using link = await SilentLink.open((server.address() as AddressInfo).port)
  const said: string[] = []
  const faults: unknown[] = []
  const dial = (socket: Socket) => {
    socket.on('data', data => void said.push(String(data)))
    for (const event of ['error', 'close'] as const) socket.on(event, () => void faults.push(event))
    return socket
  }
  const open = dial(connect(link.port, '127.0.0.1'))
  open.write('before')
  await until(() => said.join('') === 'before', 5_000, 'an echo')

  await link.cut()
  open.write(' during')
  let connected = false
  const late = dial(connect(link.port, '127.0.0.1', () => (connected = true)))
  await pause(300)
  expect(said.join('')).toBe('before')
  expect(connected).toBe(false)
  expect(faults).toEqual([])

  link.restore()
  await until(() => said.join('') === 'before during', 5_000, 'the late echo')
  await until(() => connected, 5_000, 'the late connection')
  expect(faults).toEqual([])
  open.destroy()
  late.destroy()
  server.close()
})
