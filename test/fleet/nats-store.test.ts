import type { KV } from '@nats-io/kv'
import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { NatsStore } from '../../src/fleet/nats/nats-store.ts'

const settled = () => new Promise(resolve => setImmediate(resolve))

/** A bucket whose watches follow a script: `fails`, or the keys that one shows before it ends. */
function bucketWith(script: ('fails' | readonly string[])[]) {
  const bucket = {
    watches: 0,
    async watch() {
      const next = script[bucket.watches++]
      if (next === 'fails' || next === undefined) throw new Error('timeout')
      const entries = async function* () {
        for (const key of next) yield { key, operation: 'PUT', revision: 1, string: () => 'value' }
      }
      return Object.assign(entries(), { stop() {} })
    },
  }
  return bucket
}

test('starts a watch again that could not be started, or has ended', async () => {
  const clock = new FakeClock()
  const bucket = bucketWith(['fails', ['one'], ['one', 'two']])
  const store = new NatsStore(() => bucket as unknown as KV, clock)
  const seen: string[] = []
  const watch = store.watch(key => void seen.push(key))
  await settled()
  expect([bucket.watches, seen]).toEqual([1, []])
  clock.advance(1_000)
  await settled()
  expect(seen).toEqual(['one'])
  clock.advance(1_000)
  await settled()
  expect(seen).toEqual(['one', 'one', 'two'])
  watch[Symbol.dispose]()
  clock.advance(10_000)
  await settled()
  expect(bucket.watches).toBe(3)
})

test('waits while the bucket is unavailable', async () => {
  const clock = new FakeClock()
  const bucket = bucketWith([['one']])
  let away = true
  const store = new NatsStore(() => {
    if (away) throw new Error('away')
    return bucket as unknown as KV
  }, clock)
  const seen: string[] = []
  using _watch = store.watch(key => void seen.push(key))
  await settled()
  away = false
  clock.advance(1_000)
  await settled()
  expect(seen).toEqual(['one'])
})
