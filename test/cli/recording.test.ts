import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Mp3Maker } from '../../simulator/service/scripted-answers.ts'
import { bundledSentences, LINE_RATE, lineAudio, withPauses } from '../../src/cli/sample-audio.ts'
import { loudness, peak } from '../../src/transcode/level.ts'
import { encodeWav } from '../../src/transcode/wav.ts'
import { sine } from '../support/transcode/tone.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-recording-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

describe('a recording for the phone', () => {
  test.each([8_000, 16_000, 44_100, 48_000])('can be a WAV of %i Hz', async rate => {
    const pcm = await lineAudio(await file(`${rate}.wav`, encodeWav(sine(1_000, 2_000, 8_000, rate), rate)))
    expect(Math.abs(pcm.length - 2 * LINE_RATE)).toBeLessThan(40)
    expect(loudness(pcm.subarray(800, 15_200), 1_000, LINE_RATE)).toBeGreaterThan(7_500)
  })

  test('can be an mp3 with a leading tag', async () => {
    const mp3 = (await Mp3Maker.create()).tone(1_000, 2_000, 44_100)
    const tag = Buffer.concat([
      Buffer.from('ID3\u0003\u0000\u0000\u0000\u0000\u0000\u0014', 'latin1'),
      Buffer.alloc(20),
    ])
    const pcm = await lineAudio(await file('tone.mp3', Buffer.concat([tag, mp3])))
    expect(Math.abs(pcm.length / 8 - 2_000)).toBeLessThan(100)
    expect(loudness(pcm.subarray(1_600, 14_400), 1_000, LINE_RATE)).toBeGreaterThan(6_000)
  })

  test.each([
    ['text', 'hello, I am not audio at all'],
    ['nothing', ''],
    ['a WAV cut off in its head', 'RIFF\u0000\u0000'],
  ])('cannot be %s', async (_what, content) => {
    const path = await file('wrong', Buffer.from(content))
    await expect(lineAudio(path)).rejects.toMatchObject({ name: 'WavError' })
  })

  test('fails with a file system error if it does not exist', async () => {
    await expect(lineAudio(join(folder, 'absent.wav'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('is bundled: sentences of a human voice, in order', async () => {
    const files = await bundledSentences()
    expect(files).toHaveLength(5)
    expect(files).toEqual(files.toSorted())
    for (const path of files) {
      const pcm = await lineAudio(path)
      expect(pcm.length).toBeGreaterThan(LINE_RATE)
      expect(peak(pcm)).toBeGreaterThan(1_000)
    }
  })

  test('can have a pause after each piece', () => {
    const pieces = [new Int16Array(10).fill(1), new Int16Array(20).fill(2)]
    const pcm = withPauses(pieces, 5)
    expect(pcm.length).toBe(10 + 40 + 20 + 40)
    expect([pcm[9], pcm[10], pcm[49], pcm[50], pcm[69], pcm[70]]).toEqual([1, 0, 0, 2, 2, 0])
    expect(withPauses([], 5)).toHaveLength(0)
  })
})
