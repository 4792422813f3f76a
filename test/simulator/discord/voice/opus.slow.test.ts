import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { loudness } from '../../../../src/transcode/level.ts'

it('keeps the audio of threads apart', async () => {
  const tones = [500, 700, 900]
  const heard = await Promise.all(
    tones.map(
      hz =>
        new Promise<Int16Array>((settle, fail) => {
          const worker = new Worker(new URL('../../../support/simulator/opus-thread.ts', import.meta.url), {
            workerData: hz,
          })
          worker.once('message', settle)
          worker.once('error', fail)
        }),
    ),
  )
  heard.forEach((pcm, index) => {
    const levels = tones.map(hz => loudness(pcm.subarray(1_600), hz, 16_000))
    for (const [other, level] of levels.entries())
      if (other === index) expect(level).toBeGreaterThan(7_000)
      else expect(level).toBeLessThan(100)
  })
})
