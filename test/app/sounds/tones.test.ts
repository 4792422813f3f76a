import { describe, expect, it } from 'vitest'
import { TONE_PLANS, toneSound } from '../../../src/app/sounds/tones.ts'
import { TONES } from '../../../src/core/model/announcer.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'

const seconds = (pcm: Int16Array, from: number, to: number) =>
  pcm.subarray(from * SAMPLE_RATE, to * SAMPLE_RATE)

describe('tones', () => {
  it('ring as in the United States: 440 and 480 Hz for two of every six seconds', () => {
    const { pcm, loop } = toneSound('ringback', 'us')
    expect(loop).toBe(true)
    expect(pcm.length).toBe(6 * SAMPLE_RATE)
    for (const hz of [440, 480])
      expect(loudness(seconds(pcm, 0.5, 1.5), hz, SAMPLE_RATE)).toBeGreaterThan(2_500)
    expect(loudness(seconds(pcm, 0.5, 1.5), 425, SAMPLE_RATE)).toBeLessThan(200)
    expect(peak(seconds(pcm, 2, 6))).toBe(0)
  })

  it('ring twice in a row in the United Kingdom', () => {
    const { pcm } = toneSound('ringback', 'uk')
    const sounds = [0.1, 0.5, 0.8, 1.5].map(at => peak(seconds(pcm, at, at + 0.05)) > 1_000)
    expect(sounds).toEqual([true, false, true, false])
  })

  it.each(TONE_PLANS)('signal busy with a tone that ends: %s', plan => {
    const { loop, pcm } = toneSound('busy', plan)
    expect(loop).toBeUndefined()
    expect(pcm.length / SAMPLE_RATE).toBeLessThan(5)
  })

  it.each(TONES.flatMap(name => TONE_PLANS.map(plan => [name, plan] as const)))(
    'contain no clicks and no loud peaks: %s, %s',
    (name, plan) => {
      const { pcm } = toneSound(name, plan)
      // The steepest step of two sines at this level, at 880 Hz or below.
      let step = 0
      for (let n = 1; n < pcm.length; n++) step = Math.max(step, Math.abs(pcm[n]! - pcm[n - 1]!))
      expect(step).toBeLessThan(1_400)
      expect(peak(pcm)).toBeLessThan(6_000)
      expect([pcm[0], pcm.at(-1)]).toEqual([0, 0])
    },
  )
})
