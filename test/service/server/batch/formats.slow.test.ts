import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { loudness } from '../../../../src/transcode/level.ts'
import { RATES } from '../../../../src/transcode/resample/resampler.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'
import { fakeService } from '../../../support/service/fake-service.ts'
import { quickEngines } from '../../../support/service/instant-recognizer.ts'
import { upload } from '../../../support/service/upload.ts'
import { sine } from '../../../support/transcode/tone.ts'

/** Places at which a file is cut or damaged. */
const PLACES = 20
/** 100 ms of audio can be missing from a wav. */
const FORGIVEN_BYTES = 3_200
const SECOND = encodeWav(sine(1000, 1000, 12_000, 16_000), 16_000)

/** `SECOND` converted by ffmpeg. */
function converted(...how: string[]): Uint8Array {
  const run = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', ...how, '-'], { input: SECOND })
  expect(run.stderr.toString()).toBe('')
  return run.stdout
}

/** Returns the transcript of a file. */
async function heard(file: Uint8Array): Promise<{ ms: number; tone: number; durationMs: number }> {
  const { ears, engines } = quickEngines()
  const { url } = await fakeService({}, { engines })
  const response = await upload(url, { mode: 'stt', file })
  const { durationMs, ...rest } = (await response.json()) as { durationMs: number }
  expect(response.status, JSON.stringify(rest)).toBe(200)
  const all = Int16Array.from(ears.written.flatMap(pcm => Array.from(pcm)))
  const sound = all.subarray(0, -15 * 1600)
  return { ms: sound.length / 16, tone: loudness(sound.subarray(1600, 14_400), 1000, 16_000), durationMs }
}

test.each([
  ...RATES.map(rate => [`wav ${rate}`, ['-ar', String(rate), '-f', 'wav']] as const),
  ...[
    'pcm_u8',
    'pcm_s24le',
    'pcm_s32le',
    'pcm_f32le',
    'pcm_f64le',
    'pcm_mulaw',
    'pcm_alaw',
    'libmp3lame',
  ].map(codec => [`wav ${codec}`, ['-c:a', codec, '-f', 'wav']] as const),
  ...['1', '2', '6'].map(count => [`wav of ${count} channels`, ['-ac', count, '-f', 'wav']] as const),
  ['mp3', ['-f', 'mp3']],
  ['mp3 44100 stereo', ['-ar', '44100', '-ac', '2', '-f', 'mp3']],
  ['mp3 without tags', ['-f', 'mp3', '-write_xing', '0', '-id3v2_version', '0']],
  ['ogg Opus', ['-c:a', 'libopus', '-f', 'ogg']],
  ['ogg Opus stereo', ['-c:a', 'libopus', '-ac', '2', '-f', 'ogg']],
  ['ogg Opus of six channels', ['-c:a', 'libopus', '-ac', '6', '-f', 'ogg']],
  ['WebM Opus', ['-c:a', 'libopus', '-f', 'webm']],
  ['WebM Opus stereo, as browsers record it', ['-c:a', 'libopus', '-ac', '2', '-live', '1', '-f', 'webm']],
  ['Matroska Opus', ['-c:a', 'libopus', '-f', 'matroska']],
] as const)('recognizes %s unchanged', async (_name, how) => {
  const { ms, tone, durationMs } = await heard(converted(...how))
  expect(ms).toBeGreaterThan(975)
  expect(ms).toBeLessThan(1075)
  expect(Math.abs(durationMs - ms)).toBeLessThan(2)
  // Softer if ffmpeg spreads it over channels.
  expect(tone).toBeGreaterThan(1_900)
  expect(tone).toBeLessThan(14_000)
})

test.each([
  ['flac', ['-f', 'flac'], 415, 'format_unknown', 'FLAC'],
  ['aac', ['-f', 'adts'], 415, 'format_unknown', 'wav, mp3, ogg'],
  ['wav of ADPCM', ['-c:a', 'adpcm_yamaha', '-f', 'wav'], 415, 'coding_not_supported', 'Yamaha ADPCM'],
  ['wav 7000', ['-ar', '7000', '-f', 'wav'], 415, 'coding_not_supported', '8000'],
  ['WebM of Vorbis', ['-c:a', 'libvorbis', '-f', 'webm'], 415, 'coding_not_supported', 'Vorbis'],
  ['ogg Vorbis', ['-c:a', 'libvorbis', '-f', 'ogg'], 415, 'coding_not_supported', 'Vorbis'],
  ['ogg of FLAC', ['-c:a', 'flac', '-f', 'ogg'], 415, 'coding_not_supported', 'FLAC'],
] as const)('%s is refused by name', async (_name, how, status, error, words) => {
  const { url } = await fakeService({}, { engines: quickEngines().engines })
  const response = await upload(url, { mode: 'stt', file: converted(...how) })
  const body = await response.json()
  expect(body).toMatchObject({ code: 'bad_file', error })
  expect((body as { description: string }).description).toContain(words)
  expect(response.status).toBe(status)
})

test.each([
  ['wav', undefined],
  ['ogg Opus', ['-c:a', 'libopus', '-f', 'ogg']],
  ['WebM Opus', ['-c:a', 'libopus', '-f', 'webm']],
  ['mp3', ['-f', 'mp3']],
] as const)('%s cut or damaged anywhere is answered, and the next one heard', async (kind, how) => {
  const whole = how ? converted(...how) : SECOND
  const { engines, ears } = quickEngines()
  const { url } = await fakeService({}, { engines })
  for (let n = 0; n < PLACES; n++) {
    const at = Math.floor((whole.length * n) / PLACES)
    const damaged = Buffer.from(whole)
    damaged.fill(n % 2 ? 0xff : 0, at, at + 40)
    for (const file of [whole.subarray(0, at), damaged]) {
      const response = await upload(url, { mode: 'stt', file })
      const body = (await response.json()) as { code?: string }
      if (response.status !== 200) expect(body.code).toBe('bad_file')
      else if (file !== damaged && kind !== 'mp3' && whole.length - at > FORGIVEN_BYTES)
        expect.unreachable(`${kind} cut at ${at} was accepted`)
    }
  }
  expect(ears.opened).toBe(0)
  expect((await upload(url, { mode: 'stt', file: whole })).status).toBe(200)
})

test('stops early on an ogg that is damaged everywhere', async () => {
  const whole = Buffer.from(converted('-af', 'aloop=29:16000', '-c:a', 'libopus', '-f', 'ogg'))
  // Damages the middle of every packet after the headers; the pages stay intact.
  for (let at = whole.indexOf('OggS', 100); at >= 0; at = whole.indexOf('OggS', at + 4)) {
    const segments = whole[at + 26] ?? 0
    whole.fill(0xff, at + 27 + segments, Math.min(whole.length, at + 27 + segments + 2_000))
  }
  const { engines } = quickEngines()
  const { url } = await fakeService({}, { engines })
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await (await upload(url, { mode: 'stt', file: whole })).json()).toMatchObject({ code: 'bad_file' })
  expect(complaints.mock.calls.length).toBeLessThan(50)
  complaints.mockRestore()
})
