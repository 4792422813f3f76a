import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fileSound } from '../../src/service/server/batch/audio-file.ts'
import { ServiceError } from '../../src/service/server/errors.ts'
import { mp3Ready } from '../../src/transcode/mp3/mp3-decoder.ts'
import { SLICE_BYTES, SpeechDecoder } from '../../src/transcode/speech-decoder.ts'
import { fakeService } from '../support/service/fake-service.ts'
import { quickEngines } from '../support/service/instant-recognizer.ts'
import { upload } from '../support/service/upload.ts'
import { brokenFiles, fileBombs } from '../support/transcode/file-bombs.ts'

/** The work of a turn does not depend on the size. */
const BYTES = 8 << 20
const UPLOAD_BYTES = 33_000_000
const MAX_MS = 60_000
/**
 * Maximum CPU time of one turn of the event loop (ms). The goal is 20; code that is not compiled yet, and garbage, take their
 * share. Reading a bomb at once takes seconds.
 */
const MOST_TURN_MS = 60
/** Maximum memory in addition to the file (bytes). */
const MOST_MEMORY = 64 << 20
/** Slices of a live voice are decoded among hundreds of others. */
const MOST_SLICE_MS = 30

beforeAll(async () => {
  await mp3Ready()
  // The decoders write a line about each damaged packet.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** CPU time of this thread (ms), which other programs on the machine do not change. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Runs `work` and measures the longest turn of the event loop meanwhile (ms), and the memory that it adds. */
async function turnsOf(work: () => Promise<void>): Promise<{ turn: number; memory: number }> {
  const start = process.memoryUsage.rss()
  let turn = 0
  let memory = 0
  let last = cpuMs()
  let running = true
  const tick = () => {
    const now = cpuMs()
    turn = Math.max(turn, now - last)
    memory = Math.max(memory, process.memoryUsage.rss() - start)
    last = cpuMs()
    if (running) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  await new Promise(setImmediate)
  running = false
  return { turn, memory }
}

/** Reads a file as a batch job does; every error must be one with a code. */
async function read(file: Uint8Array): Promise<void> {
  let samples = 0
  try {
    for await (const pcm of fileSound(file, MAX_MS)) {
      samples += pcm.length
      // The job ends here.
      if (samples > MAX_MS * 16) return
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

describe('a file of 8 MiB', () => {
  test.each([...fileBombs(BYTES)])('%s', async (_name, bomb) => {
    const file = bomb()
    const { turn, memory } = await turnsOf(() => read(file))
    expect(turn).toBeLessThan(MOST_TURN_MS)
    expect(memory).toBeLessThan(MOST_MEMORY)
  })
})

test('files with damaged sizes, and repeated, swapped and removed elements, are read in short turns', async () => {
  for (const [name, file] of brokenFiles(500)) {
    const { turn } = await turnsOf(() => read(file))
    expect(turn, name).toBeLessThan(MOST_TURN_MS)
  }
})

test('a voice made of such elements is decoded in short slices', () => {
  for (const [name, bomb] of fileBombs(1 << 19)) {
    const bytes = bomb()
    let last = cpuMs()
    const took = () => {
      const ms = cpuMs() - last
      last = cpuMs()
      return ms
    }
    const decoder = new SpeechDecoder(() => {})
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      decoder.write(bytes.subarray(at, at + SLICE_BYTES), true)
      expect(took(), name).toBeLessThan(MOST_SLICE_MS)
    }
    decoder.close()
  }
})

test('the service answers while such files arrive and are read', async () => {
  const { url } = await fakeService({ maxFileMs: MAX_MS }, { engines: quickEngines().engines })
  const bombs = fileBombs(UPLOAD_BYTES)
  for (const name of [
    'WebM: Voids in a block group',
    'WebM: Voids in a segment',
    'Ogg: pages without segments',
    'WAV: empty chunks',
    'mp3: empty ID3',
  ]) {
    const file = bombs.get(name)!()
    let answered = false
    let healthy = 0
    const { turn } = await turnsOf(async () => {
      const answer = upload(url, { mode: 'stt', file }).finally(() => {
        answered = true
      })
      while (!answered) {
        expect((await fetch(`${url}/health`)).status).toBe(200)
        healthy++
      }
      expect(await (await answer).json()).toMatchObject({ code: 'bad_file' })
    })
    expect(healthy).toBeGreaterThan(0)
    // The same thread also makes the request, of which the copy of the whole form is one turn.
    expect(turn, name).toBeLessThan(4 * MOST_TURN_MS)
  }
})
