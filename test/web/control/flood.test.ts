import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fakeService } from '../../support/service/fake-service.ts'
import { NEVER_LATE } from '../../support/service/no-lag.ts'

/** Timeout on a busy machine for what normally takes a moment (ms). */
const PATIENCE_MS = 20_000

test('ten thousand events at once: the sender is answered or disconnected, and others are served', async () => {
  const { ready } = await fakeService({ ...NEVER_LATE })
  const good = await ready('/sts')
  const bad = await ready('/sts')
  for (let n = 0; n < 10_000; n++) {
    bad.client.socket.emit('nonsense', n)
    bad.client.socket.emit('write_stream', Buffer.alloc(640))
    // Others speak meanwhile.
    if (n % 2_000 === 0) {
      good.stream.hear(`sentence ${n}`)
      await turn()
    }
  }
  await expect.poll(() => good.client.payloads('endSynth').length, { timeout: PATIENCE_MS }).toBe(5)
  expect(good.client.payloads('error')).toEqual([])
  bad.client.close()
})

test.each(['error', 'disconnect', 'connect', 'disconnecting', '__proto__', 'constructor', ''])(
  'an event named %j changes nothing for other clients',
  async name => {
    const { ready } = await fakeService({ ...NEVER_LATE })
    const good = await ready('/sts')
    const bad = await ready('/sts')
    // The client library reserves some names: bypasses it.
    const engine = bad.client.socket.io.engine
    for (let n = 0; n < 100; n++) engine.write(`2/sts,${JSON.stringify([name, { [name]: 1 }])}`)
    good.stream.hear('good')
    await expect.poll(() => good.client.payloads('endSynth').length, { timeout: PATIENCE_MS }).toBe(1)
    expect(good.client.payloads('error')).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
  },
)
