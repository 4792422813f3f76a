/** Audio as arithmetic: no I/O, no timers, no logs. The public entry `dragoman/transcode`. */

export { Framer } from './framer.ts'
export { dbfs, loudness, peak, rms } from './level.ts'
export { mixInto, scale } from './mix.ts'
export type { Mp3Backend, Mp3Decoder } from './mp3-backend.ts'
export { type Mp3Header, mp3HeaderAt } from './mp3-header.ts'
export { Mp3Pool, type Mp3PoolOptions } from './mp3-pool.ts'
export { type Mp3Stats, Mp3Stream } from './mp3-stream.ts'
export { decodeMulaw, encodeMulaw, MULAW_SILENCE } from './mulaw.ts'
export * from './pcm.ts'
export { createResampler, RATES, type Resampler } from './resample.ts'
export { encodeWav, mono, readWav, type Wav, wavHeader } from './wav.ts'
export { WavError, type WavErrorCode } from './wav-format.ts'
