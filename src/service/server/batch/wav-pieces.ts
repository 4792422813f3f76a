import { durationMs } from '../../../transcode/pcm.ts'
import { mono } from '../../../transcode/wav.ts'
import { WavError } from '../../../transcode/wav-format.ts'
import { openWav, type WavSound } from '../../../transcode/wav-sound.ts'
import { ServiceError } from '../service-error.ts'
import { FILE_RATES, soundResampler } from './sound-resampler.ts'

/** Samples of all channels decoded at a time. */
const PIECE = 32_768
const MOST_CHANNELS = 64

/** Decodes a WAV file to 16 kHz mono, in pieces that are valid until the next one. Throws a `ServiceError`. */
export function* wavPieces(bytes: Uint8Array, maxMs: number): Generator<Int16Array> {
  const sound = opened(bytes)
  const { rate, channels, moments } = sound
  if (durationMs(moments, rate) > maxMs)
    throw new ServiceError('too_long', `the file is longer than ${maxMs} ms`)
  const resampler = soundResampler(rate)
  const count = Math.floor(PIECE / channels)
  for (let at = 0; at < moments; at += count)
    yield resampler.process(mono({ rate, channels, pcm: sound.read(at, count) }))
  yield resampler.flush()
}

function opened(bytes: Uint8Array): WavSound {
  const sound = read(bytes)
  const { rate, channels, missingBytes } = sound
  if (!FILE_RATES.includes(rate))
    throw new ServiceError(
      'coding_not_supported',
      `the file has ${rate} Hz, allowed: ${FILE_RATES.join(', ')}`,
    )
  if (channels > MOST_CHANNELS)
    throw new ServiceError(
      'coding_not_supported',
      `the file has ${channels} channels, at most ${MOST_CHANNELS} are allowed`,
    )
  if (missingBytes > 0)
    throw new ServiceError(
      'truncated',
      `the file ends early: ${missingBytes} bytes of audio announced by its header are missing`,
    )
  return sound
}

function read(bytes: Uint8Array): WavSound {
  try {
    return openWav(bytes)
  } catch (cause) {
    if (!(cause instanceof WavError)) throw cause
    const error = cause.code === 'UNSUPPORTED' ? 'coding_not_supported' : 'file_damaged'
    throw new ServiceError(error, cause.message, { cause })
  }
}
