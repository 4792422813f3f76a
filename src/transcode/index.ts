/** Audio processing without I/O, timers or logs. The public entry `dragoman/transcode`. */

export { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw, MULAW_SILENCE } from './g711.ts'
export { dbfs, loudness, peak, rms } from './level.ts'
export { type Mp3Header, mp3HeaderAt } from './mp3/header.ts'
export { mp3Ready } from './mp3/mp3-decoder.ts'
export * from './pcm.ts'
export { Framer, mixInto, scale } from './pcm.ts'
export { createResampler, RATES, type Resampler } from './resample/resampler.ts'
export { decodeSpeech, SpeechDecoder } from './speech-decoder.ts'
export { MAX_SPEED, TimeStretcher } from './stretch/time-stretch.ts'
export { encodeWav, mono, readWav, type Wav, wavHeader } from './wav.ts'
export { WavError, type WavErrorCode } from './wav-format.ts'
