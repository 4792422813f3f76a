import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { fileSound } from '../../../../src/service/server/batch/audio-file.ts'
import { ServiceError } from '../../../../src/service/server/errors.ts'
import { loudness } from '../../../../src/transcode/level.ts'
import { mp3Ready } from '../../../../src/transcode/mp3/mp3-decoder.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { SpeechDecoder } from '../../../../src/transcode/speech-decoder.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { pipeToFile } from '../../../support/transcode/command.ts'
import { sine } from '../../../support/transcode/tone.ts'

const TONE_HZ = 1_000
const SECOND = encodeWav(sine(TONE_HZ, 1_000, 12_000, 16_000), 16_000)

beforeAll(mp3Ready)

/** What is heard of an upload, or the code and the message of the error. */
async function uploaded(file: Uint8Array): Promise<Int16Array | string> {
  const pieces: Int16Array[] = []
  try {
    for await (const pcm of fileSound(file, 60_000)) pieces.push(pcm.slice())
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.message
  }
  return concat(pieces)
}

/** What is heard of a service's voice that arrives in pieces of `size` bytes. */
function spoken(file: Uint8Array, size: number): Int16Array {
  const pieces: Int16Array[] = []
  const decoder = new SpeechDecoder(pcm => pieces.push(pcm.slice()))
  for (let at = 0; at < file.length; at += size) decoder.write(file.subarray(at, at + size), true)
  decoder.finish()
  return concat(pieces)
}

async function expectTone(file: Uint8Array): Promise<void> {
  const whole = await uploaded(file)
  for (const pcm of [whole, spoken(file, 1_003), spoken(file, file.length)]) {
    if (typeof pcm === 'string') throw new Error(pcm)
    // Codings with blocks fill the last one.
    expect(pcm.length / 16).toBeGreaterThan(930)
    expect(pcm.length / 16).toBeLessThan(1_330)
    expect(loudness(pcm.subarray(1_600, 14_400), TONE_HZ, 16_000)).toBeGreaterThan(1_900)
    expect(pcm).toEqual(whole)
  }
}

const FFMPEG = [
  'pcm_u8',
  'pcm_s16le',
  'pcm_s24le',
  'pcm_s32le',
  'pcm_s64le',
  'pcm_f32le',
  'pcm_f64le',
  'pcm_alaw',
  'pcm_mulaw',
  'adpcm_ima_wav',
  'adpcm_ms',
  'libmp3lame',
]
const LAYOUTS = [
  ['-ar', '8000'],
  ['-ar', '44100', '-ac', '2'],
  ['-ar', '96000', '-rf64', 'always', '-metadata', `comment=${'x'.repeat(3_001)}`],
]

describe('a WAV by ffmpeg is heard alike as an upload and as a voice', () => {
  test.each(
    FFMPEG.flatMap(codec => LAYOUTS.map(layout => [codec, layout] as const)).filter(
      ([codec, [, rate]]) => codec !== 'libmp3lame' || rate !== '96000',
    ),
  )('%s %j', async (codec, layout) => {
    const args = ['-v', 'error', '-y', '-i', '-', '-c:a', codec, ...layout, '-f', 'wav']
    await expectTone(pipeToFile('ffmpeg', path => [...args, path], SECOND))
    // Without a seekable output, sizes are unknown.
    await expectTone(spawnSync('ffmpeg', [...args, '-'], { input: SECOND }).stdout)
  })
})

const SOX = [
  ['-e', 'unsigned', '-b', '8'],
  ['-e', 'signed', '-b', '16'],
  ['-e', 'signed', '-b', '24'],
  ['-e', 'signed', '-b', '32'],
  ['-e', 'float', '-b', '32'],
  ['-e', 'float', '-b', '64'],
  ['-e', 'a-law'],
  ['-e', 'mu-law'],
  ['-e', 'ima-adpcm'],
  ['-e', 'ms-adpcm'],
]

describe('a WAV by sox is heard alike as an upload and as a voice', () => {
  test.each(SOX.flatMap(coding => [['1'], ['2'], ['6']].map(([channels]) => [coding, channels!] as const)))(
    '%j of %s channels',
    async (coding, channels) => {
      // The codings of sox have two channels at most.
      if (channels === '6' && coding.join().includes('adpcm')) return
      const args = ['-D', '-t', 'wav', '-', '-c', channels, '-r', '22050', ...coding, '-t', 'wav']
      await expectTone(pipeToFile('sox', path => [...args, path], SECOND))
    },
  )
})

test.each([
  ['Yamaha ADPCM', ['-c:a', 'adpcm_yamaha']],
  ['G.726 ADPCM', ['-c:a', 'adpcm_g726', '-ar', '8000']],
  ['MPEG layer I or II', ['-c:a', 'mp2']],
  ['AC-3', ['-c:a', 'ac3', '-ar', '48000']],
  ['FLAC', ['-c:a', 'flac']],
] as const)('a WAV of %s is refused by name, and is no noise as a voice', async (name, how) => {
  const args = ['-v', 'error', '-y', '-i', '-', ...how, '-f', 'wav']
  const file = pipeToFile('ffmpeg', path => [...args, path], SECOND)
  expect(await uploaded(file)).toContain(`holds ${name}, allowed`)
  for (const size of [333, file.length]) expect(spoken(file, size)).toHaveLength(0)
})

test('a WAV of GSM by sox is refused by name, and is no noise as a voice', async () => {
  const file = pipeToFile(
    'sox',
    path => ['-t', 'wav', '-', '-r', '8000', '-e', 'gsm-full-rate', '-t', 'wav', path],
    SECOND,
  )
  expect(await uploaded(file)).toContain('holds GSM 6.10, allowed')
  expect(spoken(file, 777)).toHaveLength(0)
})

test('a big-endian WAV by sox, and Wave64 by ffmpeg, are refused by name', async () => {
  const big = pipeToFile('sox', path => ['-t', 'wav', '-', '-B', '-t', 'wav', path], SECOND)
  const long = pipeToFile('ffmpeg', path => ['-v', 'error', '-y', '-i', '-', '-f', 'w64', path], SECOND)
  expect(await uploaded(big)).toContain('RIFX')
  expect(await uploaded(long)).toContain('Wave64')
  for (const file of [big, long]) expect(spoken(file, 1_003)).toHaveLength(0)
})
