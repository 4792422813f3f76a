import { expect, test } from 'vitest'
import type { EndReason } from '../../src/common/lifecycle.ts'
import { type Closable, OwnedSet } from '../../src/common/lifecycle.ts'

class Child implements Closable {
  readonly ended: Promise<EndReason>
  readonly reasons: EndReason[] = []
  #end!: (reason: EndReason) => void

  constructor() {
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  async close(reason: EndReason): Promise<void> {
    this.reasons.push(reason)
    this.#end(reason)
  }
}

test('removes children that end on their own', async () => {
  const owned = new OwnedSet<Child>()
  const [first, second] = [owned.add(new Child()), owned.add(new Child())]
  expect(owned.size).toBe(2)
  await first.close({ kind: 'hangup', by: 'remote' })
  await first.ended
  await Promise.resolve()
  expect([...owned]).toEqual([second])
})

test('closes children together with their owner, once, with the reason', async () => {
  const owned = new OwnedSet<Child>()
  const [first, second] = [owned.add(new Child()), owned.add(new Child())]
  await first.close({ kind: 'hangup', by: 'local' })
  await Promise.resolve()
  await owned.closeAll()
  expect(first.reasons).toEqual([{ kind: 'hangup', by: 'local' }])
  expect(second.reasons).toEqual([{ kind: 'parent-closed' }])
  await owned.closeAll()
  expect(owned.size).toBe(0)
  expect(second.reasons).toHaveLength(1)
})

test('closing waits for the slowest child', async () => {
  const owned = new OwnedSet<Child>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = new Child()
  slow.close = () => promise
  owned.add(slow)
  let closed = false
  const closing = owned.closeAll().then(() => {
    closed = true
  })
  await new Promise(setImmediate)
  expect(closed).toBe(false)
  resolve()
  await closing
})

test('does not keep a child that has already ended', async () => {
  const owned = new OwnedSet<Child>()
  const child = new Child()
  await child.close({ kind: 'unused' })
  expect(owned.add(child)).toBe(child)
  await Promise.resolve()
  expect(owned.size).toBe(0)
})
