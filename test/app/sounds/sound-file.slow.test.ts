import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSoundFile } from '../../../src/app/sounds/sound-file.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { oggFile } from '../../support/transcode/opus-containers.ts'
import { sine } from '../../support/transcode/tone.ts'

let folder: string
let second: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sounds-'))
  second = join(folder, 'second.wav')
  await writeFile(second, encodeWav(sine(440, 1_000), SAMPLE_RATE))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

function converted(name: string, ...how: string[]): string {
  const path = join(folder, name)
  const { status, stderr } = spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', second, ...how, path])
  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
  return path
}

describe('a sound file', () => {
  it.each([
    ['own.wav', []],
    ['cd.wav', ['-ar', '44100', '-ac', '2']],
    ['odd.wav', ['-ar', '11025']],
    ['studio.wav', ['-ar', '96000', '-c:a', 'pcm_s24le']],
    ['line.wav', ['-ar', '8000', '-c:a', 'pcm_mulaw']],
    ['sound.mp3', ['-c:a', 'libmp3lame']],
    ['sound.opus', ['-c:a', 'libopus', '-f', 'ogg']],
    ['recorded.webm', ['-c:a', 'libopus', '-live', '1']],
    ['vorbis.ogg', ['-c:a', 'libvorbis', '-ac', '2']],
    ['sound.flac', []],
    ['sound.m4a', []],
    ['-strange name:1.aiff', []],
  ] as const)('is read in any format: %s', async (name, how) => {
    const path = name.startsWith('-') ? converted('plain.aiff', ...how) : converted(name, ...how)
    const pcm = await readSoundFile(path)
    expect(pcm.length / SAMPLE_RATE).toBeGreaterThan(0.95)
    expect(pcm.length / SAMPLE_RATE).toBeLessThan(1.12)
    expect(loudness(pcm.subarray(4_000, 12_000), 440, SAMPLE_RATE)).toBeGreaterThan(5_500)
  })

  it('with invalid content is rejected with its path', async () => {
    const path = join(folder, 'text.wav')
    await writeFile(path, 'this is no sound')
    await expect(readSoundFile(path)).rejects.toThrow(/text\.wav: ffmpeg cannot read it either/)
    const missing = join(folder, 'missing.ogg')
    await expect(readSoundFile(missing)).rejects.toThrow(/missing\.ogg: cannot be read \(ENOENT\)/)
    await writeFile(path, encodeWav(new Int16Array(0), SAMPLE_RATE))
    await expect(readSoundFile(path)).rejects.toThrow('there is no sound in it')
  })

  it('of more than two minutes is rejected before it is decoded', async () => {
    const path = join(folder, 'bomb.ogg')
    const packet = Buffer.of(0x83, 48)
    await writeFile(path, oggFile(Array<Buffer>(2_000).fill(packet), { perPage: 100 }))
    await expect(readSoundFile(path)).rejects.toThrow('too long, at most are 120 s')
    await writeFile(path, encodeWav(new Int16Array(8_000 * 121), 8_000))
    await expect(readSoundFile(path)).rejects.toThrow('121 s long, at most are 120 s')
  })

  it('of more than two minutes is rejected', async () => {
    const path = join(folder, 'long.wav')
    await writeFile(path, encodeWav(new Int16Array(121 * SAMPLE_RATE), SAMPLE_RATE))
    await expect(readSoundFile(path)).rejects.toThrow('121 s long, at most are 120 s')
  })
})
