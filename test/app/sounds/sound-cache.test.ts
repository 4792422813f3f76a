import { describe, expect, it } from 'vitest'
import { SoundCache } from '../../../src/app/sounds/sound-library.ts'
import type { Sound } from '../../../src/core/model/announcer.ts'

const sound = (name: string, samples = 100): Sound => ({ name, pcm: new Int16Array(samples) })

describe('a sound cache', () => {
  it('creates each sound once for any number of concurrent requests', async () => {
    const cache = new SoundCache(1_000)
    let made = 0
    const make = async () => sound(`made ${++made}`)
    const both = await Promise.all([cache.get('a', make), cache.get('a', make)])
    expect(both.map(({ name }) => name)).toEqual(['made 1', 'made 1'])
    expect((await cache.get('b', make)).name).toBe('made 2')
    expect(cache.bytes).toBe(400)
  })

  it('evicts the least recently used sounds first', async () => {
    const cache = new SoundCache(500)
    await cache.get('a', async () => sound('a'))
    await cache.get('b', async () => sound('b'))
    await cache.get('a', async () => sound('another a'))
    await cache.get('c', async () => sound('c'))
    expect(cache.bytes).toBe(400)
    expect((await cache.get('a', async () => sound('made again'))).name).toBe('a')
    expect((await cache.get('b', async () => sound('made again'))).name).toBe('made again')
  })

  it('does not cache failures', async () => {
    const cache = new SoundCache(500)
    await expect(cache.get('a', () => Promise.reject(new Error('no voice')))).rejects.toThrow('no voice')
    expect((await cache.get('a', async () => sound('a'))).name).toBe('a')
    expect(cache.size).toBe(1)
  })

  it('returns a sound larger than the cache without keeping it', async () => {
    const cache = new SoundCache(500)
    expect((await cache.get('a', async () => sound('a', 1_000))).pcm.length).toBe(1_000)
    expect(cache.bytes).toBe(0)
    expect(() => new SoundCache(0)).toThrow('maxBytes must be above 0, got 0')
  })
})
