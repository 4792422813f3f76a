import { describe, expect, it } from 'vitest'
import { EchoReference } from '../../../src/core/playout/echo-reference.ts'
import { EchoPath, foreign, ReceivedLevels } from '../../../src/core/room/echo-path.ts'
import { BandLevels } from '../../../src/transcode/echo/band-levels.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { PlainEchoPath } from '../../support/relay/plain-echo-path.ts'
import { voice } from '../../support/transcode/signal.ts'

/** A voice-like signal in frames. */
function frames(seed: number): Int16Array[] {
  const pcm = voice(16_000, (FRAMES * FRAME_MS) / 1000, seed)
  return Array.from({ length: FRAMES }, (_, n) => pcm.slice(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES))
}

interface Case {
  /** Echo of the playback: delay in frames, and gain. */
  readonly delay: number
  readonly gain: number
  /** From this frame on, the gain is ten times as high. */
  readonly turnedUpAt?: number
  /** Frames in which the participant speaks. */
  readonly speaks?: readonly [from: number, until: number]
}

const FRAMES = 400
const CASES: Record<string, Case> = {
  'without an echo': { delay: 0, gain: 0 },
  'with a soft echo': { delay: 9, gain: 0.05 },
  'with a loud, late echo': { delay: 40, gain: 0.5 },
  'with an echo that becomes louder': { delay: 12, gain: 0.03, turnedUpAt: 250 },
  'with speech over an echo': { delay: 5, gain: 0.2, speaks: [150, 260] },
}

describe('an echo path', () => {
  it.each(Object.entries(CASES))('decides like the plain counterpart %s', (_name, about) => {
    const played = frames(1)
    const spoken = frames(4)
    const reference = new EchoReference()
    const received = new ReceivedLevels()
    const bands = new BandLevels()
    const path = new EchoPath(reference, received)
    const plain = new PlainEchoPath(reference, received)
    let furthest = 0
    const shapes: boolean[] = []
    const plainShapes: boolean[] = []
    for (let number = 0; number < FRAMES; number++) {
      reference.add(played[number]!, number * FRAME_MS)
      const echo = played[number - about.delay]
      const gain = about.gain * (number >= (about.turnedUpAt ?? FRAMES) ? 10 : 1)
      const [from, until] = about.speaks ?? [FRAMES, FRAMES]
      const own = number >= from && number < until ? spoken[number]! : undefined
      const frame = Int16Array.from({ length: FRAME_SAMPLES }, (_, n) =>
        Math.max(-32_768, Math.min(32_767, gain * (echo?.[n] ?? 0) + (own?.[n] ?? 0))),
      )
      bands.measure(frame, received.levelsOf(number), received.powersOf(number))
      for (const each of [path, plain]) {
        each.follow(number, number)
        each.learn(number, own === undefined)
      }
      furthest = Math.max(furthest, Math.abs(foreign([path], received, number) - plain.foreign(number)))
      if (number < 30 || number % 16 !== 0) continue
      shapes.push(path.reshaped(number))
      plainShapes.push(plain.reshaped(number))
    }
    expect(furthest).toBeLessThan(0.05)
    expect(shapes).toEqual(plainShapes)
  })

  it('finds a louder echo by its shape, and explains it from then on', () => {
    const { shares, shapes } = hearing({ delay: 12, gain: 0.03, turnedUpAt: 250 })
    const mean = (from: number, until: number) =>
      shares.slice(from, until).reduce((sum, share) => sum + share, 0) / (until - from)
    expect(mean(150, 250)).toBeLessThan(0.02)
    expect(mean(252, 268)).toBeGreaterThan(0.08)
    expect(shapes).toContain(true)
    expect(mean(320, 400)).toBeLessThan(0.05)
  })
})

/** Shares that cannot be echo, and shapes, of a whole case. */
function hearing({ delay, gain, turnedUpAt = FRAMES }: Case): { shares: number[]; shapes: boolean[] } {
  const played = frames(2)
  const reference = new EchoReference()
  const received = new ReceivedLevels()
  const bands = new BandLevels()
  const path = new EchoPath(reference, received)
  const shapes: boolean[] = []
  const shares = played.map((frame, number) => {
    reference.add(frame, number * FRAME_MS)
    const loud = gain * (number >= turnedUpAt ? 10 : 1)
    const echo = (played[number - delay] ?? new Int16Array(FRAME_SAMPLES)).map(sample => sample * loud)
    bands.measure(echo, received.levelsOf(number), received.powersOf(number))
    path.follow(number, number)
    path.learn(number, true)
    const share = foreign([path], received, number)
    if (number > 30 && number % 16 === 0) shapes.push(path.reshaped(number))
    return share
  })
  return { shares, shapes }
}
