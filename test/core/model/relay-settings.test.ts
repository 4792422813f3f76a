import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { relayOptions, relayOptionsSchema } from '../../../src/core/model/relay-settings.ts'
import { FragmentPool } from '../../../src/core/translation/fragment-store.ts'
import { ReplayBuffer } from '../../../src/core/translation/replay-buffer.ts'

describe('options of the relay', () => {
  test.each([
    ['an unknown key', { leadMS: 200 }, 'leadMS'],
    ['a string', { leadMs: '200' }, 'leadMs'],
    ['half a frame', { fragmentMs: 50 }, 'fragmentMs'],
    ['NaN', { maxLagMs: Number.NaN }, 'maxLagMs'],
    ['an original louder than the translation', { originalDistanceDb: -6 }, 'originalDistanceDb'],
    ['zero legs', { maxLegs: 0 }, 'maxLegs'],
    ['a fraction of a millisecond', { ackDeadlineMs: 1500.5 }, 'ackDeadlineMs'],
    ['null', { replayMs: null }, 'replayMs'],
  ])('reject %s, naming the key', (_what, given, name) => {
    expect(() => relayOptions(given as unknown as Parameters<typeof relayOptions>[0])).toThrow(name)
  })

  test('are usable if accepted', () => {
    const shape = relayOptionsSchema.shape
    const fragment = fc.integer({ min: 0, max: 220 }).filter(ms => shape.fragmentMs.safeParse(ms).success)
    const replay = fc.integer({ min: 0, max: 130_000 }).filter(ms => shape.replayMs.safeParse(ms).success)
    fc.assert(
      fc.property(fragment, replay, (fragmentMs, capacityMs) => {
        const lengths = { fragmentMs, quietFragmentMs: 180, capacityMs }
        expect(() => new ReplayBuffer({ pool: new FragmentPool(), ...lengths })).not.toThrow()
      }),
    )
  })
})
