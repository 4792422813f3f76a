import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { BandLevels, LEVELS_BYTES } from '../../../src/transcode/echo/band-levels.ts'
import { echoModule } from '../../../src/transcode/echo/echo-module.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { until } from '../../support/until.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('the module of echo suppression', () => {
  it('keeps what lies in memory when memory grows', () => {
    const owner = {}
    const at = echoModule().allocate(owner, LEVELS_BYTES)
    const loud = Int16Array.from({ length: FRAME_SAMPLES }, (_, n) => 20_000 * Math.sin(n / 3))
    const bands = new BandLevels()
    bands.measure(loud, at)
    const before = echoModule().i16
    const levels = Array.from(before.subarray(at / 2, at / 2 + 23))
    echoModule().allocate(owner, 2 ** 20)
    expect(echoModule().i16).not.toBe(before)
    expect(Array.from(echoModule().i16.subarray(at / 2, at / 2 + 23))).toEqual(levels)
    bands.reset()
    bands.measure(loud, at)
    expect(Array.from(echoModule().i16.subarray(at / 2, at / 2 + 23))).toEqual(levels)
  })

  it('uses blocks again once their owners have been collected', async () => {
    const size = 12_345
    const first = new Set(Array.from({ length: 8 }, () => echoModule().allocate({}, size)))
    expect(first.size).toBe(8)
    const again: number[] = []
    // Collected objects are reported some time after the collection.
    await until(
      () => {
        collect()
        again.push(echoModule().allocate({}, size))
        return again.filter(at => first.has(at)).length > 0
      },
      10_000,
      'free blocks',
    )
    for (const at of first) expect(at % 16).toBe(0)
  })

  it('never gives one block to two living owners', () => {
    const owners = Array.from({ length: 50 }, () => ({}))
    const blocks = owners.map(owner => echoModule().allocate(owner, 100))
    const sorted = blocks.toSorted((a, b) => a - b)
    sorted.slice(1).forEach((at, n) => {
      expect(at - sorted[n]!).toBeGreaterThanOrEqual(100)
    })
    expect(owners.length).toBe(50)
  })
})
