import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TrackFile } from '../../src/recording/track-file.ts'
import { FRAME_SAMPLES } from '../../src/transcode/pcm.ts'
import { readWav } from '../../src/transcode/wav.ts'
import { sine } from '../support/transcode/tone.ts'

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracks-'))
})
afterAll(() => rm(folder, { recursive: true }))

const fresh = () => new TrackFile(join(folder, `${++files}.wav`))
const frame = (value: number) => new Int16Array(FRAME_SAMPLES).fill(value)
const read = async (track: TrackFile) => readWav(await readFile(track.path)).pcm

describe('a track', () => {
  it('holds each frame at its time and silence between them', async () => {
    const track = fresh()
    track.write(0, frame(1))
    track.write(20, frame(2))
    track.write(1_500, frame(3))
    expect(await track.close()).toEqual({ durationMs: 1_520, lostMs: 0, failed: false })
    const pcm = await read(track)
    expect([pcm[0], pcm[320], pcm[640], pcm[23_999], pcm[24_000], pcm.length]).toEqual([
      1, 2, 0, 0, 3, 24_320,
    ])
    expect((await stat(track.path)).mode & 0o777).toBe(0o600)
  })

  it('loses no sample for any timing of the frames', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pauseMs: fc.nat(3_000), frames: fc.integer({ min: 1, max: 80 }) }), {
          maxLength: 4,
        }),
        async parts => {
          const track = fresh()
          const expected: number[] = []
          let at = 0
          let value = 1
          for (const { pauseMs, frames } of parts) {
            at += Math.floor(pauseMs / 20) * 20
            for (let n = 0; n < frames; n++, at += 20) {
              track.write(at, frame(value))
              expected[at / 20] = value++
            }
          }
          await track.close()
          const pcm = await read(track)
          expect(pcm.length).toBe(expected.length * FRAME_SAMPLES)
          for (let n = 0; n < expected.length; n++)
            for (const edge of [0, FRAME_SAMPLES - 1])
              expect(pcm[n * FRAME_SAMPLES + edge]).toBe(expected[n] ?? 0)
        },
      ),
      { seed: 7, numRuns: 40 },
    )
  })

  it('keeps the order when a clock jumps back and ignores offsets below a frame', async () => {
    const track = fresh()
    track.write(100, frame(1))
    track.write(40, frame(2))
    track.write(152, frame(3))
    const { durationMs } = await track.close()
    expect(durationMs).toBe(160)
    const pcm = await read(track)
    expect([pcm[1_600], pcm[1_920], pcm[2_240]]).toEqual([1, 2, 3])
  })

  it('ends at the exact sample when requested', async () => {
    const track = fresh()
    track.write(0, frame(1))
    track.silenceTo(33.5)
    expect(track.durationMs).toBe(20)
    track.silenceTo(33.5, 1)
    expect((await track.close()).durationMs).toBe(33.5)
    expect((await read(track)).length).toBe(536)
  })

  it('can be read before it is closed, for example after a crash', async () => {
    const track = fresh()
    const tone = sine(440, 3_000)
    for (let at = 0; at < tone.length; at += FRAME_SAMPLES)
      track.write(at / 16, tone.subarray(at, at + FRAME_SAMPLES))
    await expect.poll(async () => (await stat(track.path)).size).toBe(44 + 96_000)
    expect(await read(track)).toEqual(tone)
    await track.close()
  })

  it('reports that the disk failed and accepts no more audio', async () => {
    const track = new TrackFile(join(folder, 'missing', 'a.wav'))
    track.write(0, frame(1))
    expect(await track.close()).toMatchObject({ failed: true })
    track.write(20, frame(1))
    const existing = fresh()
    await existing.close()
    expect(await new TrackFile(existing.path).close()).toMatchObject({ failed: true })
  })

  it('buffers only a few seconds; audio that exceeds a slow disk becomes silence and is counted', async () => {
    const track = fresh()
    // All in one turn of the event loop, so that the disk cannot keep up.
    for (let at = 0; at < 20_000; at += 20) track.write(at, frame(5))
    const { durationMs, lostMs } = await track.close()
    expect(durationMs).toBe(20_000)
    expect(lostMs).toBe(12_000)
    const pcm = await read(track)
    expect(pcm.length).toBe(320_000)
    expect([pcm[0], pcm[8 * 16_000 - 1], pcm[8 * 16_000], pcm.at(-1)]).toEqual([5, 5, 0, 0])
  })
})
