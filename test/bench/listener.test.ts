import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { family, inodeOf, listenerOf } from '../../bench/legs/listener.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 11111 1 0 20 4 30 10 -1
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 22222 1 0 100 0 0 10 0
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 33333 1 0 100 0 0 10 0
`

test('finds the socket that listens, not a connection to it', () => {
  expect(inodeOf(8080, TABLE)).toBe('22222')
  expect(inodeOf(80, TABLE)).toBe('33333')
  expect(inodeOf(40_000, TABLE)).toBeUndefined()
})

test.runIf(process.platform === 'linux')('finds the process that listens', async () => {
  const server = createServer()
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  const { port } = server.address() as AddressInfo
  try {
    expect(family(process.pid)[0]).toBe(process.pid)
    expect(listenerOf(port, process.pid)).toBe(process.pid)
  } finally {
    await new Promise(settle => server.close(settle))
  }
  expect(() => listenerOf(port, process.pid)).toThrow('does not listen')
})
