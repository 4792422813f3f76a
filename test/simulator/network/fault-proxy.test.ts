import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { FaultProxy } from '../../../simulator/network/fault-proxy.ts'
import { until } from '../../support/until.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

interface End {
  readonly socket: Socket
  readonly got: Buffer[]
  text(): string
  ended: boolean
  closed: boolean
  error: string | undefined
}

function endOf(socket: Socket): End {
  const end: End = {
    socket,
    got: [],
    text: () => Buffer.concat(end.got).toString('latin1'),
    ended: false,
    closed: false,
    error: undefined,
  }
  socket.on('data', bytes => end.got.push(bytes))
  socket.on('end', () => {
    end.ended = true
  })
  socket.on('close', () => {
    end.closed = true
  })
  socket.on('error', error => {
    end.error = (error as NodeJS.ErrnoException).code
  })
  return end
}

/** A server, a proxy for it, and a client through the proxy. */
async function setUp(seed = 1) {
  const accepted: End[] = []
  const server = createServer({ allowHalfOpen: true }, socket => void accepted.push(endOf(socket)))
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  const proxy = await FaultProxy.listen({
    to: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seed,
  })
  const clients: Socket[] = []
  open.push({
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, ...accepted.map(each => each.socket)]) socket.destroy()
      server.close()
    },
  })
  open.push(proxy)
  const dial = () => {
    const socket = connect({ port: Number(new URL(proxy.url).port), host: '127.0.0.1', allowHalfOpen: true })
    clients.push(socket)
    return endOf(socket)
  }
  const pair = async () => {
    const client = dial()
    const count = accepted.length
    const far = await until(() => accepted[count], 5_000, 'a connection')
    return { client, far }
  }
  return { proxy, dial, pair, accepted }
}

const got = (end: End, text: string) =>
  until(() => end.text() === text, 5_000, `“${text}”, not “${end.text()}”`)

describe('the fault proxy', () => {
  test('without faults passes bytes both ways, and the end', async () => {
    const { proxy, pair } = await setUp()
    const { client, far } = await pair()
    client.socket.write('there')
    far.socket.write('and back')
    await got(far, 'there')
    await got(client, 'and back')
    expect(proxy.passed).toEqual({ up: 5, down: 8 })
    client.socket.end()
    await until(() => far.ended, 5_000, 'the end')
    far.socket.end('last words')
    await got(client, 'and backlast words')
    await until(() => client.closed && proxy.open === 0, 5_000, 'that all is closed')
  })

  test('jitter keeps the order', async () => {
    const { proxy, pair } = await setUp()
    proxy.set({ jitterMs: 30 })
    const { client, far } = await pair()
    const text = Array.from({ length: 50 }, (_, n) => `${n},`)
    for (const each of text) {
      client.socket.write(each)
      await new Promise(settle => setTimeout(settle, 1))
    }
    await got(far, text.join(''))
  })

  test('corrupts bytes, the same ones for the same seed', async () => {
    const texts: string[] = []
    for (const seed of [5, 5, 6]) {
      const { proxy, pair } = await setUp(seed)
      proxy.set({ corruptEvery: 50 })
      const { client, far } = await pair()
      client.socket.write('x'.repeat(2_000))
      await until(() => far.text().length === 2_000, 5_000, 'all bytes')
      texts.push(far.text())
    }
    const wrong = [...texts[0]!].filter(letter => letter !== 'x').length
    expect(wrong).toBeGreaterThan(10)
    expect(wrong).toBeLessThan(120)
    expect(texts[1]).toBe(texts[0])
    expect(texts[2]).not.toBe(texts[0])
  })

  test.each(['end', 'reset'] as const)(
    'swallows the %s of a connection as well, until it is healed',
    async how => {
      const { proxy, pair } = await setUp()
      const { client, far } = await pair()
      proxy.set({ swallow: true }, 'down')
      if (how === 'end') far.socket.end()
      else far.socket.resetAndDestroy()
      await new Promise(settle => setTimeout(settle, 80))
      expect([client.ended, client.closed]).toEqual([false, false])
      proxy.heal()
      await until(() => (how === 'end' ? client.ended : client.closed), 5_000, `the ${how}`)
      expect(client.error).toBe(how === 'end' ? undefined : 'ECONNRESET')
    },
  )

  test.each([
    [{ latencyMs: -1 }, 'latencyMs'],
    [{ sliceBytes: 0.5 }, 'sliceBytes'],
    [{ swallow: 1 }, 'swallow'],
    [{ latency: 5 }, '"latency"'],
  ])('refuses %o', async (toxics, what) => {
    const { proxy } = await setUp()
    expect(() => proxy.set(toxics as never)).toThrow(what)
  })

  test.each([
    ['fin', undefined],
    ['rst', 'ECONNRESET'],
  ] as const)('cuts with %s', async (how, error) => {
    const { proxy, pair } = await setUp()
    const { client, far } = await pair()
    proxy.cut(how)
    await until(
      () => (how === 'fin' ? client.ended && far.ended : client.closed && far.closed),
      5_000,
      'the cut',
    )
    expect(client.error).toBe(error)
  })

  test('half-closes: one direction ends, the other continues', async () => {
    const { proxy, pair } = await setUp()
    const { client, far } = await pair()
    proxy.halfClose('up')
    await until(() => far.ended, 5_000, 'the end of one direction')
    far.socket.write('still here')
    await got(client, 'still here')
  })

  test('rejects, hangs, stops and restarts', async () => {
    const { proxy, dial, pair, accepted } = await setUp()
    proxy.accepting = 'refuse'
    const refused = dial()
    await until(() => refused.closed, 5_000, 'the refusal')
    proxy.accepting = 'hang'
    const hanging = dial()
    hanging.socket.write('hello?')
    await new Promise(settle => setTimeout(settle, 50))
    expect([hanging.closed, accepted.length]).toEqual([false, 0])
    proxy.heal()
    await until(() => hanging.closed, 5_000, 'that it lets go')
    await proxy.stop()
    const nobody = dial()
    await until(() => nobody.error === 'ECONNREFUSED', 5_000, 'nobody there')
    await proxy.start()
    const { client, far } = await pair()
    client.socket.write('again')
    await got(far, 'again')
    expect(proxy.connections).toBe(3)
  })

  test('rejects an address without a port', async () => {
    await expect(FaultProxy.listen({ to: 'nonsense' })).rejects.toThrow('nonsense')
  })
})
