import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { AudioStream, LiveMp3 } from '../../../../src/service/server/session/audio-stream.ts'
import { decoded } from '../../../support/service/real-service.ts'
import { sine } from '../../../support/transcode/tone.ts'

/** Bytes of mp3 in a millisecond at 16 kHz: 48 kbit/s. */
const BYTES_PER_MS = 6
/** Maximum delay of the encoder, and one frame (ms). */
const HELD_MS = 150

async function streamed({ maxUnreadBytes = 1_000_000 } = {}) {
  const clock = new FakeClock()
  const told: string[] = []
  const mp3 = await LiveMp3.create(16_000)
  const stream = new AudioStream({
    mp3,
    clock,
    maxUnreadBytes,
    lost: description => void told.push(description),
  })
  return { clock, told, mp3, stream }
}

/** Everything received since the last call. */
function taken(reader: Readable): Buffer {
  return (reader.read() as Buffer | null) ?? Buffer.alloc(0)
}

const ms = (bytes: number) => bytes / BYTES_PER_MS

test('a reader gets half a second at once, then silence at the pace of the clock', async () => {
  const { clock, stream } = await streamed()
  const reader = stream.open()
  const first = taken(reader).length
  expect(ms(first)).toBeGreaterThan(300)
  expect(ms(first)).toBeLessThanOrEqual(500)
  let all = first
  for (let second = 1; second <= 60; second++) {
    clock.advance(1_000)
    all += taken(reader).length
    const ahead = ms(all) - second * 1_000
    expect(ahead).toBeGreaterThan(400 - HELD_MS)
    expect(ahead).toBeLessThan(520)
  }
  stream.end()
})

test('speech is sent at once, and silence waits until it has been played', async () => {
  const { clock, stream } = await streamed()
  const reader = stream.open()
  clock.advance(2_000)
  taken(reader)
  await stream.tune(16_000)
  stream.write(sine(440, 3_000, 8_000, 16_000))
  expect(ms(taken(reader).length)).toBeGreaterThan(3_000 - HELD_MS)
  clock.advance(2_900)
  expect(taken(reader).length).toBe(0)
  clock.advance(1_000)
  expect(ms(taken(reader).length)).toBeGreaterThan(800 - HELD_MS)
})

test('pauses without a reader; a late reader hears the buffered speech, then the present', async () => {
  const { clock, stream, told } = await streamed()
  clock.advance(3_600_000)
  await stream.tune(22_050)
  stream.write(sine(440, 1_000, 8_000, 22_050))
  clock.advance(3_600_000)
  expect(clock.pending).toBe(0)
  const reader = stream.open()
  const first = taken(reader)
  expect(ms(first.length)).toBeGreaterThan(900)
  expect(ms(first.length)).toBeLessThan(1_700)
  expect(decoded(first)).toMatchObject({ rate: 16_000, rms: expect.closeTo(5_500, -3.5) })
  clock.advance(500)
  const second = taken(reader).length
  clock.advance(1_000)
  expect(ms(second + taken(reader).length)).toBeLessThan(1_100)
  expect(told).toEqual([])
})

test('a second reader takes over; without a reader the clock of the stream stops', async () => {
  const { clock, stream } = await streamed()
  const first = stream.open()
  clock.advance(1_000)
  const second = stream.open()
  taken(first)
  expect(taken(first).length).toBe(0)
  await new Promise(resolve => first.once('close', resolve))
  taken(second)
  clock.advance(1_000)
  expect(ms(taken(second).length)).toBeCloseTo(1_000, -2)
  second.destroy()
  await new Promise(resolve => second.once('close', resolve))
  expect(clock.pending).toBe(0)
})

test('disconnects a reader above the limit, once; another can connect', async () => {
  const { clock, stream, told } = await streamed({ maxUnreadBytes: 30_000 })
  const stuck = stream.open()
  for (let n = 0; n < 100; n++) {
    clock.advance(1_000)
    expect(stuck.readableLength).toBeLessThanOrEqual(30_000)
  }
  expect(stuck.destroyed).toBe(true)
  expect(told).toHaveLength(1)
  expect(clock.pending).toBe(0)
  const next = stream.open()
  clock.advance(1_000)
  expect(ms(taken(next).length)).toBeGreaterThan(1_000)
})

test('without a reader keeps the newest speech up to the limit, and reports the loss once', async () => {
  const { stream, told } = await streamed({ maxUnreadBytes: 30_000 })
  for (let n = 0; n < 40; n++) stream.write(sine(440, 1_000, 8_000, 16_000))
  expect(told).toHaveLength(1)
  const reader = stream.open()
  const kept = taken(reader).length
  expect(kept).toBeLessThanOrEqual(30_000 + 500 * BYTES_PER_MS)
  expect(kept).toBeGreaterThan(20_000)
})

test('speech waits while too much is buffered, but not after the reader has left or the stream has ended', async () => {
  const { clock, stream } = await streamed()
  const settled = async (promise: Promise<void>) =>
    Promise.race([promise.then(() => true), new Promise(resolve => setImmediate(resolve, false))])
  const long = () => stream.write(sine(440, 30_000, 8_000, 16_000))
  long()
  expect(await settled(stream.room())).toBe(true)
  const reader = stream.open()
  const waiting = stream.room()
  clock.advance(14_000)
  expect(await settled(waiting)).toBe(false)
  clock.advance(2_000)
  expect(await settled(waiting)).toBe(true)
  long()
  const left = stream.room()
  expect(await settled(left)).toBe(false)
  reader.destroy()
  await left
  stream.open()
  long()
  const ended = stream.room()
  stream.end()
  await ended
})

test('at the end the reader gets the rest, and has minutes to read it', async () => {
  const { clock, stream } = await streamed()
  const reader = stream.open()
  stream.write(sine(440, 2_000, 8_000, 16_000))
  stream.end()
  stream.end()
  stream.write(sine(440, 2_000, 8_000, 16_000))
  expect(ms(reader.readableLength)).toBeGreaterThan(2_000)
  expect(ms(reader.readableLength)).toBeLessThan(2_900)
  clock.advance(299_000)
  expect(reader.destroyed).toBe(false)
  clock.advance(2_000)
  expect(reader.destroyed).toBe(true)
  expect(clock.pending).toBe(0)
})

test('a voice of another rate continues in the same mp3', async () => {
  const { stream } = await streamed()
  const reader = stream.open()
  for (const rate of [22_050, 16_000, 8_000, 22_050]) {
    await stream.tune(rate)
    stream.write(sine(440, 1_000, 8_000, rate))
  }
  stream.end()
  const { rate, ms: length, rms } = decoded(taken(reader))
  expect(rate).toBe(16_000)
  expect(length).toBeGreaterThan(4_400)
  expect(length).toBeLessThan(5_200)
  expect(rms).toBeGreaterThan(4_500)
})
