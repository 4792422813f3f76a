import { describe, expect, it } from 'vitest'
import { laidOut, stereoWav } from '../../../src/cli/demo/results.ts'
import { readWav } from '../../../src/transcode/wav.ts'

describe('the recording of a conversation', () => {
  it('has speech at the time when it was spoken', () => {
    const pcm = Int16Array.of(1, 2, 3, 4)
    const said = [
      { atMs: 1_002, pcm },
      { atMs: 1_010, pcm },
    ]
    // 1 kHz: one sample per millisecond.
    expect(Array.from(laidOut(said, 1_000, 12, 1_000))).toEqual([0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 1, 2])
    expect(Array.from(laidOut(said, 1_004, 3, 1_000))).toEqual([3, 4, 0])
    expect(Array.from(laidOut(said, 2_000, 2, 1_000))).toEqual([0, 0])
  })

  it('is a file with one participant on the left and the other on the right', () => {
    const wav = readWav(stereoWav(Int16Array.of(1, 2), Int16Array.of(-1, -2), 8_000))
    expect(wav).toMatchObject({ rate: 8_000, channels: 2 })
    expect(Array.from(wav.pcm)).toEqual([1, -1, 2, -2])
    expect(() => stereoWav(new Int16Array(1), new Int16Array(2), 8_000)).toThrow('one length, got 1 and 2')
  })
})
