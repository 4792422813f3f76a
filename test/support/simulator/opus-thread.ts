import { parentPort, workerData } from 'node:worker_threads'
import { opusDecoder, opusEncoder } from '../../../src/simulator/discord/voice/speech.ts'
import { sine } from '../transcode/tone.ts'

/** Encodes and decodes a tone repeatedly, like two scripted users and a bot. */
const encoder = opusEncoder(1)
const decoder = opusDecoder()
const tone = sine(Number(workerData), 4_000, 8_000, 48_000)
const heard = new Int16Array(16_000 * 4)
for (let at = 0; at + 960 <= tone.length; at += 960)
  heard.set(decoder.decode(encoder.encode(tone.subarray(at, at + 960)))!, at / 3)
parentPort?.postMessage(heard)
