import { isMainThread, Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { OpusDecoder, OpusEncoder } from '../../src/transcode/opus.ts'
import { type CodedTone, codedTone } from '../support/transcode/opus-tone.ts'

function onThread(hz: number, frames: number): Promise<CodedTone> {
  const worker = new Worker(new URL('../support/transcode/opus-worker.ts', import.meta.url), {
    workerData: { hz, frames },
  })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

test('keeps streams on several threads separate', async () => {
  expect(isMainThread).toBe(true)
  const others = [700, 900, 1_100].map(hz => onThread(hz, 2_000))
  const tones: CodedTone[] = []
  let running = true
  void Promise.all(others).finally(() => {
    running = false
  })
  // The main thread encodes in parallel, so that the threads really run at the same time.
  while (running) {
    tones.push(codedTone(new OpusEncoder(), new OpusDecoder(), 500, 100))
    await new Promise(setImmediate)
  }
  tones.push(...(await Promise.all(others)))
  expect(tones.length).toBeGreaterThan(3)
  for (const { hz, heardHz, spoilt } of tones) {
    expect(Math.abs(heardHz - hz)).toBeLessThan(hz * 0.01)
    expect(spoilt).toBe(0)
  }
})
