import { parentPort, workerData } from 'node:worker_threads'
import { OpusDecoder, OpusEncoder } from '../../../src/transcode/opus.ts'
import { codedTone } from './opus-tone.ts'

/** Encodes a tone on a separate thread, and reports the result. */
const { hz, frames } = workerData as { hz: number; frames: number }
parentPort?.postMessage(codedTone(new OpusEncoder(), new OpusDecoder(), hz, frames))
