import { describe, expect, test } from 'vitest'
import type { Mp3Backend, Mp3Decoder } from '../../../src/transcode/mp3/decoder.ts'
import { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'
import { Mp3Wasm } from '../../../src/transcode/mp3/mpg123-wasm.ts'

/** Creates decoders that only count, `perGrowth` per growth. */
class CountingBackend implements Mp3Backend {
  readonly name = 'counting'
  room = 0
  growths = 0
  made = 0
  freed = 0
  resets = 0
  perGrowth = 2
  failure: Error | undefined

  async grow(): Promise<void> {
    this.growths++
    await undefined
    if (this.failure) throw this.failure
    this.room += this.perGrowth
  }

  create(): Mp3Decoder {
    this.room--
    this.made++
    return {
      peak: 0,
      decode: () => undefined,
      reset: () => {
        this.resets++
      },
      free: () => {
        this.freed++
      },
    }
  }
}

describe('Mp3Pool', () => {
  test('grows in advance and lends without waiting', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, spare: 5 })
    expect(pool.borrow()).toBeUndefined()
    await pool.ready()
    expect(backend.growths).toBe(3)
    const lent = Array.from({ length: 5 }, () => pool.borrow())
    expect(lent.every(decoder => decoder !== undefined)).toBe(true)
    expect([pool.size, pool.idle]).toEqual([5, 0])
  })

  test('reuses returned decoders after a reset', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, spare: 1 })
    await pool.ready()
    for (let i = 0; i < 10; i++) pool.giveBack(pool.borrow()!)
    expect(backend).toMatchObject({ made: 1, resets: 10 })
    expect([pool.size, pool.idle]).toEqual([1, 1])
  })

  test('never lends more than `max`, and `ready` does not wait for more', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, max: 3, spare: 50 })
    await pool.ready(100)
    const lent = [pool.borrow(), pool.borrow(), pool.borrow()]
    expect(pool.borrow()).toBeUndefined()
    expect(pool.size).toBe(3)
    pool.giveBack(lent[0]!)
    expect(pool.borrow()).toBe(lent[0])
    await pool.ready()
    expect(backend.made).toBe(3)
  })

  test('does not wait for decoders that others borrow meanwhile', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, max: 4, spare: 1 })
    await pool.ready(1)
    const ready = pool.ready(4)
    pool.borrow()
    pool.borrow()
    await ready
    expect(backend.growths).toBe(2)
  })

  test('grows automatically when nearly empty', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, max: 20, spare: 2 })
    await pool.ready()
    for (let i = 0; i < 20; i++) {
      expect(pool.borrow()).toBeDefined()
      await new Promise(setImmediate)
    }
    expect(backend.growths).toBe(10)
  })

  test('reports a failure to all waiting, and retries for the next', async () => {
    const backend = new CountingBackend()
    backend.failure = new Error('no memory')
    const pool = new Mp3Pool({ backend })
    await expect(pool.ready()).rejects.toThrow('no memory')
    expect(pool.borrow()).toBeUndefined()
    await new Promise(setImmediate)
    backend.failure = undefined
    await pool.ready()
    expect(pool.borrow()).toBeDefined()
  })

  test('frees all when closed, lent ones when they are returned', async () => {
    const backend = new CountingBackend()
    const pool = new Mp3Pool({ backend, spare: 2 })
    await pool.ready()
    const [one, two] = [pool.borrow()!, pool.borrow()!]
    pool.giveBack(one)
    pool.close()
    pool.close()
    expect(backend.freed).toBe(1)
    pool.giveBack(two)
    expect(backend.freed).toBe(2)
    expect(pool.borrow()).toBeUndefined()
    await expect(pool.ready()).rejects.toThrow('closed')
  })

  test('chooses a backend automatically', async () => {
    const pool = new Mp3Pool()
    expect(pool.backend).toBeUndefined()
    await pool.ready(1)
    expect(['native', 'wasm']).toContain(pool.backend)
    expect(pool.borrow()).toBeDefined()
  })

  test('creates 300 decoders of the WebAssembly backend in ten memories', async () => {
    const pool = new Mp3Pool({ backend: new Mp3Wasm(), max: 300 })
    await pool.ready(300)
    const lent = Array.from({ length: 300 }, () => pool.borrow())
    expect(lent.every(decoder => decoder !== undefined)).toBe(true)
    for (const decoder of lent) pool.giveBack(decoder!)
    expect(pool.idle).toBe(300)
    pool.close()
  })

  test.each([{ max: 0 }, { max: 1.5 }, { spare: -1 }, { spare: Number.NaN }])('rejects %o', options => {
    expect(() => new Mp3Pool(options)).toThrow(RangeError)
  })
})
