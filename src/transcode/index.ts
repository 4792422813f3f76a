/** Audio as arithmetic: no I/O, no timers, no logs. The public entry `dragoman/transcode`. */

export { Framer } from './framer.ts'
export { dbfs, loudness, peak, rms } from './level.ts'
export { mixInto, scale } from './mix.ts'
export { decodeMulaw, encodeMulaw, MULAW_SILENCE } from './mulaw.ts'
export * from './pcm.ts'
export { createResampler, RATES, type Resampler } from './resample.ts'
export { encodeWav, mono, readWav, type Wav, wavHeader } from './wav.ts'
export { WavError, type WavErrorCode } from './wav-format.ts'
