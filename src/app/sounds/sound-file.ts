import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { childEnvironment } from '../../common/child-environment.ts'
import { AudioFileError } from '../../transcode/container/audio-file-error.ts'
import { isOgg, isWebm, opusFile } from '../../transcode/container/opus-file.ts'
import { peak, rms } from '../../transcode/level.ts'
import { concat, FRAME_SAMPLES, SAMPLE_RATE, saturate } from '../../transcode/pcm.ts'
import { createResampler, RATES } from '../../transcode/resample/resampler.ts'
import { decodeSpeech } from '../../transcode/speech-decoder.ts'
import { mono, readWav } from '../../transcode/wav.ts'
import { isWav, WAV_MP3, wavCoding } from '../../transcode/wav-format.ts'

/** Level of all notices: speech at −20 dBFS. */
const TARGET = 32_768 * 10 ** (-20 / 20)
/** Maximum amplitude of a sample. */
const MOST_PEAK = 30_000
/** Frames this far below the loudest are pauses (factor, −30 dB). */
const QUIET = 10 ** (-30 / 20)

/** Returns `pcm` at the level of notices, measured without pauses, as a new array. Silence stays silence. */
export function levelled(pcm: Int16Array): Int16Array {
  const loud = speechLevel(pcm)
  if (loud === 0) return pcm.slice()
  const gain = Math.min(TARGET / loud, MOST_PEAK / peak(pcm))
  return pcm.map(sample => saturate(sample * gain))
}

/** RMS of the frames that are not pauses. */
function speechLevel(pcm: Int16Array): number {
  const levels: number[] = []
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES)
    levels.push(rms(pcm.subarray(at, at + FRAME_SAMPLES)))
  if (levels.length === 0) return rms(pcm)
  const least = Math.max(...levels) * QUIET
  const speech = levels.filter(level => level > least)
  return Math.sqrt(speech.reduce((sum, level) => sum + level ** 2, 0) / Math.max(1, speech.length))
}

/** Maximum duration of a file (s), since it is kept in memory. */
const MOST_SECONDS = 120
/** Maximum size of a file (bytes): two minutes of studio quality. */
const MOST_BYTES = 64 << 20
/** Timeout of ffmpeg (ms). */
const FFMPEG_MS = 20_000

/** A sound file that cannot be used; the message states why and what to do. */
class SoundFileError extends Error {
  constructor(path: string, why: string, options?: { cause: unknown }) {
    super(`sound file ${path}: ${why}`, options)
    this.name = 'SoundFileError'
  }
}

/**
 * Reads a sound file as 16 kHz mono: WAV, MP3, Ogg and WebM with Opus directly, other formats with ffmpeg if it is
 * installed. Rejects with `SoundFileError`, also for files of more than two minutes.
 */
export async function readSoundFile(path: string): Promise<Int16Array> {
  const bytes = await whole(path)
  const pcm = await decoded(path, bytes)
  if (pcm.length === 0) throw new SoundFileError(path, 'there is no sound in it')
  if (pcm.length > MOST_SECONDS * SAMPLE_RATE) throw tooLong(path, pcm.length / SAMPLE_RATE)
  return pcm
}

async function whole(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new SoundFileError(path, `${size} bytes, at most are ${MOST_BYTES}`)
    return await readFile(path)
  } catch (cause) {
    if (cause instanceof SoundFileError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it failed'
    throw new SoundFileError(path, `cannot be read (${code})`, { cause })
  }
}

async function decoded(path: string, bytes: Uint8Array): Promise<Int16Array> {
  const begins = (tag: string) => Buffer.from(bytes.subarray(0, tag.length)).toString('latin1') === tag
  try {
    const mp3InWav = isWav(bytes) && wavCoding(bytes) === WAV_MP3
    if (isWav(bytes) && !mp3InWav) {
      const wav = readWav(bytes)
      if (RATES.includes(wav.rate)) return atSixteen(mono(wav), wav.rate)
    }
    if (isOgg(bytes) || isWebm(bytes)) return await opus(path, bytes)
    if (begins('ID3') || isMp3(bytes) || mp3InWav) {
      const pcm = await decodeSpeech(bytes, MOST_SECONDS + 1)
      if (pcm.length > 0) return pcm
    }
  } catch (error) {
    if (error instanceof SoundFileError) throw error
    // ffmpeg can read some unusual files, and it explains what is wrong with others.
  }
  return await byFfmpeg(path)
}

function isMp3(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2
}

/** Decodes an Ogg or WebM file with Opus. */
async function opus(path: string, bytes: Uint8Array): Promise<Int16Array> {
  const pieces: Int16Array[] = []
  try {
    for await (const pcm of opusFile(bytes, MOST_SECONDS * 1000)) pieces.push(pcm)
  } catch (error) {
    if (error instanceof AudioFileError && error.code === 'TOO_LONG') throw tooLong(path, undefined)
    throw error
  }
  return concat(pieces)
}

function tooLong(path: string, seconds: number | undefined): SoundFileError {
  const length = seconds === undefined ? 'too long' : `${Math.round(seconds)} s long`
  return new SoundFileError(path, `${length}, at most are ${MOST_SECONDS} s`)
}

function atSixteen(pcm: Int16Array, rate: number): Int16Array {
  if (rate === SAMPLE_RATE) return pcm
  const resampler = createResampler(rate, SAMPLE_RATE)
  return concat([resampler.process(pcm).slice(), resampler.flush()])
}

function byFfmpeg(path: string): Promise<Int16Array> {
  const form = ['-f', 's16le', '-ac', '1', '-ar', String(SAMPLE_RATE)]
  const args = ['-nostdin', '-v', 'error', '-t', String(MOST_SECONDS + 1), '-i', `file:${path}`, ...form, '-']
  const env = childEnvironment()
  const options = { encoding: 'buffer', maxBuffer: MOST_BYTES, timeout: FFMPEG_MS, env } as const
  return new Promise((resolve, reject) => {
    execFile('ffmpeg', args, options, (error, stdout) => {
      if (!error) {
        resolve(
          new Int16Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~1))),
        )
        return
      }
      const missing = 'code' in error && error.code === 'ENOENT'
      const why = missing
        ? 'neither wav, mp3 nor Opus in Ogg or WebM, and ffmpeg, which reads more, is not installed'
        : 'ffmpeg cannot read it either'
      reject(new SoundFileError(path, why, { cause: error }))
    })
  })
}
