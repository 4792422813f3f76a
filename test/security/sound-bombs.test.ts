import { expect, test, vi } from 'vitest'
import { fakeService } from '../support/service/fake-service.ts'
import { quickEngines } from '../support/service/instant-recognizer.ts'
import { upload } from '../support/service/upload.ts'
import { oggFile, opusHead, webmFile } from '../support/transcode/opus-containers.ts'

/** Packets of two bytes that last 120 ms, each of eight identical channels: 31 kB per byte. */
const PACKETS = Array<Buffer>(2_500).fill(Buffer.of(0x83, 48))
const head = opusHead({ channels: 8, family: 255, streams: 1 })

test.each([
  ['Ogg', oggFile(PACKETS, { head, perPage: 127 })],
  ['WebM', webmFile(PACKETS, { head })],
])(
  'five minutes of eight channels in some kilobytes of %s cost little memory',
  async (_name, file) => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { url } = await fakeService({}, { engines: quickEngines().engines })
    const before = process.memoryUsage.rss()
    const response = await upload(url, { mode: 'stt', file })
    expect(await response.json()).toMatchObject({ durationMs: expect.closeTo(300_000 - 6.5, -1) })
    expect(process.memoryUsage.rss() - before).toBeLessThan(150e6)
    const short = await fakeService({ maxFileMs: 299_000 }, { engines: quickEngines().engines })
    expect(await (await upload(short.url, { mode: 'stt', file })).json()).toMatchObject({ error: 'too_long' })
    complaints.mockRestore()
  },
  30_000,
)

test('rejects a WAV that is too long by its header', async () => {
  const { url } = await fakeService({ maxFileMs: 60_000 }, { engines: quickEngines().engines })
  const file = Buffer.alloc(44 + 8_000 * 61, 0xff)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(7, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8_000, 24)
  file.writeUInt32LE(8_000, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(8_000 * 61, 40)
  expect(await (await upload(url, { mode: 'stt', file })).json()).toMatchObject({ error: 'too_long' })
})
